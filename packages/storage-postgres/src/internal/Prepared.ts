/**
 * Statements that a connection prepares once. Parsing and planning cost several times as much as executing most
 * statements of the hot path, which are always the same few. Decision 018 has the figures.
 *
 * A statement opts in with the mark at its beginning. Use it only if the text never changes and the best plan does not
 * depend on the parameters.
 */

/** Starts each statement that must be prepared. Other clients read it as a comment. */
export const mark = "/* prepared */"

/** Name of a prepared statement; undefined without the mark. */
export const nameOf = (text: string): string | undefined => {
  if (!text.startsWith(mark)) return undefined
  let name = names.get(text)
  if (name === undefined) {
    name = `errata_${names.size}`
    names.set(text, name)
  }
  return name
}

// internal

const names = new Map<string, string>()
