import { HttpServerRequest } from "@effect/platform"
import { Authentication, Problem } from "@errata/api"
import { Actor, Users } from "@errata/core"
import { Effect, Layer, Redacted } from "effect"
import { toProblems } from "./Problems.js"

/** Finds the user of the API key in `Authorization: Bearer <key>`. */
export const layer: Layer.Layer<Authentication, never, Users> = Layer.effect(
  Authentication,
  Effect.map(Users, (users) => ({
    // The header is read again: what is given here has lost its scheme without anybody having looked at it.
    apiKey: () =>
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const key = /^bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1]
        if (key === undefined) return yield* Effect.fail(Problem.unauthorized("Missing API key"))
        const user = yield* users.authenticate(Redacted.make(key)).pipe(
          Effect.catchTag("InvalidApiKey", () => Effect.fail(Problem.unauthorized("Invalid API key"))),
          toProblems,
        )
        return Actor.Person({ user })
      }),
  })),
)
