/**
 * The mappings of a source map (ECMA-426) in typed arrays, 20 bytes per mapping. A lookup takes two binary searches.
 * Lines and columns count from 0; columns are UTF-16 units.
 */

/** The original position of a generated one. */
export interface OriginalPosition {
  readonly source: number
  readonly line: number
  readonly column: number
  /** Index into the names, or -1. */
  readonly name: number
}

/** The reason why mappings cannot be decoded. */
export type MappingsFault = "malformed" | "too_many"

/** The mappings of a map, or of a section of an index map, with their offsets. */
export interface MappingsPart {
  readonly text: string
  /** Start of the generated code. The column only applies to the first line. */
  readonly line: number
  readonly column: number
  /** Start of the next section, which ends this one. */
  readonly end: { readonly line: number; readonly column: number } | null
  /** Index of the first source and name, and their counts. */
  readonly firstSource: number
  readonly sources: number
  readonly firstName: number
  readonly names: number
}

export class Mappings {
  private constructor(
    /** Generated lines that have mappings, in ascending order. */
    private readonly lines: Int32Array,
    /** Index of the first mapping of each line, plus one entry for the end. */
    private readonly starts: Int32Array,
    private readonly columns: Int32Array,
    /** -1 if the code has no source. */
    private readonly sources: Int32Array,
    private readonly originalLines: Int32Array,
    private readonly originalColumns: Int32Array,
    private readonly names: Int32Array,
  ) {}

  /** Decodes parts in the order of their positions and validates every number. */
  static decode(parts: ReadonlyArray<MappingsPart>): Mappings | MappingsFault {
    const table = new Table(parts.reduce((sum, { text }) => sum + text.length, 0))
    for (const part of parts) {
      const fault = decodePart(part, table)
      if (fault !== null) return fault
    }
    table.endLine()
    const { count } = table
    table.starts.push(count)
    return new Mappings(
      Int32Array.from(table.lines),
      Int32Array.from(table.starts),
      table.columns.slice(0, count),
      table.sources.slice(0, count),
      table.originalLines.slice(0, count),
      table.originalColumns.slice(0, count),
      table.names.slice(0, count),
    )
  }

  /** Restores the methods of an object from another thread. */
  static revived(mappings: Mappings): Mappings {
    return Object.setPrototypeOf(mappings, Mappings.prototype)
  }

  /** The buffers of all tables. */
  get buffers(): ReadonlyArray<ArrayBuffer> {
    const { columns, lines, names, originalColumns, originalLines, sources, starts } = this
    return [lines, starts, columns, sources, originalLines, originalColumns, names].map(
      ({ buffer }) => buffer as ArrayBuffer,
    )
  }

  /** Size in bytes. */
  get memory(): number {
    return (this.lines.length + this.starts.length + 5 * this.columns.length) * 4
  }

  get size(): number {
    return this.columns.length
  }

  /** Finds the last mapping of the line at or before the column. Null if there is none, or if it has no source. */
  find(line: number, column: number): OriginalPosition | null {
    const { columns, lines, names, originalColumns, originalLines, sources, starts } = this
    const at = lastNotAfter(lines, 0, lines.length, line)
    if (at === -1 || lines[at] !== line) return null
    const start = starts[at]!
    const last = lastNotAfter(columns, start, starts[at + 1]!, column)
    if (last === -1) return null
    // As in other readers: the first of several mappings at exactly this column, the last of several before it.
    const before = columns[last] === column ? lastNotAfter(columns, start, last, column - 1) : null
    const found = before === null ? last : before === -1 ? start : before + 1
    const source = sources[found]!
    return source === -1
      ? null
      : { source, line: originalLines[found]!, column: originalColumns[found]!, name: names[found]! }
  }

  /** Returns the index of the name that starts exactly here, or -1. */
  nameAt(line: number, column: number): number {
    const { columns, lines, names, starts } = this
    const at = lastNotAfter(lines, 0, lines.length, line)
    if (at === -1 || lines[at] !== line) return -1
    const start = starts[at]!
    for (
      let i = lastNotAfter(columns, start, starts[at + 1]!, column);
      i >= start && columns[i] === column;
      i--
    ) {
      if (names[i] !== -1) return names[i]!
    }
    return -1
  }
}

// internal

/** A map of 64 MiB has about three million. */
const maxMappings = 5_000_000

const lastNotAfter = (values: Int32Array, from: number, to: number, wanted: number): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! <= wanted) low = middle + 1
    else high = middle
  }
  return low === from ? -1 : low - 1
}

/** Builds the tables during decoding. */
class Table {
  count = 0
  readonly lines: Array<number> = []
  readonly starts: Array<number> = []
  columns: Int32Array
  sources: Int32Array
  originalLines: Int32Array
  originalColumns: Int32Array
  names: Int32Array
  private unsorted = false

  constructor(length: number) {
    // Real maps have a mapping for every five to seven characters.
    const capacity = Math.min(Math.ceil(length / 5) + 16, maxMappings)
    this.columns = new Int32Array(capacity)
    this.sources = new Int32Array(capacity)
    this.originalLines = new Int32Array(capacity)
    this.originalColumns = new Int32Array(capacity)
    this.names = new Int32Array(capacity)
  }

  add(
    line: number,
    column: number,
    source: number,
    originalLine: number,
    originalColumn: number,
    name: number,
  ): void {
    const { count } = this
    if (this.lines.length === 0 || this.lines[this.lines.length - 1] !== line) {
      this.endLine()
      this.lines.push(line)
      this.starts.push(count)
    } else if (column < this.columns[count - 1]!) {
      this.unsorted = true
    }
    if (count === this.columns.length) this.grow()
    this.columns[count] = column
    this.sources[count] = source
    this.originalLines[count] = originalLine
    this.originalColumns[count] = originalColumn
    this.names[count] = name
    this.count = count + 1
  }

  /** Sorts a line whose columns do not ascend, which is rare but valid. */
  endLine(): void {
    if (!this.unsorted) return
    this.unsorted = false
    const start = this.starts[this.starts.length - 1]!
    const { columns } = this
    // Packs column and index into 64-bit numbers, which sort in place without a comparator.
    const order = new Uint32Array(2 * (this.count - start))
    for (let i = 0; i < order.length; i += 2) {
      order[i + lowHalf] = start + i / 2
      order[i + 1 - lowHalf] = columns[start + i / 2]!
    }
    new BigUint64Array(order.buffer).sort()
    const unsorted = new Int32Array(this.count - start)
    for (const values of [columns, this.sources, this.originalLines, this.originalColumns, this.names]) {
      unsorted.set(values.subarray(start, this.count))
      for (let i = 0; i < unsorted.length; i++) values[start + i] = unsorted[order[2 * i + lowHalf]! - start]!
    }
  }

  private grow(): void {
    const larger = (values: Int32Array): Int32Array => {
      const copy = new Int32Array(Math.min(values.length * 2, maxMappings))
      copy.set(values)
      return copy
    }
    this.columns = larger(this.columns)
    this.sources = larger(this.sources)
    this.originalLines = larger(this.originalLines)
    this.originalColumns = larger(this.originalColumns)
    this.names = larger(this.names)
  }
}

/** Index of the lower half of a 64-bit number, by endianness. */
const lowHalf = new Uint32Array(BigUint64Array.of(1n).buffer)[0] === 1 ? 0 : 1

const comma = 44
const semicolon = 59

/** The six bits of each Base64 character; -1 for others. */
const digits = new Int8Array(128).fill(-1)
for (let i = 0; i < 64; i++) {
  digits["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i)] = i
}

const isIndex = (value: number): boolean => value >= 0 && value <= 0x7fffffff

// One loop without calls: a map has hundreds of thousands of numbers, and decoding them dominates its cost.
const decodePart = (part: MappingsPart, table: Table): MappingsFault | null => {
  const { end, text } = part
  const length = text.length
  const fields = [0, 0, 0, 0, 0]
  let line = part.line
  let columnOffset = part.column
  let i = 0
  while (i < length) {
    const code = text.charCodeAt(i)
    if (code === semicolon) {
      line++
      columnOffset = 0
      fields[0] = 0
      i++
      continue
    }
    if (code === comma) {
      i++
      continue
    }
    let count = 0
    while (i < length) {
      let digit = text.charCodeAt(i)
      if (digit === comma || digit === semicolon) break
      let value = 0
      let shift = 0
      for (;;) {
        digit = digit < 128 ? digits[digit]! : -1
        // Seven digits exceed 32 bits, which is invalid in a map.
        if (digit === -1 || shift > 30) return "malformed"
        value += (digit & 31) * 2 ** shift
        shift += 5
        i++
        if ((digit & 32) === 0) break
        if (i === length) return "malformed"
        digit = text.charCodeAt(i)
      }
      if (count === 5) return "malformed"
      fields[count] = fields[count]! + (value % 2 === 1 ? -((value - 1) / 2) : value / 2)
      count++
    }
    if (count !== 1 && count !== 4 && count !== 5) return "malformed"
    const column = fields[0]! + columnOffset
    if (
      !isIndex(column) ||
      (end !== null && (line > end.line || (line === end.line && column >= end.column)))
    ) {
      continue
    }
    if (table.count === maxMappings) return "too_many"
    const source = fields[1]!
    if (count === 1 || source < 0 || source >= part.sources || !isIndex(fields[2]!) || !isIndex(fields[3]!)) {
      table.add(line, column, -1, 0, 0, -1)
      continue
    }
    const name = fields[4]!
    const isNamed = count === 5 && name >= 0 && name < part.names
    table.add(
      line,
      column,
      part.firstSource + source,
      fields[2]!,
      fields[3]!,
      isNamed ? part.firstName + name : -1,
    )
  }
  return null
}
