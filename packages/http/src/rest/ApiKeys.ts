import { HttpServerRequest } from "@effect/platform"
import { Authentication, Problem } from "@errata/api"
import { Actor, Secrets, Users } from "@errata/core"
import { Effect, Layer, Redacted } from "effect"
import { toProblems } from "./Problems.js"

/** Finds the user of the API key in `Authorization: Bearer <key>`. */
export class ApiKeys extends Effect.Service<ApiKeys>()("@errata/http/rest/ApiKeys", {
  effect: Effect.map(Users, (users) => ({
    authenticate: ({ headers }: HttpServerRequest.HttpServerRequest) =>
      Effect.gen(function* () {
        const key = /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
        if (key === undefined) return yield* Effect.fail(Problem.unauthorized("Missing API key"))
        // No user has a key of another form: the storage need not be asked.
        if (!Secrets.isApiKey(key)) return yield* invalid
        const user = yield* users.authenticate(Redacted.make(key)).pipe(
          Effect.catchTag("InvalidApiKey", () => invalid),
          toProblems,
        )
        return Actor.Person({ user })
      }),
  })),
}) {}

export const layer: Layer.Layer<Authentication | ApiKeys, never, Users> = Layer.effect(
  Authentication,
  Effect.map(ApiKeys, ({ authenticate }) => ({
    // The header is read again: what is given here has lost its scheme without anybody having looked at it.
    apiKey: () => Effect.flatMap(HttpServerRequest.HttpServerRequest, authenticate),
  })),
).pipe(Layer.provideMerge(ApiKeys.Default))

// internal

const invalid = Effect.fail(Problem.unauthorized("Invalid API key"))
