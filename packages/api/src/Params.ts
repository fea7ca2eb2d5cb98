/** Parameters of paths and queries. Invalid path parameters cause a 404, invalid query parameters a 422. */

import { notTimeBound, parseTimeBound } from "@errata/core/search"
import { Page } from "@errata/core/storage"
import { StorableText } from "@errata/core/validation"
import { Effect, Predicate, Schema, SchemaGetter, SchemaIssue } from "effect"
import { opaque } from "./Json.js"

/** An id in a path: a positive integer without sign or leading zeros. */
const idParam = (description: string) =>
  opaque(isId, { type: "integer", minimum: 1, description, examples: [42] }).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isGreaterThan(0)), {
      decode: SchemaGetter.transform(Number),
      encode: SchemaGetter.transform(String),
    }),
  )

export const projectIdParam = idParam("The id of a project")
export const groupIdParam = idParam("The id of a group")
export const reportIdParam = idParam("The id of a report")
export const attachmentIdParam = idParam("The id of an attachment of the report")
export const mergeIdParam = idParam("The id of a merge of the group")
export const noteIdParam = idParam("The id of a note on the group")
export const userIdParam = idParam("The id of a user")
export const appIdParam = idParam("The id of an app")
export const webhookIdParam = idParam("The id of a webhook of the project")
export const deliveryIdParam = idParam("The id of a delivery of the webhook")
export const targetIdParam = idParam("The id of a target of the project")
export const ruleIdParam = idParam("The id of a rule")
export const bundleIdParam = idParam("The id of an upload of the project")
export const releaseIdParam = idParam("The id of a release of the project")
export const retentionRunIdParam = idParam("The id of a run of retention")
export const deadLetterIdParam = idParam("The id of a dead letter")
export const originIdParam = idParam("The id of an origin of the project")

export const tagKeyParam = Schema.String.annotate({
  description: "The key of a tag",
  examples: ["browser"],
})

export const eventIdParam = Schema.String.annotate({
  description: "The id of an event: 32 hexadecimal characters in any case, with or without dashes",
  examples: ["4c79f60c11214eb38604f4ae0781bfb2"],
})

/** A mail address in a path. */
export const addressParam = Schema.String.annotate({
  description: "A mail address",
  examples: ["ann@example.com"],
})

/** Returns the schema of a path parameter by its name. */
export const pathParam = (name: string): Schema.Codec<unknown, string> => {
  if (name === "key") return tagKeyParam
  if (name === "address") return addressParam
  return name === "event_id" ? eventIdParam : (projectIdParam as Schema.Codec<unknown, string>)
}

const notPositiveInteger = "must be a positive integer"

/** Digits as a number, at most `MAX_SAFE_INTEGER`. The core checks upper limits. */
const positiveInteger = (documentation: { readonly default?: number; readonly description: string }) =>
  // A parameter that occurs twice is an array, and so is rejected here.
  opaque(Predicate.isString, { type: "integer", minimum: 1, ...documentation }, notPositiveInteger).pipe(
    Schema.decodeTo(Schema.Int, {
      decode: SchemaGetter.transformEffect((text, options) =>
        /^\d+$/.test(text) && /[1-9]/.test(text)
          ? Effect.succeed(Math.min(Number(text), Number.MAX_SAFE_INTEGER))
          : Effect.fail(new SchemaIssue.InvalidValue({ message: notPositiveInteger }, text, options)),
      ),
      encode: SchemaGetter.transform(String),
    }),
  )

/** An id to filter a list by: any positive integer. */
export const idFilter = (description: string) => optional(positiveInteger({ description }))

const maxAfter = 400

const notAfter = "must be the next of a page"

/** The position after which a page of texts starts. */
export const afterParam = Schema.optionalKey(
  Schema.String.annotate({ description: "The `next` of the previous page", message: notAfter }).check(
    Schema.makeFilter((text) => text.length <= maxAfter && StorableText.isStorable(text), {
      message: notAfter,
    }),
  ),
)

/** Ids in a query, separated by commas. */
export const idsParam = (most: number, description: string) => {
  const message = `must be up to ${most} ids, separated by commas`
  return opaque(isIds, { type: "string", pattern: ids.source, description }, message).pipe(
    Schema.decodeTo(Schema.Array(Schema.Int).check(Schema.isMaxLength(most, { message })), {
      decode: SchemaGetter.transform((text) => text.split(",").map(Number)),
      encode: SchemaGetter.transform((numbers) => numbers.join(",")),
    }),
  )
}

/** A key that may be absent. If present, its value must be valid. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

/** The maximum number of items in a response. */
export const limitParam = (usual: number, most: number) =>
  optional(
    positiveInteger({ default: usual, description: `Number of items. More than ${most} count as ${most}` }),
  )

/** The parameters of every list. The default page size is 25, the maximum is 100. */
export const pageParams = {
  limit: limitParam(Page.defaultPageSize, Page.maxPageSize),
  cursor: optional(positiveInteger({ description: "The `next_cursor` of the previous page" })),
}

/** A date, an ISO 8601 timestamp, or a span of time. */
export const TimeParam = Schema.String.annotate({ message: notTimeBound }).check(
  Schema.makeFilter((text) => parseTimeBound(text, "start") !== null, { message: notTimeBound }),
)

/** Text that every storage can keep. The rule is the core's, so clients can check it without a request. */
export const Text = Schema.String.annotate({ message: "must be a string" }).check(
  Schema.makeFilter(StorableText.isStorable, { message: StorableText.notStorable }),
)

/** An id in a body. */
export const IdValue = opaque(
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1,
  { type: "integer", minimum: 1 },
  notPositiveInteger,
)

export interface ListRules<A> {
  readonly isItem: (value: unknown) => value is A
  /** The kind of items for messages, e.g. `integers`. */
  readonly of: string
  /** The core's rule for the number of items. Returns null if it is met. */
  readonly problem: (items: ReadonlyArray<unknown>) => string | null
  readonly minItems?: 1
  readonly maxItems: number
  /** JSON Schema of an item. */
  readonly item: object
}

/** A list in a body. An invalid list causes one error: validation stops at the length or the first invalid item. */
export const list = <A>(rules: ListRules<A>) => {
  const { isItem, item, maxItems, minItems = 0 } = rules
  const notList = `must be an array of ${rules.of}`
  return opaque(
    (value): value is ReadonlyArray<A> => Array.isArray(value),
    { type: "array", items: item, ...(minItems === 0 ? {} : { minItems }), maxItems },
    notList,
  ).check(Schema.makeFilter((items) => rules.problem(items) ?? (items.every(isItem) || notList)))
}

/** One of the given literals. */
export const oneOf = <const Values extends ReadonlyArray<string>>(...values: Values) =>
  Schema.Literals(values).annotate({ message: `must be ${values.join(" or ")}` })

/** `true` or `false` in a query. */
export const BooleanParam = opaque(
  (value): value is "true" | "false" => value === "true" || value === "false",
  { type: "boolean" },
  "must be true or false",
).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text) => text === "true"),
    encode: SchemaGetter.transform((value) => (value ? "true" : "false")),
  }),
)

/** `true` or `false` in a body. */
export const Flag = Schema.Boolean.annotate({ message: "must be true or false" })

// internal

const ids = /^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/

function isIds(value: unknown): value is string {
  return typeof value === "string" && ids.test(value)
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^[1-9]\d{0,14}$/.test(value)
}
