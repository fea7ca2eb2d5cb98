/**
 * Encodes and decodes column values. The application may configure the driver's type parsers: an `int8` is a string,
 * number or bigint, a `timestamptz` a date or string. All of these are accepted, so any connection works.
 */
import { type EventId, Severity } from "@errata/core"
import { DateTime } from "effect"

// Methods instead of function properties, so that types of different values fit one description.
export interface Readable<A> {
  /** Decodes a column value of the driver. */
  read(value: unknown): A
}

export interface Writable<A> {
  /** SQL type of the parameter's elements. */
  readonly sql: string
  /** Encodes a value as an element of the parameter. Default: the value itself. */
  encode?(value: A): unknown
  /** Returns the expression that converts an element to the column's value. */
  readonly from?: (element: string) => string
}

export interface SqlType<A> extends Readable<A>, Writable<A> {}

/** Ids and counts, which stay far below 2^53. */
export const int8 = <A extends number = number>(): SqlType<A> => integer("bigint")

export const int4 = <A extends number = number>(): SqlType<A> => integer("integer")

export const float8: SqlType<number> = {
  sql: "float8",
  read: (value) => toNumber(value),
}

export const text = <A extends string = string>(): SqlType<A> => ({
  sql: "text",
  read: (value) => value as A,
})

export const boolean: SqlType<boolean> = {
  sql: "boolean",
  read: (value) => value as boolean,
}

/** A `timestamptz` as epoch milliseconds. */
export const millis: SqlType<number> = {
  sql: "float8",
  from: (element) => `to_timestamp(${element} / 1000)`,
  read: toMillis,
}

/** A `timestamptz` as `DateTime.Utc`. */
export const time: SqlType<DateTime.Utc> = {
  ...millis,
  encode: ({ epochMilliseconds }: DateTime.Utc) => epochMilliseconds,
  read: (value) => DateTime.makeUnsafe(toMillis(value)),
}

/** Stored as a rank. */
export const severity: SqlType<Severity.Severity> = {
  sql: "smallint",
  encode: Severity.rank,
  read: (value) => Severity.fromRank(toNumber(value)),
}

/** A `uuid`. PostgreSQL returns it with dashes. */
export const eventId: Readable<EventId> & Writable<string> = {
  sql: "uuid",
  read: (value) => (value as string).replaceAll("-", "") as EventId,
}

/** A `json` column. */
export const json = <A>(): SqlType<A> => ({
  sql: "json",
  encode: toJson,
  // Values are objects and arrays. A string is therefore unparsed JSON.
  read: (value) => (typeof value === "string" ? JSON.parse(value) : value) as A,
})

/** A `uuid[]`, or null. */
export const uuids: Writable<ReadonlyArray<string> | null> = {
  sql: "text",
  encode: (ids) => (ids === null ? null : ids.join(",")),
  // A cast of the whole text would be a stable function: see Buckets.here.
  from: (element) => `string_to_array(${element}, ',')::uuid[]`,
}

export const tsvector: Writable<string> = { sql: "tsvector" }

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
export function nullable<A>(type: Readable<A> & Partial<Writable<A>>): Readable<A | null> {
  const { encode } = type
  return {
    ...type,
    ...(encode === undefined ? {} : { encode: (value: A | null) => (value === null ? null : encode(value)) }),
    read: (value) => (value === null ? null : type.read(value)),
  }
}

// internal

const integer = <A extends number>(sql: string): SqlType<A> => ({
  sql,
  read: (value) => toNumber(value) as A,
})

const toJson = (value: unknown): string => JSON.stringify(value)

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
