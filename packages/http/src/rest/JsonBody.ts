/** Reads the JSON of a request: after its sender is known to be allowed to send it, and within bounds. */
import { IncomingMessage } from "node:http"
import type { HttpServerRequest } from "@effect/platform"
import { Problem } from "@errata/api"
import { Effect, ParseResult, Schema } from "effect"
import * as RequestBody from "../RequestBody.js"
import { validationFailedOf } from "./Issues.js"

export const maxBytes = 1024 * 1024

/** Decodes the body of a request. No body at all reads as an object without keys; keys not in the schema are ignored. */
export const read = <A, I>(
  request: HttpServerRequest.HttpServerRequest,
  schema: Schema.Schema<A, I>,
): Effect.Effect<
  A,
  Problem.BadRequest | Problem.ContentTooLarge | Problem.UnsupportedMediaType | Problem.ValidationFailed
> => {
  const decode = Schema.decodeUnknown(schema, { errors: "all" })
  return Effect.gen(function* () {
    const bytes = yield* Effect.mapError(bodyOf(request).read, ({ reason }) =>
      reason === "too_large"
        ? Problem.contentTooLarge(`The body is larger than ${maxBytes} bytes`)
        : Problem.badRequest("The body ended early"),
    )
    const text = bytes.toString("utf8").replace(/^\uFEFF/, "")
    if (text.trim() === "") return yield* decodeObject({}, decode)
    if (!isJson(request.headers["content-type"])) {
      return yield* Effect.fail(Problem.unsupportedMediaType("The body must be application/json"))
    }
    if (!isPlain(request.headers["content-encoding"])) {
      return yield* Effect.fail(Problem.unsupportedMediaType("The body must not be encoded"))
    }
    const value = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => Problem.badRequest("The body is not valid JSON"),
    })
    return yield* decodeObject(value, decode)
  })
}

// internal

const bodyOf = ({ source }: HttpServerRequest.HttpServerRequest): RequestBody.RequestBody =>
  source instanceof IncomingMessage
    ? RequestBody.fromNode(source, maxBytes, RequestBody.unlimitedBudget())
    : RequestBody.fromWeb(source as Request, maxBytes, RequestBody.unlimitedBudget())

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^\s*application\/(?:[\w.+-]*\+)?json\s*(?:;|$)/i.test(contentType)

const isPlain = (coding: string | undefined): boolean =>
  coding === undefined || /^\s*(?:identity)?\s*$/i.test(coding)

const decodeObject = <A>(
  value: unknown,
  decode: (value: unknown) => Effect.Effect<A, ParseResult.ParseError>,
): Effect.Effect<A, Problem.ValidationFailed> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Effect.catchAll(decode(value), (error) =>
        Effect.fail(validationFailedOf(ParseResult.ArrayFormatter.formatErrorSync(error))),
      )
    : Effect.fail(Problem.validationFailed({ base: ["must be a JSON object"] }))
