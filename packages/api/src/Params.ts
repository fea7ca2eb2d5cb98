/** The parameters of paths and queries. What is wrong in a path does not exist; what is wrong in a query is invalid. */

import { HttpApiSchema } from "effect/http-api"
import { notTimeBound, parseTimeBound } from "@errata/core/search"
import { Page } from "@errata/core/storage"
import { StorableText } from "@errata/core/validation"
import { ParseResult, Schema, type SchemaAST } from "effect"

/** An id in a path: a positive integer without sign or leading zeros. */
const Id = Schema.transform(
  Schema.String.pipe(Schema.check(Schema.isPattern(/^[1-9]\d{0,14}$/))),
  Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))),
  { strict: true, decode: Number, encode: String },
).annotations({ jsonSchema: { type: "integer", minimum: 1 } })

const idParam = <Name extends string>(name: Name, description: string) =>
  HttpApiSchema.param(
    name,
    Id.annotations({ jsonSchema: { type: "integer", minimum: 1, description, examples: [42] } }),
  )

export const projectIdParam = idParam("project_id", "The id of a project")
export const groupIdParam = idParam("group_id", "The id of a group")
export const reportIdParam = idParam("report_id", "The id of a report")
export const attachmentIdParam = idParam("attachment_id", "The id of an attachment of the report")
export const mergeIdParam = idParam("merge_id", "The id of a merge of the group")
export const noteIdParam = idParam("note_id", "The id of a note on the group")
export const userIdParam = idParam("user_id", "The id of a user")
export const appIdParam = idParam("app_id", "The id of an app")
export const webhookIdParam = idParam("webhook_id", "The id of a webhook of the project")
export const deliveryIdParam = idParam("delivery_id", "The id of a delivery of the webhook")
export const bundleIdParam = idParam("bundle_id", "The id of an upload of the project")
export const releaseIdParam = idParam("release_id", "The id of a release of the project")
export const retentionRunIdParam = idParam("run_id", "The id of a run of retention")
export const payloadIdParam = idParam("payload_id", "The id of a payload in the dead-letter queue")
export const originIdParam = idParam("origin_id", "The id of an origin of the project")

export const eventIdParam = HttpApiSchema.param(
  "event_id",
  Schema.String.annotations({
    description: "The id of an event: 32 hexadecimal characters in any case, with or without dashes",
    examples: ["4c79f60c11214eb38604f4ae0781bfb2"],
  }),
)

const notPositiveInteger = "must be a positive integer"

/** Digits as a number: the nearest one there is where there are too many. How large it may be is the core's to say. */
const PositiveInteger =
  // What is given twice is no string.
  Schema.transformOrFail(Schema.String.annotations({ message: () => notPositiveInteger }), Schema.Int, {
    strict: true,
    decode: (text, _, ast) =>
      /^\d+$/.test(text) && /[1-9]/.test(text)
        ? ParseResult.succeed(Math.min(Number(text), Number.MAX_SAFE_INTEGER))
        : ParseResult.fail(new ParseResult.Type(ast, text, notPositiveInteger)),
    encode: (value) => ParseResult.succeed(String(value)),
  })

/** A key that may be left out; where it is there it must hold. */
export const optional = <A, I>(schema: Schema.Codec<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The parameters of every list: 25 items unless told, 100 at most. */
export const pageParams = {
  limit: optional(
    PositiveInteger.annotations({
      jsonSchema: {
        type: "integer",
        minimum: 1,
        default: Page.defaultPageSize,
        description: `Number of items. More than ${Page.maxPageSize} count as ${Page.maxPageSize}`,
      },
    }),
  ),
  cursor: optional(
    PositiveInteger.annotations({
      jsonSchema: { type: "integer", minimum: 1, description: "The `next_cursor` of the previous page" },
    }),
  ),
}

/** A date, an ISO 8601 timestamp, or a span of time. */
export const TimeParam = Schema.String.pipe(
  Schema.filter((text) => parseTimeBound(text, "start") !== null, {
    message: () => ({ message: notTimeBound, override: true }),
    description: "A date, an ISO 8601 timestamp, or a span such as 24h or 7d",
    jsonSchema: {},
  }),
)

/** Text that every storage can keep, by the core's own rule: a client need not ask a server about it. */
export const Text = Schema.String.annotations({ message: () => "must be a string" }).pipe(
  Schema.filter(StorableText.isStorable, { message: () => StorableText.notStorable, jsonSchema: {} }),
)

/** An id in a body. */
export const IdValue = Schema.Number.pipe(
  Schema.check(Schema.isInt()),
  Schema.isBetween({ minimum: 1, maximum: Number }.MAX_SAFE_INTEGER),
).annotations({
  message: () => ({ message: notPositiveInteger, override: true }),
  jsonSchema: { type: "integer", minimum: 1 },
})

export interface ListRules<A> {
  readonly isItem: (value: unknown) => value is A
  /** What the list is of, e.g. `integers`. */
  readonly of: string
  /** The core's own rule about how many there may be; null where nothing is wrong. */
  readonly problem: (items: ReadonlyArray<unknown>) => string | null
  readonly minItems?: 1
  readonly maxItems: number
  /** What the documentation says of an item. */
  readonly item: object
}

/**
 * A list in a body. Whoever sends a wrong one is told so once, not for each item: its length is looked at before its
 * items, and no item after the first wrong one.
 */
export const list = <A>(rules: ListRules<A>): Schema.Schema<ReadonlyArray<A>> => {
  const { isItem, item, maxItems, minItems = 0 } = rules
  const notList = `must be an array of ${rules.of}`
  const errorOf = (value: ReadonlyArray<unknown>): string | null =>
    rules.problem(value) ?? (value.every(isItem) ? null : notList)
  const check = () => (value: unknown, _: unknown, ast: SchemaAST.Declaration) => {
    const error = Array.isArray(value) ? errorOf(value) : notList
    return error === null
      ? ParseResult.succeed(value as ReadonlyArray<A>)
      : ParseResult.fail(new ParseResult.Type(ast, value, error))
  }
  return Schema.declare<ReadonlyArray<A>, ReadonlyArray<A>, []>(
    [],
    { decode: check, encode: check },
    { jsonSchema: { type: "array", items: item, ...(minItems === 0 ? {} : { minItems }), maxItems } },
  )
}

/** One of a few words. */
export const oneOf = <const Values extends readonly [string, ...Array<string>]>(...values: Values) =>
  Schema.Literal(...values).annotations({
    message: () => ({ message: `must be ${values.join(" or ")}`, override: true }),
  })

/** `true` or `false` in a query. */
export const BooleanParam = Schema.transform(
  Schema.Literals(["true", "false"]).annotations({
    message: () => ({ message: "must be true or false", override: true }),
  }),
  Schema.Boolean,
  { strict: true, decode: (text) => text === "true", encode: (value) => (value ? "true" : "false") },
).annotations({ jsonSchema: { type: "boolean" } })

/** `true` or `false` in a body. */
export const Flag = Schema.Boolean.annotations({ message: () => "must be true or false" })
