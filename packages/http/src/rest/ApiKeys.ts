import { Authentication, Problem } from "@errata/api"
import {
  Actor,
  CurrentActor,
  ErrataConfig,
  type InvalidAccessToken,
  type InvalidApiKey,
  type NotSignedIn,
  OAuth,
  Sessions,
  type StorageError,
  Users,
} from "@errata/core"
import { Secrets } from "@errata/core/internal"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { baseUrlOf } from "../BaseUrl.js"
import type { HttpSettings } from "../HttpOptions.js"
import { namesOf } from "../oauth/OAuthNames.js"
import type { BodyRequest } from "./BodyRequest.js"
import { toProblems } from "./Problems.js"

const make = Effect.fnUntraced(function* (settings: HttpSettings) {
  const users = yield* Users
  const sessions = yield* Sessions
  const oauth = yield* OAuth
  const { serviceName } = yield* ErrataConfig

  /** Distinguishes tokens by their prefix, API keys first. Malformed tokens cause no query. */
  const actorOf = (
    bearer: string,
    request: BodyRequest,
  ): Effect.Effect<Actor, StorageError | InvalidApiKey | InvalidAccessToken | NotSignedIn> => {
    const secret = Redacted.make(bearer)
    if (Secrets.isApiKey(bearer)) {
      return Effect.map(users.authenticate(secret), (user) => Actor.Person({ user }))
    }
    if (Secrets.hashToken("errata-access_", bearer) !== null) {
      const { resources } = namesOf(baseUrlOf(settings, request), serviceName)
      return Effect.map(oauth.authenticate(secret, resources), Actor.Person)
    }
    return Effect.map(sessions.authenticate(secret), (user) => Actor.Person({ user }))
  }

  return {
    authenticate: (request: BodyRequest) =>
      Effect.gen(function* () {
        const bearer = /^bearer +(\S+) *$/i.exec(request.headers["authorization"] ?? "")?.[1]
        if (bearer === undefined) return yield* Effect.fail(Problem.unauthorized("Missing API key"))
        return yield* actorOf(bearer, request).pipe(
          Effect.catchTags({
            InvalidApiKey: () => invalid,
            InvalidAccessToken: () => invalid,
            NotSignedIn: () => invalid,
          }),
          toProblems,
        )
      }),
  }
})

/**
 * Authenticates requests with `Authorization: Bearer <token>`. The token is an API key, an access token of an
 * application, which has only the granted scopes, or the short-lived token of a session.
 */
export class ApiKeys extends Context.Service<ApiKeys, Effect.Success<ReturnType<typeof make>>>()(
  "@errata/http/rest/ApiKeys",
) {}

export const layerOf = (
  settings: HttpSettings,
): Layer.Layer<Authentication | ApiKeys, never, Users | Sessions | OAuth> =>
  Layer.effect(
    Authentication,
    Effect.map(ApiKeys, ({ authenticate }) => ({
      // Reads the header again: the given value has lost its scheme without a check.
      apiKey: (handled) =>
        Effect.flatMap(Effect.flatMap(HttpServerRequest.HttpServerRequest, authenticate), (actor) =>
          Effect.provideService(handled, CurrentActor, actor),
        ),
    })),
  ).pipe(Layer.provideMerge(Layer.effect(ApiKeys, make(settings))))

// internal

const invalid = Effect.fail(Problem.unauthorized("Invalid API key"))
