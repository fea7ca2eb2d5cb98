/** Decodes the JSON of a body. */
import { Problem } from "@errata/api/internal"
import { DecodeIssues, JsonBounds } from "@errata/core/internal"
import { Effect, Schema } from "effect"
import type { BodyRequest } from "./BodyRequest.js"
import { validationFailedOf } from "./Issues.js"

export const maxBytes = 1024 * 1024

export const tooLarge = (): Problem.ContentTooLarge =>
  Problem.contentTooLarge(`The body is larger than ${maxBytes} bytes`)

/** The problems of the text of a body. */
export type JsonProblem = Problem.BadRequest | Problem.UnsupportedMediaType | Problem.ValidationFailed

/** Decodes a body. No body at all reads as an object without keys; keys not in the schema are ignored. */
export const decode = <A, I>(
  { headers }: Pick<BodyRequest, "headers">,
  bytes: Buffer,
  schema: Schema.Codec<A, I>,
): Effect.Effect<A, JsonProblem> =>
  Effect.gen(function* () {
    const text = bytes.toString("utf8").replace(/^\uFEFF/, "")
    if (text.trim() === "") return yield* decodeObject({}, schema)
    if (!isJson(headers["content-type"])) {
      return yield* Effect.fail(Problem.unsupportedMediaType("The body must be application/json"))
    }
    if (!isPlain(headers["content-encoding"])) {
      return yield* Effect.fail(Problem.unsupportedMediaType("The body must not be compressed"))
    }
    const exceeded = JsonBounds.problem(text, JsonBounds.ofRequests)
    if (exceeded !== null) return yield* Effect.fail(Problem.validationFailed({ base: [exceeded] }))
    const value = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => Problem.badRequest("The body is not valid JSON"),
    })
    return yield* decodeObject(value, schema)
  })

/** Decodes the body of an operation that is usually empty: a body without the key counts as an empty object. */
export const decodeKey = <A, I>(
  key: string,
  request: Pick<BodyRequest, "headers">,
  bytes: Buffer,
  schema: Schema.Codec<A, I>,
): Effect.Effect<A, JsonProblem> =>
  bytes.includes(key) ? decode(request, bytes, schema) : decodeObject({}, schema)

// internal

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^\s*application\/(?:[\w.+-]*\+)?json\s*(?:;|$)/i.test(contentType)

const isPlain = (coding: string | undefined): boolean =>
  coding === undefined || /^\s*(?:identity)?\s*$/i.test(coding)

const decodeObject = <A, I>(
  value: unknown,
  schema: Schema.Codec<A, I>,
): Effect.Effect<A, Problem.ValidationFailed> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Effect.mapError(Schema.decodeUnknownEffect(schema, DecodeIssues.parseOptions)(value), (error) =>
        validationFailedOf(DecodeIssues.of(error.issue)),
      )
    : Effect.fail(Problem.validationFailed({ base: ["must be a JSON object"] }))
