/**
 * Makes texts of strangers visible. Invisible characters, and those that change how others are shown, become escapes.
 * Colors of terminals are removed. Lengths are in UTF-16 units.
 */

/** A piece of a text. Escapes are marked, because a text may contain the same characters. */
export interface Segment {
  readonly text: string
  readonly isEscape: boolean
}

/** The length of a text that a page shows at first. */
export const maxLength = 2_000

/** Returns the pieces of a text in order. Line breaks and tabs stay. */
export const segments = (text: string): ReadonlyArray<Segment> => {
  const plain = withoutAnsi(text).replace(/\r\n?/g, "\n")
  // Nearly every text ends here.
  if (plain.search(unseen) === -1) return [{ text: plain, isEscape: false }]
  const pieces: Array<Segment> = []
  let from = 0
  for (const match of plain.matchAll(everyUnseen)) {
    if (match.index > from) pieces.push({ text: plain.slice(from, match.index), isEscape: false })
    pieces.push({ text: escapeOf(match[0]), isEscape: true })
    from = match.index + match[0].length
  }
  if (from < plain.length) pieces.push({ text: plain.slice(from), isEscape: false })
  return pieces
}

/** Returns the text with escapes, for attributes, titles and the clipboard. */
export const visible = (text: string): string =>
  segments(text)
    .map((segment) => segment.text)
    .join("")

/** Returns the text in one line. */
export const line = (text: string): string => visible(text).replace(/\s*\n\s*/g, " ")

/** Returns the beginning of a text that is too long, with an ellipsis. */
export const cut = (text: string, maximum = maxLength): string =>
  text.length <= maximum ? text : `${head(text, maximum - 1)}…`

/** Returns the beginning of a text, without half of a surrogate pair. */
export const head = (text: string, length: number): string =>
  text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length)

/** A piece of a note: text, or an address that leads somewhere. */
export type Linked = { readonly text: string; readonly href: string | null }

/** Splits a text at its http and https addresses. No other scheme becomes a link. */
export const links = (text: string): ReadonlyArray<Linked> => {
  const pieces: Array<Linked> = []
  let from = 0
  for (const match of text.matchAll(address)) {
    // The end of a sentence is no part of an address.
    const found = match[0].replace(/[.,;:!?'")\]]+$/, "")
    if (!isWebAddress(found)) continue
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), href: null })
    pieces.push({ text: found, href: found })
    from = match.index + found.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null })
  return pieces
}

/** Returns true if a page may link to the address. */
export const isWebAddress = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  return /^https?:$/.test(new URL(text).protocol)
}

// internal

const address = /https?:\/\/[^\s<>"']+/gi

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that start such a sequence.
const ansi = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
const startsAnsi = /[\u001b\u009b]/

/** Removes colors, cursor movements and the links of terminals. */
const withoutAnsi = (text: string): string => (startsAnsi.test(text) ? text.replace(ansi, "") : text)

/** Control and format characters, such as direction marks, lone surrogates, and characters without a width. */
const unseen = /(?!\n|\t|\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const everyUnseen = new RegExp(unseen, "gu")

const escapeOf = (character: string): string =>
  character === "\0" ? "\\0" : `\\u{${character.codePointAt(0)!.toString(16)}}`
