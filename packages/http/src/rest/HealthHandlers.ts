import { healthView } from "@errata/api/internal"
import { AccessPolicy, Health } from "@errata/core"
import { Effect } from "effect"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"health">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const health = yield* Health

    return handlers.handle("details", () =>
      access
        .instance("health.inspect")
        .pipe(Effect.andThen(health.details), Effect.map(healthView), toProblems),
    )
  })
