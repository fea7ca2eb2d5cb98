import { healthView } from "@errata/api/internal"
import { AccessPolicy, Health } from "@errata/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { toProblems } from "./Problems.js"
import type { ServedApi } from "./ServedApi.js"

export const layer = (api: ServedApi) =>
  HttpApiBuilder.group(api, "health", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const health = yield* Health

      return handlers.handle("details", () =>
        access
          .instance("health.inspect")
          .pipe(Effect.andThen(health.details), Effect.map(healthView), toProblems),
      )
    }),
  )
