/**
 * `/api/0`: the API that build tools use to create releases and upload artifacts. Its routes, errors and response
 * formats are those of its clients and differ from the REST API.
 */

import { Actor, CurrentActor, type Services, type User, Users } from "@errata/core"
import { JsonBounds, Secrets } from "@errata/core/internal"
import { Effect, Redacted, type Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import * as BodyMemory from "../BodyMemory.js"
import type { HttpApp } from "../HttpApp.js"
import type { HttpSettings } from "../HttpOptions.js"
import type { BodyRejected } from "../RequestBody.js"
import * as WholeBody from "../WholeBody.js"
import * as BodyPieces from "./BodyPieces.js"
import * as ChunkEndpoints from "./ChunkEndpoints.js"
import { maxRequestBytes } from "./ChunkRequests.js"
import * as DirectoryEndpoints from "./DirectoryEndpoints.js"
import * as ExplainEndpoint from "./ExplainEndpoint.js"
import * as FileEndpoints from "./FileEndpoints.js"
import * as ReleaseEndpoints from "./ReleaseEndpoints.js"
import * as UnansweredEndpoints from "./UnansweredEndpoints.js"
import { notFound, refused, toPlatform, type UploadAnswer, unauthorized } from "./UploadAnswer.js"
import { BadBody, type UploadCall, type UploadError, type UploadRoute } from "./UploadCall.js"
import * as UploadFailures from "./UploadFailures.js"
import { originOf } from "./UploadOrigin.js"
import * as UploadPath from "./UploadPath.js"
import * as UploadRoutes from "./UploadRoutes.js"

/** True if `/api/0` handles the URL, which includes the base path. */
export const matches = (url: string, { basePath }: Pick<HttpSettings, "basePath">): boolean =>
  UploadPath.matches(url, basePath)

export const routes: Effect.Effect<ReadonlyArray<UploadRoute>> = Effect.gen(function* () {
  return [
    ...DirectoryEndpoints.routes,
    ...ReleaseEndpoints.routes,
    ...ChunkEndpoints.routesOf(yield* ChunkEndpoints.make),
    ...FileEndpoints.routesOf(yield* FileEndpoints.make),
    ExplainEndpoint.route,
    ...UnansweredEndpoints.routes,
  ]
})

export const make = (
  settings: HttpSettings,
): Effect.Effect<HttpApp, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Services.Services>()
    const users = yield* Users
    const memory = yield* BodyMemory.scoped(UploadFailures.maxJsonBytes)
    const find = UploadRoutes.finder(yield* routes)

    const answer = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<UploadAnswer, UploadError> =>
      Effect.gen(function* () {
        const path = UploadPath.parse(request.url, settings.basePath)
        if (path.segments === null) return refused(400, "The path is not valid")
        const found = find(request.method === "HEAD" ? "GET" : request.method, path.segments)
        if (found._tag === "NotFound") {
          yield* Effect.logInfo("An upload client requested an unknown path").pipe(
            Effect.annotateLogs({ method: request.method, path: pathOf(request.url) }),
          )
          return notFound
        }
        if (found._tag === "OtherMethod") {
          return refused(405, `${request.method} is not allowed here`, { allow: found.methods.join(", ") })
        }
        // Authenticates before the body is read.
        const bearer = /^bearer +(\S+) *$/i.exec(request.headers["authorization"] ?? "")?.[1]
        if (bearer === undefined) return unauthorized("Missing API key")
        if (!Secrets.isApiKey(bearer)) return unauthorized("Invalid API key")
        const authenticate = users.authenticate(Redacted.make(bearer))
        const user = yield* authenticate
        return yield* found.route
          .handle({
            ...callOf(request, path, found.params, user),
            asNow: (effect) => Effect.flatMap(authenticate, (now) => as(now)(effect)),
          })
          .pipe(as(user), Effect.provide(services))
      })

    const callOf = (
      request: HttpServerRequest.HttpServerRequest,
      { prefix, query }: UploadPath.UploadPath,
      params: UploadCall["params"],
      user: User,
    ): Omit<UploadCall, "asNow"> => {
      const { headers, source } = request
      const header = (name: string) => headers[name]
      const requestOrigin =
        source instanceof Request && URL.canParse(source.url) ? new URL(source.url).origin : null
      return {
        params,
        query,
        header,
        address: originOf({ header, requestOrigin }, settings) + prefix,
        path: pathOf(request.url).slice(prefix.length),
        user,
        json: Effect.flatMap(
          WholeBody.read(source, { maxBytes: UploadFailures.maxJsonBytes, memory, sender: user.id }),
          parse,
        ),
        pieces: BodyPieces.make(source, maxRequestBytes),
      }
    }

    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      // Handlers are uninterruptible by default, and would continue after the client has disconnected.
      Effect.interruptible(Effect.map(UploadFailures.handled(answer(request)), toPlatform)),
    )
  })

// internal

const as =
  (user: User) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, CurrentActor>> =>
    Effect.provideService(effect, CurrentActor, Actor.Person({ user }))

const parse = (bytes: Buffer): Effect.Effect<unknown, BadBody | BodyRejected> => {
  const text = bytes.toString("utf8")
  return text.trim() === ""
    ? Effect.succeed({})
    : Effect.mapError(
        Effect.fromResult(JsonBounds.parse(text)),
        (problem) => new BadBody({ reason: `The body ${problem}` }),
      )
}

const pathOf = (url: string): string => url.split("?", 1)[0]!
