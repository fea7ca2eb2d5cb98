/** The text of a source: its lines, as reports show them around a position, and the functions in it. */
import { type Dialect, FunctionTable } from "./FunctionTable.js"

export interface Context {
  readonly pre_context: ReadonlyArray<string>
  readonly context_line: string
  readonly post_context: ReadonlyArray<string>
}

export class SourceText {
  private readonly lineStarts: Int32Array
  private functionTable: FunctionTable | null | undefined

  constructor(private readonly text: string) {
    this.lineStarts = lineStartsOf(text)
  }

  /** Bytes, with those of the functions that may come to be known. */
  get memory(): number {
    return this.text.length * 2 + this.lineStarts.byteLength
  }

  /** Five lines before and after, and the line; null where the text has no such line. Lines count from 0. */
  contextAt(line: number, column: number): Context | null {
    if (line >= this.lineStarts.length) return null
    const before: Array<string> = []
    for (let i = Math.max(0, line - contextLines); i < line; i++) before.push(this.shown(i, 0))
    const after: Array<string> = []
    for (let i = line + 1; i <= line + contextLines && i < this.lineStarts.length; i++)
      after.push(this.shown(i, 0))
    return { pre_context: before, context_line: this.shown(line, column), post_context: after }
  }

  /**
   * The name of the function that a position is in, `<anonymous>` of one without a name and outside of all; null where
   * the text could not be read as a script. The first question costs a pass over the text.
   */
  functionAt(line: number, column: number, dialects: ReadonlyArray<Dialect>): string | null {
    if (this.functionTable === undefined) this.functionTable = FunctionTable.of(this.text, dialects)
    const start = this.lineStarts[line]
    return this.functionTable === null || start === undefined ? null : this.functionTable.find(start + column)
  }

  private shown(line: number, column: number): string {
    const end = this.lineStarts[line + 1] ?? this.text.length
    return snippet(this.text, this.lineStarts[line]!, end, column)
  }
}

// internal

const contextLines = 5

/** UTF-16 units. */
const maxShown = 256

const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029

// All that ends lines of JavaScript: so bundlers count them.
export const lineStartsOf = (text: string): Int32Array => {
  const starts = [0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 13 && code < 0x2028) continue
    if (!isLineEnd(code)) continue
    if (code === 13 && text.charCodeAt(i + 1) === 10) i++
    starts.push(i + 1)
  }
  return Int32Array.from(starts)
}

/** A line without its end; of a long one the part around the column. */
const snippet = (text: string, start: number, next: number, column: number): string => {
  let end = next
  while (end > start && isLineEnd(text.charCodeAt(end - 1))) end--
  if (end - start <= maxShown) return text.slice(start, end)
  const from = Math.max(start, Math.min(start + column - maxShown / 2, end - maxShown))
  const to = from + maxShown
  return `${from > start ? "{snip} " : ""}${text.slice(from, to)}${to < end ? " {snip}" : ""}`
}
