/**
 * PostgreSQL's text format of arrays, for statements with one array parameter per column. Written by hand, because the
 * driver's serializer runs two regular expressions on every element.
 */

export const numbers = (values: ReadonlyArray<number | null>): string =>
  // `join` writes null as an empty string.
  list(values.includes(null) ? values.map(orNull) : (values as ReadonlyArray<number>))

/**
 * Removes duplicates. A statement that joins arrays also has a condition on the project ids, so that PostgreSQL reads
 * only the partitions of these projects.
 */
export const distinct = (values: ReadonlyArray<number>): string => numbers([...new Set(values)])

export const booleans = (values: ReadonlyArray<boolean>): string => list(values.map(boolean))

export const texts = (values: ReadonlyArray<string | null>): string => list(values.map(text))

// internal

// `join` creates a flat string. Concatenation would create a rope, which is flattened when it is sent.
const list = (values: ReadonlyArray<string | number>): string => `{${values.join(",")}}`

const orNull = (value: number | null): number | string => value ?? "NULL"

const boolean = (value: boolean): string => (value ? "t" : "f")

const text = (value: string | null): string =>
  value === null ? "NULL" : special.test(value) ? `"${value.replace(specials, "\\$&")}"` : `"${value}"`

const special = /["\\]/
const specials = /["\\]/g
