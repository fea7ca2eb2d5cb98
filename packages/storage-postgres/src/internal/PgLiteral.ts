/**
 * PostgreSQL's text form of arrays, for statements that take whole batches as one parameter a column. Made by hand
 * because the driver's own serialiser escapes every element with two regular expressions, needed or not.
 */

export const numbers = (values: ReadonlyArray<number | null>): string =>
  // `join` writes null as nothing.
  list(values.includes(null) ? values.map((value) => value ?? "NULL") : (values as ReadonlyArray<number>))

export const booleans = (values: ReadonlyArray<boolean>): string =>
  list(values.map((value) => (value ? "t" : "f")))

export const texts = (values: ReadonlyArray<string | null>): string => list(values.map(text))

/** Byte strings laid end to end, with where each begins and how long it is: one binary parameter instead of many. */
export interface Blob {
  readonly bytes: Uint8Array
  /** From 1, as `substring` counts. */
  readonly offsets: string
  readonly lengths: string
}

export const blob = (values: ReadonlyArray<Uint8Array>): Blob => {
  const offsets: Array<number> = []
  let end = 0
  for (const value of values) {
    offsets.push(end + 1)
    end += value.byteLength
  }
  return {
    bytes: areAdjacent(values)
      ? new Uint8Array(values[0]!.buffer, values[0]!.byteOffset, end)
      : Buffer.concat(values, end),
    offsets: numbers(offsets),
    lengths: numbers(values.map((value) => value.byteLength)),
  }
}

// internal

/** Whether the byte strings are one piece of memory already. */
const areAdjacent = (values: ReadonlyArray<Uint8Array>): boolean => {
  const [first] = values
  if (first === undefined) return false
  let end = first.byteOffset
  for (const value of values) {
    if (value.buffer !== first.buffer || value.byteOffset !== end) return false
    end += value.byteLength
  }
  return true
}

// `join` makes one flat string; adding piece to piece would make a rope that is flattened when it is sent.
const list = (values: ReadonlyArray<string | number>): string => `{${values.join(",")}}`

const text = (value: string | null): string =>
  value === null ? "NULL" : special.test(value) ? `"${value.replace(specials, "\\$&")}"` : `"${value}"`

const special = /["\\]/
const specials = /["\\]/g
