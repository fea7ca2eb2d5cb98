/**
 * What arguments and results are made of. Their JSON schemas are flat and plain, without references: not every client can
 * follow those.
 */
import { Schema } from "effect"

/** A field with its description; one that may be left out with `optional`. */
export const described = <A, I>(description: string, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).annotations({ description })

export const optional = <A, I>(description: string, schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

const plain = <A>(is: (value: unknown) => value is A, type: string, message: string, more: object = {}) =>
  Schema.declare(is, { jsonSchema: { type, ...more }, message: () => ({ message, override: true }) })

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
const isId = (value: unknown): value is number => isInteger(value) && value > 0

export const Integer = plain(isInteger, "integer", "must be an integer")
export const Id = plain(isId, "integer", "must be a positive integer", { minimum: 1 })
export const Text = plain((value): value is string => typeof value === "string", "string", "must be a string")
export const Flag = plain(
  (value): value is boolean => typeof value === "boolean",
  "boolean",
  "must be true or false",
)

/** Ids of up to `most` things. */
export const ids = (most: number) =>
  plain(
    (value): value is ReadonlyArray<number> =>
      Array.isArray(value) && value.length > 0 && value.length <= most && value.every(isId),
    "array",
    `must be a list of 1 to ${most} ids`,
    { items: { type: "integer", minimum: 1 }, minItems: 1, maxItems: most },
  )

/** One of some words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(...words: Words) =>
  plain(
    (value): value is Words[number] => words.includes(value as string),
    "string",
    `must be one of ${words.join(", ")}`,
    { enum: words },
  )

/** In results: null where there is none. */
export const orNull = <A extends string | number | boolean>(schema: Schema.Schema<A>, type: string) =>
  plain(
    (value): value is A | null => value === null || Schema.is(schema)(value),
    "",
    `must be ${type} or null`,
    { type: [type, "null"] },
  )

export const NullableText = orNull(Text, "string")
export const NullableInteger = orNull(Integer, "integer")
export const NullableFlag = orNull(Flag, "boolean")

export const texts = Schema.Array(Text)

/** An object of whatever keys. */
export const AnyObject = plain(
  (value): value is { readonly [key: string]: unknown } =>
    typeof value === "object" && value !== null && !Array.isArray(value),
  "object",
  "must be an object",
)

/** The arguments of tools that list. */
export const pageFields = {
  limit: optional("How many at most: 10 unless told, up to 100", Id),
  cursor: optional("The next_cursor of the page before", Id),
}
