/**
 * How free text finds groups, the same in every storage: a document is a list of lexemes with positions, a term asks
 * for words at consecutive positions. Storages with an index of their own take the same lexemes as `tsvector` text.
 */

export interface Lexeme {
  readonly lexeme: string
  /** From 1; lexemes of one word share a position. */
  readonly position: number
}

/** What is indexed of a group. */
export type TextDocument = ReadonlyArray<Lexeme>

/**
 * Words at consecutive positions. In a phrase every word is a whole lexeme; otherwise the last one is a prefix.
 * Words are as `words` gives them.
 */
export interface TextTerm {
  readonly words: ReadonlyArray<string>
  readonly phrase: boolean
}

/** Positions in a document; what follows is not indexed. */
export const maxPositions = 256

/** UTF-16 units of a lexeme; longer words are cut, in documents and in queries alike. */
export const maxLexemeLength = 64

/** The words of a text in order, lower-cased: runs of letters and digits, and each ideograph and kana on its own. */
export const words = (text: string): ReadonlyArray<string> =>
  runs(text, Number.POSITIVE_INFINITY).map(toLexeme)

/**
 * The lexemes of a text, positions from 1. A compound word is also found by its ends: `NullPointerException` gives
 * `pointerexception` and `exception` at the same position.
 */
export const lexemes = (text: string, limit: number = maxPositions): TextDocument => {
  const document: Array<Lexeme> = []
  append(document, text, 1, limit)
  return document
}

/** The document of a group. No phrase spans two of its parts. */
export const documentOf = (errorType: string, errorMessage: string, culprit: string): TextDocument => {
  const document: Array<Lexeme> = []
  // The message comes last: when room runs out it is the message that is cut.
  const afterType = append(document, errorType, 1, maxPositions / 4)
  const afterCulprit = append(document, culprit, afterType + 1, maxPositions / 4)
  append(document, errorMessage, afterCulprit + 1, maxPositions - afterCulprit)
  return document
}

/** Whether a document has every term. */
export const matches = (document: TextDocument, terms: ReadonlyArray<TextTerm>): boolean => {
  if (terms.length === 0) return true
  const atPosition: Array<Array<string>> = []
  for (const { lexeme, position } of document) {
    const there = atPosition[position]
    if (there === undefined) atPosition[position] = [lexeme]
    else there.push(lexeme)
  }
  return terms.every((term) => has(atPosition, term))
}

/** A document as the text of a PostgreSQL `tsvector` (to be cast, not to be parsed by a text search configuration). */
export const toTsVector = (document: TextDocument): string => {
  const positions = new Map<string, Array<number>>()
  for (const { lexeme, position } of document) {
    const known = positions.get(lexeme)
    if (known === undefined) positions.set(lexeme, [position])
    else known.push(position)
  }
  return Array.from(positions, ([lexeme, at]) => `${quote(lexeme)}:${at.join(",")}`).join(" ")
}

/** Terms as the text of a PostgreSQL `tsquery` that finds what `matches` finds; empty where there is no term. */
export const toTsQuery = (terms: ReadonlyArray<TextTerm>): string =>
  terms
    .filter((term) => term.words.length > 0)
    .map(({ phrase, words }) => words.map(quote).join(" <-> ") + (phrase ? "" : ":*"))
    .join(" & ")

// internal

// With the mark that lengthens a Katakana vowel, which Unicode gives to no script.
const Ideograph = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc]"
const Run = new RegExp(`${Ideograph}\\p{M}*|[\\p{L}\\p{N}](?:(?!${Ideograph})[\\p{L}\\p{N}\\p{M}])*`, "gu")

// Before the capital that starts a word: `null|Pointer`, `HTTP|Error`.
const CompoundPart = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu

const MaxCompoundLength = 256
const MaxCompoundParts = 8

const runs = (text: string, limit: number): Array<string> => {
  const found: Array<string> = []
  if (limit <= 0) return found
  for (const [run] of text.normalize("NFC").matchAll(Run)) {
    found.push(run)
    if (found.length >= limit) break
  }
  return found
}

const toLexeme = (run: string): string => {
  const lower = run.toLowerCase()
  if (lower.length <= maxLexemeLength) return lower
  const splitsPair = (lower.charCodeAt(maxLexemeLength) & 0xfc00) === 0xdc00
  return lower.slice(0, splitsPair ? maxLexemeLength - 1 : maxLexemeLength)
}

/** Appends a text's lexemes from a position on; returns the position after them. */
const append = (document: Array<Lexeme>, text: string, from: number, limit: number): number => {
  let position = from
  for (const run of runs(text, limit)) {
    document.push({ lexeme: toLexeme(run), position })
    const compound = run.length > MaxCompoundLength ? run.slice(0, MaxCompoundLength) : run
    let parts = 0
    for (const { index } of compound.matchAll(CompoundPart)) {
      document.push({ lexeme: toLexeme(run.slice(index)), position })
      parts += 1
      if (parts === MaxCompoundParts) break
    }
    position += 1
  }
  return position
}

const has = (
  atPosition: ReadonlyArray<ReadonlyArray<string> | undefined>,
  { phrase, words }: TextTerm,
): boolean => {
  const last = words.length - 1
  if (last < 0) return true
  for (let start = 1; start + last < atPosition.length; start++) {
    let matched = true
    for (let i = 0; i <= last && matched; i++) {
      const word = words[i] ?? ""
      const there = atPosition[start + i]
      matched =
        there !== undefined &&
        (i === last && !phrase ? there.some((lexeme) => lexeme.startsWith(word)) : there.includes(word))
    }
    if (matched) return true
  }
  return false
}

const quote = (lexeme: string): string => `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
