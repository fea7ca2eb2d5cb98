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

export const blob = (values: ReadonlyArray<Uint8Array>): Blob => {
  const offsets: Array<number> = []
  let end = 0
  for (const value of values) {
    offsets.push(end + 1)
    end += value.byteLength
  }
  return {
    bytes: Buffer.concat(values, end),
    offsets: numbers(offsets),
    lengths: numbers(values.map((value) => value.byteLength)),
  }
}

// internal

const special = /["\\]/
const specials = /["\\]/g
