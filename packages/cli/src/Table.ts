/** Rows in columns, for people. What applications and people typed cannot reach the terminal as control characters. */

export interface Column {
  readonly title: string
  readonly align?: "right"
  /** Whether the column is cut first where the terminal is too narrow. */
  readonly flexible?: boolean
}

export type Row = ReadonlyArray<string>

/** Rows below a head, each column as wide as its longest cell; where a width is given no line is longer. */
export const table = (
  head: ReadonlyArray<string | Column>,
  rows: ReadonlyArray<Row>,
  width: number | null = null,
): string =>
  startTable(
    head.map((column) => (typeof column === "string" ? { title: column } : column)),
    width,
  )(rows).join("\n")

/** A table whose rows come bit by bit: the first call answers the head too, later rows stand below the former. */
export const startTable = (columns: ReadonlyArray<Column>, width: number | null) => {
  let widths: ReadonlyArray<number> = columns.map(({ title }) => textWidth(title))
  let isStarted = false
  return (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
    const lines = rows.map((row) => row.map(printable))
    widths = widths.map((known, i) => Math.max(known, ...lines.map((line) => textWidth(line[i] ?? ""))))
    const fitting = width === null ? widths : fit(columns, widths, width)
    const shown = isStarted ? lines : [columns.map(({ title }) => title), ...lines]
    isStarted = true
    return shown.map((line) => lineOf(columns, fitting, line, width))
  }
}

/** What applications and people typed may hold escape sequences, and marks that turn the direction of a line. */
export const printable = (text: string): string => text.replaceAll(controls, "�")

/** How many columns of a terminal a text takes. */
export const textWidth = (text: string): number => {
  if (!/[^\x20-\x7e]/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** The text, or its beginning and an ellipsis, in at most so many columns. */
export const shorten = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text
  let left = width - 1
  let shortened = ""
  for (const { segment } of graphemes.segment(text)) {
    left -= graphemeWidth(segment)
    if (left < 0) break
    shortened += segment
  }
  return width > 0 ? `${shortened}…` : ""
}

// internal

const gap = "  "

/** No flexible column gets narrower than this. */
const narrowest = 12

const lineOf = (
  columns: ReadonlyArray<Column>,
  widths: ReadonlyArray<number>,
  line: Row,
  width: number | null,
): string => {
  const text = columns
    .map(({ align }, i) => {
      const cell = shorten(line[i] ?? "", widths[i]!)
      const padding = " ".repeat(widths[i]! - textWidth(cell))
      return align === "right" ? padding + cell : cell + padding
    })
    .join(gap)
    .trimEnd()
  return width === null ? text : shorten(text, width)
}

/** Takes from the widest flexible column until the line fits, or none has anything left to give. */
const fit = (
  columns: ReadonlyArray<Column>,
  widths: ReadonlyArray<number>,
  width: number,
): ReadonlyArray<number> => {
  const fitting = [...widths]
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) - width
  while (excess > 0) {
    const able = fitting.map((each, i) => (columns[i]!.flexible === true && each > narrowest ? each : 0))
    const widest = Math.max(...able)
    if (widest <= 0) break
    const next = Math.max(narrowest, ...able.filter((each) => each < widest))
    const cut = Math.min(excess, widest - Math.min(next, widest - 1))
    fitting[able.indexOf(widest)]! -= cut
    excess -= cut
  }
  return fitting
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const graphemeWidth = (grapheme: string): number =>
  invisible.test(grapheme) ? 0 : wide.test(grapheme) ? 2 : 1

const invisible = /^[\p{Mark}\p{Format}\p{Default_Ignorable_Code_Point}]+$/u

// East Asian scripts, full-width forms and emoji; a variation selector asks for the emoji of a character that is text.
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji}\ufe0f/u

const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
