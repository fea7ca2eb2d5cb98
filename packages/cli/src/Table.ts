/** Rows in columns, for people. Control characters in cells never reach the terminal. */
import { CliOutput } from "effect/cli"

export interface Column {
  readonly title: string
  readonly align?: "right"
  /** Cells are cut if the terminal is too narrow. */
  readonly flexible?: boolean
  /** The most important column, which has to be flexible. It is cut last, and others are omitted to make room. */
  readonly main?: boolean
  /** Columns with a number are omitted if the main column needs the space, in ascending order. */
  readonly omit?: number
  /** Minimum width of a flexible column after cutting. Default: 12 */
  readonly least?: number
}

export type Row = ReadonlyArray<string>

/**
 * Formats rows below a head, each column as wide as its longest cell. No line is longer than `width`. Null means no
 * limit, as does 0, which a terminal reports if it does not know its width.
 */
export const table = (
  head: ReadonlyArray<string | Column>,
  rows: ReadonlyArray<Row>,
  width: number | null = null,
): string =>
  startTable(
    head.map((column) => (typeof column === "string" ? { title: column } : column)),
    width,
  )(rows).join("\n")

/** Formats a table in several calls. The first call also returns the header; later calls omit the same columns. */
export const startTable = (columns: ReadonlyArray<Column>, width: number | null) => {
  const limit = width === null || width === 0 ? null : width
  let widths: ReadonlyArray<number> = columns.map(({ title }) => textWidth(title))
  let kept: ReadonlyArray<number> | null = null
  return (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
    const lines = rows.map((row) => row.map(printable))
    widths = widths.map((known, i) => Math.max(known, ...lines.map((line) => textWidth(line[i] ?? ""))))
    const shown = kept === null ? [columns.map(({ title }) => title), ...lines] : lines
    kept ??= limit === null ? columns.map((_, i) => i) : keptColumns(columns, widths, limit)
    const keptWidths = kept.map((i) => widths[i]!)
    const layout = kept.map((i) => columns[i]!)
    const fitting = limit === null ? keptWidths : fit(layout, keptWidths, limit)
    const cells = kept
    return shown.map((line) =>
      lineOf(
        layout,
        fitting,
        cells.map((i) => line[i] ?? ""),
        limit,
      ),
    )
  }
}

/** Replaces control characters, such as escape sequences and marks that change the writing direction. */
export const printable = (text: string): string => text.replaceAll(controls, "�")

/** Returns the number of terminal columns of a text. */
export const textWidth = CliOutput.displayWidth

/** Shortens a text to at most `width` columns, with an ellipsis. */
export const shorten = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text
  let left = width - 1
  let shortened = ""
  for (const { segment } of graphemes.segment(text)) {
    left -= textWidth(segment)
    if (left < 0) break
    shortened += segment
  }
  return width > 0 ? `${shortened}…` : ""
}

// internal

const gap = "  "

const leastOf = ({ least = 12 }: Column): number => least

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

/** Omits columns until the main one has 45 % of the line, or its full width. */
const keptColumns = (
  columns: ReadonlyArray<Column>,
  widths: ReadonlyArray<number>,
  width: number,
): ReadonlyArray<number> => {
  const all = columns.map((_, i) => i)
  const main = columns.findIndex((column) => column.main)
  if (main === -1) return all
  const enough = Math.min(widths[main]!, Math.floor(width * 0.45))
  const order = all.filter((i) => columns[i]!.omit !== undefined)
  order.sort((a, b) => columns[a]!.omit! - columns[b]!.omit!)
  let kept = all
  for (const omitted of order) {
    const others = kept.filter((i) => i !== main).map((i) => narrowed(columns[i]!, widths[i]!) + gap.length)
    if (width - sum(others) >= enough) break
    kept = kept.filter((i) => i !== omitted)
  }
  return kept
}

const narrowed = (column: Column, width: number): number =>
  column.flexible === true ? Math.min(width, leastOf(column)) : width

/** Narrows the widest flexible column until the line fits or none can shrink further; the main column comes last. */
const fit = (
  columns: ReadonlyArray<Column>,
  widths: ReadonlyArray<number>,
  width: number,
): ReadonlyArray<number> => {
  const excess = sum(widths) + gap.length * (widths.length - 1) - width
  const others = columns.map(({ flexible, main }) => flexible === true && main !== true)
  const [fitting, left] = cut(columns, widths, others, excess)
  const [fitted] = cut(
    columns,
    fitting,
    columns.map(({ main }) => main === true),
    left,
  )
  return fitted
}

/** Returns the widths after narrowing the chosen columns, widest first, and the excess that is left. */
const cut = (
  columns: ReadonlyArray<Column>,
  widths: ReadonlyArray<number>,
  isCut: ReadonlyArray<boolean>,
  excess: number,
): readonly [ReadonlyArray<number>, number] => {
  const fitting = [...widths]
  let left = excess
  while (left > 0) {
    const able = fitting.map((each, i) => (isCut[i] === true && each > leastOf(columns[i]!) ? each : 0))
    const widest = Math.max(...able)
    if (widest <= 0) break
    const chosen = able.indexOf(widest)
    const next = Math.max(leastOf(columns[chosen]!), ...able.filter((each) => each < widest))
    const taken = Math.min(left, widest - Math.min(next, widest - 1))
    fitting[chosen]! -= taken
    left -= taken
  }
  return [fitting, left]
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, each) => total + each, 0)

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
