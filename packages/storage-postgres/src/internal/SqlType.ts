/**
 * How values are written into columns and read from them. A driver reads what the application that set it up has told it
 * to: an `int8` as a string, a number or a bigint, a `timestamptz` as a date or a string. All of these are understood
 * here, so that the connections can be anybody's.
 */
import { type EventId, Severity } from "@errata/core"
import { DateTime } from "effect"
import * as PgLiteral from "./PgLiteral.js"

// Methods, and not functions: types of different values can stand in one description.
export interface Readable<A> {
  /** The value of a column as a driver has read it. */
  read(value: unknown): A
}

export interface Writable<A> {
  /** The type of the parameter's elements. */
  readonly sql: string
  /** Values as the text of an array. */
  write(values: ReadonlyArray<A>): string
  /** The column's value, made from an element of the parameter. */
  readonly from?: (element: string) => string
}

export interface SqlType<A> extends Readable<A>, Writable<A> {}

/** Ids and counts. They are far below 2^53. */
export const int8 = <A extends number = number>(): SqlType<A> => integer("bigint")

export const int4 = <A extends number = number>(): SqlType<A> => integer("integer")

export const float8: SqlType<number> = {
  sql: "float8",
  write: PgLiteral.numbers,
  read: (value) => toNumber(value),
}

export const text = <A extends string = string>(): SqlType<A> => ({
  sql: "text",
  write: PgLiteral.texts,
  read: (value) => value as A,
})

export const boolean: SqlType<boolean> = {
  sql: "boolean",
  write: PgLiteral.booleans,
  read: (value) => value as boolean,
}

/** `timestamptz` as epoch milliseconds. */
export const millis: SqlType<number> = {
  sql: "float8",
  write: PgLiteral.numbers,
  from: (element) => `to_timestamp(${element} / 1000)`,
  read: toMillis,
}

/** `timestamptz`. */
export const time: SqlType<DateTime.Utc> = {
  ...millis,
  write: (times: ReadonlyArray<DateTime.Utc | null>) => PgLiteral.numbers(times.map(millisOf)),
  read: (value) => DateTime.makeUnsafe(toMillis(value)),
}

/** As a rank. */
export const severity: SqlType<Severity.Severity> = {
  sql: "smallint",
  write: (values) => PgLiteral.numbers(values.map(Severity.rank)),
  read: (value) => Severity.fromRank(toNumber(value)),
}

/** A `uuid`, which PostgreSQL writes with dashes. */
export const eventId: Readable<EventId> & Writable<string> = {
  sql: "uuid",
  write: PgLiteral.texts,
  read: (value) => (value as string).replaceAll("-", "") as EventId,
}

/** A `json` column. */
export const json = <A>(): SqlType<A> => ({
  sql: "json",
  write: (values) => PgLiteral.texts(values.map(toJson)),
  // Objects and arrays, never a string: that is a document nobody has parsed.
  read: (value) => (typeof value === "string" ? JSON.parse(value) : value) as A,
})

/** JSON in a column of text. */
export const jsonText = <A>(): Readable<A> => ({ read: (value) => JSON.parse(value as string) as A })

/** `uuid[]`, or null. */
export const uuids: Writable<ReadonlyArray<string> | null> = {
  sql: "text",
  write: (values) => PgLiteral.texts(values.map(listOf)),
  // A cast of the whole text would be a stable function: see Buckets.here.
  from: (element) => `string_to_array(${element}, ',')::uuid[]`,
}

export const tsvector: Writable<string> = { sql: "tsvector", write: PgLiteral.texts }

export const bytea: Readable<Uint8Array> = { read: (value) => value as Uint8Array }

/** `bigint[]` and `integer[]`. */
export const integers = <A extends number = number>(): Readable<ReadonlyArray<A>> => ({
  read: (value) => {
    if (typeof value === "string")
      return value === "{}" ? [] : (value.slice(1, -1).split(",").map(Number) as Array<A>)
    return (value as ReadonlyArray<unknown>).map(toNumber) as Array<A>
  },
})

/** `text[]` */
export const texts = <A extends string = string>(): Readable<ReadonlyArray<A>> => ({
  read: (value) => value as ReadonlyArray<A>,
})

export function nullable<A, B>(type: Readable<A> & Writable<B>): Readable<A | null> & Writable<B | null>
export function nullable<A>(type: Readable<A>): Readable<A | null>
export function nullable<A>(type: Readable<A>): Readable<A | null> {
  // Arrays are written with their nulls by each of the types that are nullable anywhere.
  return { ...type, read: (value) => (value === null ? null : type.read(value)) }
}

// internal

const integer = <A extends number>(sql: string): SqlType<A> => ({
  sql,
  write: PgLiteral.numbers,
  read: (value) => toNumber(value) as A,
})

const millisOf = (time: DateTime.Utc | null): number | null => (time === null ? null : time.epochMilliseconds)

const toJson = (value: unknown): string => JSON.stringify(value)

const listOf = (ids: ReadonlyArray<string> | null): string | null => (ids === null ? null : ids.join(","))

const toNumber = (value: unknown): number => (typeof value === "number" ? value : Number(value))

function toMillis(value: unknown): number {
  const millis =
    value instanceof Date
      ? value.getTime()
      : typeof value === "string"
        ? Date.parse(toIso(value))
        : Number.NaN
  if (Number.isNaN(millis)) {
    throw new TypeError(
      `A timestamptz cannot be read (${typeof value} ${value}). Set DateStyle of the database role to ISO, ` +
        "or let the type parser of the pool return a date or a string",
    )
  }
  return millis
}

/** From how PostgreSQL writes it: `2026-11-22 09:30:00.25+00`. */
const toIso = (text: string): string => text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")
