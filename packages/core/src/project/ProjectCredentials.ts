import { Cache, Context, Duration, Effect, Layer, Option } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { StorageError } from "../storage/StorageError.js"
import type { ProjectId } from "./Project.js"
import { ProjectStore } from "./ProjectStore.js"

/** The projects of tokens, as they were in the storage a few seconds ago at most. */
export class ProjectCredentials extends Context.Service<ProjectCredentials>()(
  "@errata/core/project/ProjectCredentials",
  {
    make: Effect.gen(function* () {
      const { intake } = yield* ErrataConfig
      const projects = yield* ProjectStore
      const clock = yield* Effect.clockWith(Effect.succeed)
      const timeToLive = Duration.toMillis(intake.credentialTtl)

      // Of the tokens that were found, beside the cache: it is asked for every request, and a map answers at once.
      const known = new Map<string, { readonly id: ProjectId; readonly until: number }>()
      const cache = yield* Cache.makeWith(
        (token: string) =>
          Effect.suspend(() => {
            const until = clock.currentTimeMillisUnsafe() + timeToLive
            return Effect.map(
              projects.findByToken(token),
              Option.map(({ id }) => {
                if (known.size >= capacity) known.clear()
                known.set(token, { id, until })
                return id
              }),
            )
          }),
        { capacity, timeToLive: (exit) => (exit._tag === "Success" ? timeToLive : 0) },
      )

      /** The project of a token that was found lately; null says nothing about others. */
      const peek = (token: string): ProjectId | null => {
        const trusted = known.get(token)
        return trusted !== undefined && clock.currentTimeMillisUnsafe() < trusted.until ? trusted.id : null
      }

      /** The project of a token. */
      const find = (token: string): Effect.Effect<Option.Option<ProjectId>, StorageError> => {
        const trusted = peek(token)
        return trusted === null ? Cache.get(cache, token) : Effect.succeed(Option.some(trusted))
      }

      /** Asks the storage when the token comes next: its project was deleted here. Other nodes learn of it in time. */
      const forget = (token: string): Effect.Effect<void> =>
        Effect.andThen(
          Cache.invalidate(cache, token),
          Effect.sync(() => known.delete(token)),
        )

      return { find, peek, forget }
    }),
  },
) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const capacity = 10_000
