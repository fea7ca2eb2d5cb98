/**
 * Statements that a connection prepares once. Parsing and planning cost several times as much as what most statements of
 * the hot path do, and the hot path has always the same few.
 *
 * A statement asks for it by the mark that it begins with. To any other client, such as one of the host's own pool, the
 * mark is a comment. It is only for statements whose text is always the same and whose best plan does not depend on the
 * parameters.
 */
import pg from "pg"

/** What a statement begins with that is to be prepared. */
export const mark = "/* prepared */"

export class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's method has a dozen overloads, all of which go through here.
  override query(...args: Array<any>): any {
    const [text, ...rest] = args
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    const query = super.query as (...args: Array<any>) => any
    if (typeof text !== "string" || !text.startsWith(mark)) return query.apply(this, args)
    return query.call(this, named(text), ...rest)
  }
}

/** The statement as the driver takes it, with a name where it asks to be prepared. */
export const named = (text: string): { readonly text: string; readonly name?: string } =>
  text.startsWith(mark) ? { name: nameOf(text), text } : { text }

// internal

const names = new Map<string, string>()

const nameOf = (text: string): string => {
  let name = names.get(text)
  if (name === undefined) {
    name = `errata_${names.size}`
    names.set(text, name)
  }
  return name
}
