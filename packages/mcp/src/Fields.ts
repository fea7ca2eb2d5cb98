/**
 * Building blocks of arguments and results. Every client reads all of their JSON Schemas first, so they are short and
 * repeat nothing. They have no references, because some clients cannot follow those.
 */
import { Schema, Struct } from "effect"

/** A field with a description. */
export const described = <S extends Schema.Top>(description: string, schema: S): S["Rebuild"] =>
  schema.annotateKey({ description })

/** A field that can be absent. */
export const optional = <S extends Schema.Top>(schema: S, description?: string): Schema.optionalKey<S> => {
  const field = Schema.optionalKey(schema)
  return description === undefined ? field : described(description, field)
}

/** A schema with exactly this JSON Schema. */
const opaque = <A>(is: (value: unknown) => value is A, jsonSchema: object, message?: string) =>
  Schema.declare(is, { message, toCodecJson: () => undefined }).check(
    Schema.makeFilter(() => true, { toJsonSchema: () => ({ ...jsonSchema }) }),
  )

const plain = <A>(is: (value: unknown) => value is A, type: string, message: string, more: object = {}) =>
  opaque(is, { type, ...more }, message)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
const isId = (value: unknown): value is number => isInteger(value) && value > 0

export const Integer = plain(isInteger, "integer", "must be an integer")
export const Id = plain(isId, "integer", "must be a positive integer")
export const Text = plain((value): value is string => typeof value === "string", "string", "must be a string")
export const Flag = plain(
  (value): value is boolean => typeof value === "boolean",
  "boolean",
  "must be true or false",
)

/** A list of up to `most` ids. */
export const ids = (most: number) =>
  plain(
    (value): value is ReadonlyArray<number> =>
      Array.isArray(value) && value.length > 0 && value.length <= most && value.every(isId),
    "array",
    `must be a list of 1 to ${most} ids`,
    { items: { type: "integer" }, minItems: 1, maxItems: most },
  )

/** One of the given literals. */
export const oneOf = <const Words extends ReadonlyArray<string>>(...words: Words) =>
  plain(
    (value): value is Words[number] => words.includes(value as string),
    "string",
    `must be one of ${words.join(", ")}`,
    { enum: words },
  )

export const texts = Schema.Array(Text)

/** An object with arbitrary keys. */
export const AnyObject = plain(
  (value): value is { readonly [key: string]: unknown } =>
    typeof value === "object" && value !== null && !Array.isArray(value),
  "object",
  "must be an object",
)

/** An object in a result. It contains only the fields that have a value. */
export const shape = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).mapFields(Struct.map(Schema.optionalKey))

/** The JSON Schema without the marks of its draft. */
export const jsonSchemaOf = (schema: Schema.Top) => Schema.toJsonSchemaDocument(schema).schema

/** A schema whose JSON Schema refers to the tool that describes the same object. */
export const asIn = <S extends Schema.Top>(tool: string, schema: S) =>
  opaque(Schema.is(schema), { type: "object", description: `As in ${tool}` })

/** A schema whose JSON Schema has only the fields that it adds to those of another tool. */
export const extending = <S extends Schema.Top>(tool: string, schema: S, added: Schema.Struct.Fields) =>
  opaque(Schema.is(schema), { description: `As in ${tool}, and:`, ...jsonSchemaOf(shape(added)) })

/** Values by field, null for a field without one. */
type Given<A> = { readonly [K in keyof A]-?: Exclude<A[K], undefined> | null }

/** Removes the fields that have no value: null, and empty strings, lists and objects. */
export const present = <A extends object>(fields: Given<A>): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as A

/** The arguments of tools that list. */
export const pageFields = {
  limit: optional(plain(isId, "integer", "must be a positive integer", { default: 10, maximum: 100 })),
  cursor: optional(Id, "next_cursor of the last page"),
}

// internal

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (typeof value === "object" && (Array.isArray(value) ? value : Object.keys(value)).length === 0)
