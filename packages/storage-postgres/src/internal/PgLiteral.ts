/**
 * PostgreSQL's text form of arrays, for statements that take whole batches as one parameter a column. Made by hand
 * because the driver's own serialiser escapes every element with two regular expressions, needed or not.
 */

export const numbers = (values: ReadonlyArray<number | null>): string =>
  // `join` writes null as nothing.
  list(values.includes(null) ? values.map(orNull) : (values as ReadonlyArray<number>))

/**
 * Each number once. Statements that join arrays name their projects besides, so that tables in parts by project are read
 * in those parts alone, however they are joined.
 */
export const distinct = (values: ReadonlyArray<number>): string => numbers([...new Set(values)])

export const booleans = (values: ReadonlyArray<boolean>): string => list(values.map(boolean))

export const texts = (values: ReadonlyArray<string | null>): string => list(values.map(text))

// internal

// `join` makes one flat string; adding piece to piece would make a rope that is flattened when it is sent.
const list = (values: ReadonlyArray<string | number>): string => `{${values.join(",")}}`

const orNull = (value: number | null): number | string => value ?? "NULL"

const boolean = (value: boolean): string => (value ? "t" : "f")

const text = (value: string | null): string =>
  value === null ? "NULL" : special.test(value) ? `"${value.replace(specials, "\\$&")}"` : `"${value}"`

const special = /["\\]/
const specials = /["\\]/g
