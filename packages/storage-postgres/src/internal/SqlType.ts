/**
 * Encodes and decodes column values. The application may configure the driver's type parsers: an `int8` is a string,
 * number or bigint, a `timestamptz` a date or string. All of these are accepted, so any connection works.
 */
import { type EventId, Severity } from "@errata/core"
import { DateTime } from "effect"
import * as PgLiteral from "./PgLiteral.js"

// Methods instead of function properties, so that types of different values fit one description.
export interface Readable<A> {
  /** Decodes a column value of the driver. */
  read(value: unknown): A
}

export interface Writable<A> {
  /** SQL type of the parameter's elements. */
  readonly sql: string
  /** Encodes values as the text of an array. */
  write(values: ReadonlyArray<A>): string
  /** Returns the expression that converts an element to the column's value. */
  readonly from?: (element: string) => string
}

export interface SqlType<A> extends Readable<A>, Writable<A> {}

/** Ids and counts, which stay far below 2^53. */
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

/** A `timestamptz` as epoch milliseconds. */
export const millis: SqlType<number> = {
  sql: "float8",
  write: PgLiteral.numbers,
  from: (element) => `to_timestamp(${element} / 1000)`,
  read: toMillis,
}

/** A `timestamptz` as `DateTime.Utc`. */
export const time: SqlType<DateTime.Utc> = {
  ...millis,
  write: (times: ReadonlyArray<DateTime.Utc | null>) => PgLiteral.numbers(times.map(millisOf)),
  read: (value) => DateTime.makeUnsafe(toMillis(value)),
}

/** Stored as a rank. */
export const severity: SqlType<Severity.Severity> = {
  sql: "smallint",
  write: (values) => PgLiteral.numbers(values.map(Severity.rank)),
  read: (value) => Severity.fromRank(toNumber(value)),
}

/** A `uuid`. PostgreSQL returns it with dashes. */
export const eventId: Readable<EventId> & Writable<string> = {
  sql: "uuid",
  write: PgLiteral.texts,
  read: (value) => (value as string).replaceAll("-", "") as EventId,
}

/** A `json` column. */
export const json = <A>(): SqlType<A> => ({
  sql: "json",
  write: (values) => PgLiteral.texts(values.map(toJson)),
  // Values are objects and arrays. A string is therefore unparsed JSON.
  read: (value) => (typeof value === "string" ? JSON.parse(value) : value) as A,
})

/** A `uuid[]`, or null. */
export const uuids: Writable<ReadonlyArray<string> | null> = {
  sql: "text",
  write: (values) => PgLiteral.texts(values.map(listOf)),
  // A cast of the whole text would be a stable function: see Buckets.here.
  from: (element) => `string_to_array(${element}, ',')::uuid[]`,
}

export const tsvector: Writable<string> = { sql: "tsvector", write: PgLiteral.texts }

export const bytea: Readable<Uint8Array> = { read: (value) => value as Uint8Array }

/** A `bigint[]` or `integer[]`. */
export const integers = <A extends number = number>(): Readable<ReadonlyArray<A>> => ({
  read: (value) => {
    if (typeof value === "string")
      return value === "{}" ? [] : (value.slice(1, -1).split(",").map(Number) as Array<A>)
    return (value as ReadonlyArray<unknown>).map(toNumber) as Array<A>
  },
})

/** A `text[]`. */
export const texts = <A extends string = string>(): Readable<ReadonlyArray<A>> => ({
  read: (value) => value as ReadonlyArray<A>,
})

export function nullable<A, B>(type: Readable<A> & Writable<B>): Readable<A | null> & Writable<B | null>
export function nullable<A>(type: Readable<A>): Readable<A | null>
export function nullable<A>(type: Readable<A>): Readable<A | null> {
  // All types that are used as nullable can encode nulls.
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

/** Converts PostgreSQL's format: `2026-11-22 09:30:00.25+00`. */
const toIso = (text: string): string => text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")
