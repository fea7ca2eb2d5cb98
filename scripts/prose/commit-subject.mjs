/** What is wrong with the subject of a commit, or null. */
export const subjectProblem = (subject) => {
  if (subject.length > 72) return `${subject.length} characters; at most 72`
  if (!/^[a-z0-9@/,. -]+: \S/.test(subject)) return "must be `area: imperative summary`"
  if (!/^[^:]+: [a-z0-9`]/.test(subject)) return "the summary starts with a lower-case verb"
  if (subject.endsWith(".")) return "must not end with a period"
  return null
}
