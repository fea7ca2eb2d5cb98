export interface EncodedFunctions {
  readonly mappings: string
  /** Null for values that are not strings. */
  readonly names: ReadonlyArray<string | null>
}

/** Reads an entry of `x_facebook_sources`. The entry may be any value, of any size, so nothing else of it is kept. */
export const encodedFunctions = (entry: unknown): EncodedFunctions | null => {
  const first: unknown = Array.isArray(entry) ? entry[0] : null
  if (typeof first !== "object" || first === null) return null
  const { mappings, names } = first as { readonly mappings?: unknown; readonly names?: unknown }
  if (typeof mappings !== "string" || !Array.isArray(names)) return null
  return { mappings, names: names.map((name: unknown) => (typeof name === "string" ? name : null)) }
}

/**
 * Names of functions for a source, from Metro (`x_facebook_sources`). A name applies from its position in the source to the
 * next one.
 */
export class FunctionMap {
  private constructor(
    private readonly lines: Int32Array,
    private readonly columns: Int32Array,
    private readonly names: ReadonlyArray<string>,
  ) {}

  /** Restores the methods of an object from another thread. */
  static revived(map: FunctionMap): FunctionMap {
    return Object.setPrototypeOf(map, FunctionMap.prototype)
  }

  /** Approximate number of characters that names and positions take in memory, once decoded. */
  static lengthOf({ mappings, names }: EncodedFunctions): number {
    let length = mappings.length * 5 + names.length * charactersPerName
    for (const name of names) if (typeof name === "string") length += name.length
    return length
  }

  /** Returns null if the entry cannot be decoded. */
  static from({ mappings, names }: EncodedFunctions): FunctionMap | null {
    if (mappings.length > maxLength) return null
    const lines: Array<number> = []
    const columns: Array<number> = []
    const found: Array<string> = []
    let line = 1
    let name = 0
    for (const group of mappings.split(";")) {
      let column = 0
      for (const segment of group.split(",")) {
        if (segment === "") continue
        const deltas = decodeVlq(segment)
        if (deltas === null || deltas.length < 2 || deltas.length > 3) return null
        column += deltas[0]!
        name += deltas[1]!
        line += deltas[2] ?? 0
        const text = names[name]
        const last = lines.length - 1
        // The binary search needs ascending positions.
        if (typeof text !== "string" || line < 1 || column < 0) return null
        if (last >= 0 && (line < lines[last]! || (line === lines[last] && column < columns[last]!)))
          return null
        lines.push(line)
        columns.push(column)
        found.push(text)
      }
    }
    return new FunctionMap(Int32Array.from(lines), Int32Array.from(columns), found)
  }

  /** Returns the name of the function at a position, or null before the first. Lines and columns count from 0. */
  find(line: number, column: number): string | null {
    const { columns, lines } = this
    let low = 0
    let high = lines.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const isAfter = lines[middle]! > line + 1 || (lines[middle] === line + 1 && columns[middle]! > column)
      if (isAfter) high = middle
      else low = middle + 1
    }
    return low === 0 ? null : this.names[low - 1]!
  }
}

// internal

/** Limit for the mappings of one source. A position takes at least three characters. */
const maxLength = 2 * 1024 * 1024

/** The overhead of a name, in characters. */
const charactersPerName = 32

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** Decodes the numbers of a segment; null if it is invalid. */
const decodeVlq = (segment: string): ReadonlyArray<number> | null => {
  const numbers: Array<number> = []
  let value = 0
  let shift = 0
  for (const character of segment) {
    const digit = alphabet.indexOf(character)
    if (digit === -1 || shift > 30) return null
    value += (digit & 31) * 2 ** shift
    if ((digit & 32) !== 0) {
      shift += 5
      continue
    }
    numbers.push(value % 2 === 1 ? -((value - 1) / 2) : value / 2)
    value = 0
    shift = 0
  }
  return shift === 0 ? numbers : null
}
