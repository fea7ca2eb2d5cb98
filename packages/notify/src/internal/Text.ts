/** Shortens and cleans texts from applications for one line of a message. */

/** Encodes a character in a markup, e.g. as `&amp;`. `next` is empty at the end. */
export type Escape = (character: string, next: string) => string

/**
 * One line of at most `maximum` UTF-16 units after escaping. It has neither control characters nor characters that change the
 * direction of text, and ends with an ellipsis if it is shortened. No pair of surrogates is split.
 */
export const oneLine = (text: string, maximum: number, escape: Escape = same): string =>
  fit(tidy(text.slice(0, maximum * 2)), maximum, escape)

/** The parts of a list that fit into `maximum`, with a separator after each. A part is never cut. */
export const whole = (
  parts: ReadonlyArray<string>,
  maximum: number,
  { separator = "\n", size = lengthOf }: { readonly separator?: string; readonly size?: Measure } = {},
): string => {
  const more = `${separator}…`
  const all = parts.join(separator)
  if (size(all) <= maximum) return all
  let shown = ""
  for (const part of parts) {
    const next = shown === "" ? part : `${shown}${separator}${part}`
    if (size(next + more) > maximum) break
    shown = next
  }
  return shown === "" ? "…" : `${shown}${more}`
}

/** The size of a text in the unit of a receiver's limit. */
export type Measure = (text: string) => number

/** Bytes in UTF-8. */
export const bytesOf: Measure = (text) => Buffer.byteLength(text)

/** A link in HTML, or the text alone. The text is escaped already. */
export const htmlLink = (text: string, url: string | null): string =>
  url === null ? text : `<a href="${url.replaceAll("&", "&amp;")}">${text}</a>`

/** Escapes text for HTML, also in attributes. */
export const html: Escape = (character) => htmlEntities[character] ?? character

/** An address that messages may link to: `http` or `https`, not too long. Null for any other. */
export const linkOf = (url: string | null, maximum = 400): string | null => {
  if (url === null || url.length > maximum || !URL.canParse(url)) return null
  const { href, protocol } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") return null
  // Characters that could end a link in one of the markups.
  return href.replace(
    /[<>"'`()|\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The text, or another one if it is empty. Some receivers refuse empty texts. */
export const orElse = (text: string, other: string): string => (text === "" ? other : text)

// internal

const same: Escape = (character) => character

const lengthOf: Measure = (text) => text.length

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Besides control characters, those that have no width or turn the direction of writing. Emojis keep their joiners. */
const unseen =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

const tidy = (text: string): string => text.replace(/\s+/g, " ").replace(unseen, "").trim()

const fit = (text: string, maximum: number, escape: Escape): string => {
  const characters = Array.from(text)
  const escaped = characters.map((character, index) => escape(character, characters[index + 1] ?? ""))
  const total = escaped.reduce((sum, { length }) => sum + length, 0)
  if (total <= maximum) return escaped.join("")
  let shown = ""
  for (const character of escaped) {
    if (shown.length + character.length + 1 > maximum) break
    shown += character
  }
  return `${shown}…`
}
