/** The text of a source: its lines for context and the functions in it. */
import { type Dialect, FunctionTable } from "./FunctionTable.js"

export interface Context {
  readonly pre_context: ReadonlyArray<string>
  readonly context_line: string
  readonly post_context: ReadonlyArray<string>
}

/** The results of a pass over a text. */
export interface TextTables {
  readonly lineStarts: Int32Array
  /** Null if the text cannot be read as a script. */
  readonly functions: FunctionTable | null
}

export const tablesOf = (text: string, dialects: ReadonlyArray<Dialect>): TextTables => ({
  lineStarts: lineStartsOf(text),
  functions: dialects.length === 0 ? null : FunctionTable.of(text, dialects),
})

export class SourceText {
  constructor(
    private readonly text: string,
    private readonly tables: TextTables,
  ) {}

  /** Size in bytes. */
  get memory(): number {
    const { functions, lineStarts } = this.tables
    return this.text.length * 2 + lineStarts.byteLength + (functions?.memory ?? 0)
  }

  /** Returns the line with five lines before and after, or null if it does not exist. Lines count from 0. */
  contextAt(line: number, column: number): Context | null {
    if (line >= this.tables.lineStarts.length) return null
    const before: Array<string> = []
    for (let i = Math.max(0, line - contextLines); i < line; i++) before.push(this.shown(i, 0))
    const after: Array<string> = []
    for (let i = line + 1; i <= line + contextLines && i < this.tables.lineStarts.length; i++)
      after.push(this.shown(i, 0))
    return { pre_context: before, context_line: this.shown(line, column), post_context: after }
  }

  /**
   * Returns the name of the function around a position. `<anonymous>` for functions without a name and outside of all. Null
   * if the text could not be read as a script.
   */
  functionAt(line: number, column: number): string | null {
    const { functions, lineStarts } = this.tables
    const start = lineStarts[line]
    return functions === null || start === undefined ? null : functions.find(start + column)
  }

  private shown(line: number, column: number): string {
    const end = this.tables.lineStarts[line + 1] ?? this.text.length
    return snippet(this.text, this.tables.lineStarts[line]!, end, column)
  }
}

// internal

const contextLines = 5

/** Maximum length of a line, in UTF-16 units. */
const maxShown = 256

const isLineEnd = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029

// All line terminators of JavaScript, as bundlers count lines.
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

/** Returns a line without its terminator. Shortens a long line to the part around the column. */
const snippet = (text: string, start: number, next: number, column: number): string => {
  let end = next
  while (end > start && isLineEnd(text.charCodeAt(end - 1))) end--
  if (end - start <= maxShown) return text.slice(start, end)
  const from = Math.max(start, Math.min(start + column - maxShown / 2, end - maxShown))
  const to = from + maxShown
  return `${from > start ? "{snip} " : ""}${text.slice(from, to)}${to < end ? " {snip}" : ""}`
}
