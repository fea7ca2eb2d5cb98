/** Reads the JSON of a request: after its sender is known to be allowed to send it, and within bounds. */

import { IncomingMessage } from "node:http"
import { Problem } from "@errata/api"
import { DecodeIssues, JsonBounds } from "@errata/core/internal"
import { Context, Effect, Layer, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as BodyMemory from "../BodyMemory.js"
import * as NodeBody from "../NodeBody.js"
import type { BodyReader, BodyRejected } from "../RequestBody.js"
import * as WebBody from "../WebBody.js"
import { validationFailedOf } from "./Issues.js"

export const maxBytes = 1024 * 1024

/** The memory for the bodies of this API, apart from that for events. */
export class JsonMemory extends Context.Service<JsonMemory, BodyMemory.BodyMemory>()(
  "@errata/http/rest/JsonMemory",
) {
  static readonly layer = Layer.effect(JsonMemory, BodyMemory.scoped(maxBytes))
}

/** What may be wrong with a body. */
export type BodyProblem =
  | Problem.BadRequest
  | Problem.ContentTooLarge
  | Problem.ServiceUnavailable
  | Problem.UnsupportedMediaType
  | Problem.ValidationFailed

/** Whether all of the body has arrived. Of fetch-style requests nobody can tell. */
export const isHere = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  source instanceof IncomingMessage ? source.complete : (source as Request).body === null

/** Reads the body to its end. */
export const bytesOf = (
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<
  Buffer,
  Problem.BadRequest | Problem.ContentTooLarge | Problem.ServiceUnavailable,
  JsonMemory
> =>
  Effect.flatMap(JsonMemory, (memory) => {
    const body = bodyOf(request, memory)
    // Whoever has a key shares with nobody who has another.
    body.identify(request.headers["authorization"] ?? "")
    return body.read.pipe(
      Effect.mapError(({ reason }) => problemOf(reason)),
      Effect.ensuring(Effect.sync(() => body.release())),
    )
  })

/** Decodes a body. No body at all reads as an object without keys; keys not in the schema are ignored. */
export const decode = <A, I>(
  { headers }: HttpServerRequest.HttpServerRequest,
  bytes: Buffer,
  schema: Schema.Codec<A, I>,
): Effect.Effect<A, Problem.BadRequest | Problem.UnsupportedMediaType | Problem.ValidationFailed> =>
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

/**
 * The same for an operation that few callers send anything to: a body without the key, of whatever type, reads as an object
 * without keys.
 */
export const decodeKey = <A, I>(
  key: string,
  request: HttpServerRequest.HttpServerRequest,
  bytes: Buffer,
  schema: Schema.Codec<A, I>,
): ReturnType<typeof decode<A, I>> =>
  bytes.includes(key) ? decode(request, bytes, schema) : decodeObject({}, schema)

// internal

const bodyOf = (
  { source }: HttpServerRequest.HttpServerRequest,
  memory: BodyMemory.BodyMemory,
): BodyReader =>
  source instanceof IncomingMessage
    ? NodeBody.make(source, maxBytes, memory)
    : WebBody.make(source as Request, maxBytes, memory)

const problemOf = (reason: BodyRejected["reason"]) => {
  switch (reason) {
    case "too_large":
      return Problem.contentTooLarge(`The body is larger than ${maxBytes} bytes`)
    case "busy":
      return Problem.serviceUnavailable("Too many requests are running. Try again later")
    case "slow":
      return Problem.badRequest("The body arrived too slowly")
    case "aborted":
      return Problem.badRequest("The body ended early")
  }
}

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
