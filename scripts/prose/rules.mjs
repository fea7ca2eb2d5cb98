/** The rules of CONTRIBUTING.md on language, as far as a program can check them. */

export const maxWords = 30

/** A clause that stands where a noun belongs: "What cannot be decoded is dropped", "That it holds is tested". */
const clauseSubjects = [
  /^(?:What|Who|Whoever|Whatever|Whichever|Whose)\b/,
  /^That (?:it|they|he|she|there|the|a|an|nothing|nobody|no|we|you|some\w+|this|what|who)\b/,
  /^Whether (?!or not\b)/,
]

/** Words that paraphrase a term of the field, with the term. */
const paraphrases = [
  [/\b(?:is|are|was|were|be|been|being) told\b/i, "is notified, is sent, is logged"],
  [/\btells?\b(?! \w+ apart)/i, "says, reports, shows, describes"],
  [/\btold\b/i, "said, reported, configured"],
  [/\bset aside\b/i, "moved to the dead letters, became a dead letter"],
  [/\bleft aside\b/i, "discarded, skipped"],
  [/\blook(?:s|ed|ing)? at\b/i, "checks, reads"],
  [/\bgives (?!way|up|priority)\w/i, "returns, provides"],
  [/\b(?:is|are|be|get|gets|got) rid of\b/i, "drops, removes"],
  [/\bfor good\b/i, "permanently"],
  [/\b(?:somebody|nobody|whoever|whom)\b/i, "the user, the caller, no client"],
  [/\bis to be\b/i, "must be, should be"],
  [/\btake(?:s|n)? up\b(?! to)/i, "takes over, resumes, leases"],
  [/\bput(?:s)? down\b/i, "records, releases"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix"],
  [/\bhow (?:often|many times) (?:it|they) (?:was|were)\b/i, "the number of times"],
  [/\bwhat (?:is|are|was|were|has|have|had|cannot|can)\b/i, "name the noun"],
  [/\basks? (?:for|whether|who|nobody|the|a)\b/i, "requests, queries, checks"],
]

/** The findings in one text: `{ rule, sentence, hint }`. Headings and fragments without a verb are not sentences. */
export const findings = (text) =>
  sentencesOf(text).flatMap((sentence) => {
    const found = []
    const words = wordsOf(sentence)
    if (words > maxWords) found.push({ rule: "long", sentence, hint: `${words} words; at most ${maxWords}` })
    if (!sentence.endsWith("?") && clauseSubjects.some((pattern) => pattern.test(sentence))) {
      found.push({ rule: "clause", sentence, hint: "begin with a noun" })
    }
    for (const [pattern, instead] of paraphrases) {
      const match = pattern.exec(sentence)
      if (match === null) continue
      found.push({ rule: "paraphrase", sentence, hint: `"${match[0].trim()}": ${instead}` })
      break
    }
    return found
  })

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

/** Sentences of at least three words. */
export const sentencesOf = (text) =>
  [...segmenter.segment(text.replaceAll(/\b(e\.g|i\.e|etc|vs)\./g, "$1").replaceAll(/[^\S\u2029]+/g, " "))]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => wordsOf(sentence) >= 3)

const wordsOf = (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
