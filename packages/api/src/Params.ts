/** The parameters of paths and queries. What is wrong in a path does not exist; what is wrong in a query is invalid. */

import { HttpApiSchema } from "@effect/platform"
import { Page, parseDateBound } from "@errata/core"
import { ParseResult, Schema } from "effect"

/** An id in a path: a positive integer without sign or leading zeros. */
const Id = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^[1-9]\d{0,14}$/)),
  Schema.Int.pipe(Schema.positive()),
  { strict: true, decode: Number, encode: String },
).annotations({ jsonSchema: { type: "integer", minimum: 1 } })

export const projectIdParam = HttpApiSchema.param("project_id", Id)
export const groupIdParam = HttpApiSchema.param("group_id", Id)
export const reportIdParam = HttpApiSchema.param("report_id", Id)

/** 32 hexadecimal characters in any case, with or without dashes. */
export const eventIdParam = HttpApiSchema.param("event_id", Schema.String)

const notPositiveInteger = "must be a positive integer"

const positiveIntegerUpTo = (max: number) =>
  // What is given twice is no string.
  Schema.transformOrFail(Schema.String.annotations({ message: () => notPositiveInteger }), Schema.Int, {
    strict: true,
    decode: (text, _, ast) =>
      /^\d+$/.test(text) && /[1-9]/.test(text)
        ? ParseResult.succeed(Math.min(Number(text), max))
        : ParseResult.fail(new ParseResult.Type(ast, text, notPositiveInteger)),
    encode: (value) => ParseResult.succeed(String(value)),
  }).annotations({ jsonSchema: { type: "integer", minimum: 1 } })

/** A key that may be left out; where it is there it must hold. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The parameters of every list: 25 items unless told, 100 at most. */
export const pageParams = {
  limit: optional(positiveIntegerUpTo(Page.maxPageSize)),
  cursor: optional(positiveIntegerUpTo(Number.MAX_SAFE_INTEGER)),
}

/** A date or an ISO 8601 timestamp. */
export const DateParam = Schema.String.pipe(
  Schema.filter((text) => parseDateBound(text, "start") !== null, {
    message: () => ({ message: "must be a date or an ISO 8601 timestamp", override: true }),
    jsonSchema: { description: "A date or an ISO 8601 timestamp" },
  }),
)

/** Text that a storage can keep and compare: no NUL, no half of a surrogate pair. */
export const Text = Schema.String.annotations({ message: () => "must be a string" }).pipe(
  Schema.filter((text) => !unstorable.test(text), {
    message: () => "contains characters that cannot be stored",
    jsonSchema: {},
  }),
)

// internal

const unstorable = /[\0\p{Surrogate}]/u
