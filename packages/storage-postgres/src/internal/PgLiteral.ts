/**
 * PostgreSQL's text form of arrays, for statements that take whole batches as one parameter a column. Made by hand
 * because the driver's own serialiser escapes every element with two regular expressions, needed or not.
 */

export const numbers = (values: ReadonlyArray<number | null>): string => {
  let out = "{"
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out += ","
    out += values[i] === null ? "NULL" : values[i]
  }
  return `${out}}`
}

export const booleans = (values: ReadonlyArray<boolean>): string => {
  let out = "{"
  for (let i = 0; i < values.length; i++) out += i > 0 ? (values[i] ? ",t" : ",f") : values[i] ? "t" : "f"
  return `${out}}`
}

export const texts = (values: ReadonlyArray<string | null>): string => {
  let out = "{"
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out += ","
    const value = values[i]!
    out +=
      value === null ? "NULL" : special.test(value) ? `"${value.replace(specials, "\\$&")}"` : `"${value}"`
  }
  return `${out}}`
}

/** Byte strings laid end to end, with where each begins and how long it is: one binary parameter instead of many. */
export interface Blob {
  readonly bytes: Uint8Array
  /** From 1, as `substring` counts. */
  readonly offsets: string
  readonly lengths: string
}

export const blobOfTexts = (values: ReadonlyArray<string>): Blob => {
  let capacity = 0
  // A UTF-16 unit is three bytes at most.
  for (const value of values) capacity += value.length * 3
  const bytes = Buffer.allocUnsafe(capacity)
  const offsets: Array<number> = []
  const lengths: Array<number> = []
  let end = 0
  for (const value of values) {
    const length = bytes.write(value, end, "utf8")
    offsets.push(end + 1)
    lengths.push(length)
    end += length
  }
  return { bytes: bytes.subarray(0, end), offsets: numbers(offsets), lengths: numbers(lengths) }
}

// internal

const special = /["\\]/
const specials = /["\\]/g
