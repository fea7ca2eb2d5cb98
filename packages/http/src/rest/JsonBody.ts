/** Reads the JSON of a request: after its sender is known to be allowed to send it, and within bounds. */
import { IncomingMessage } from "node:http"
import type { HttpServerRequest } from "@effect/platform"
import { Problem } from "@errata/api"
import { Effect, ParseResult, Schema } from "effect"
import * as RequestBody from "../RequestBody.js"
import { validationFailedOf } from "./Issues.js"

export const maxBytes = 1024 * 1024

/** What may be wrong with a body. */
export type BodyProblem =
  | Problem.BadRequest
  | Problem.ContentTooLarge
  | Problem.UnsupportedMediaType
  | Problem.ValidationFailed

/** Whether all of the body has arrived. Of fetch-style requests nobody can tell. */
export const isHere = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  source instanceof IncomingMessage ? source.complete : (source as Request).body === null

/** Reads the body to its end. */
export const bytesOf = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<Buffer, Problem.BadRequest | Problem.ContentTooLarge> =>
  Effect.mapError(bodyOf(request).read, ({ reason }) =>
    reason === "too_large"
      ? Problem.contentTooLarge(`The body is larger than ${maxBytes} bytes`)
      : Problem.badRequest("The body ended early"),
  )

/** Decodes a body. No body at all reads as an object without keys; keys not in the schema are ignored. */
export const decode = <A, I>(
  { headers }: HttpServerRequest.HttpServerRequest,
  bytes: Buffer,
  schema: Schema.Schema<A, I>,
): Effect.Effect<A, Problem.BadRequest | Problem.UnsupportedMediaType | Problem.ValidationFailed> =>
  Effect.gen(function* () {
    const text = bytes.toString("utf8").replace(/^\uFEFF/, "")
    if (text.trim() === "") return yield* decodeObject({}, schema)
    if (!isJson(headers["content-type"])) {
      return yield* Effect.fail(Problem.unsupportedMediaType("The body must be application/json"))
    }
    if (!isPlain(headers["content-encoding"])) {
      return yield* Effect.fail(Problem.unsupportedMediaType("The body must not be encoded"))
    }
    const value = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => Problem.badRequest("The body is not valid JSON"),
    })
    return yield* decodeObject(value, schema)
  })

// internal

const bodyOf = ({ source }: HttpServerRequest.HttpServerRequest): RequestBody.RequestBody =>
  source instanceof IncomingMessage
    ? RequestBody.fromNode(source, maxBytes, RequestBody.unlimitedBudget())
    : RequestBody.fromWeb(source as Request, maxBytes, RequestBody.unlimitedBudget())

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^\s*application\/(?:[\w.+-]*\+)?json\s*(?:;|$)/i.test(contentType)

const isPlain = (coding: string | undefined): boolean =>
  coding === undefined || /^\s*(?:identity)?\s*$/i.test(coding)

const decodeObject = <A, I>(
  value: unknown,
  schema: Schema.Schema<A, I>,
): Effect.Effect<A, Problem.ValidationFailed> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Effect.mapError(Schema.decodeUnknown(schema, { errors: "all" })(value), (error) =>
        validationFailedOf(ParseResult.ArrayFormatter.formatErrorSync(error)),
      )
    : Effect.fail(Problem.validationFailed({ base: ["must be a JSON object"] }))
