import { Cache, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { StorageError } from "../storage/StorageError.js"
import type { ProjectId } from "./Project.js"
import { ProjectStore } from "./ProjectStore.js"

/** Caches the projects of tokens for `intake.credentialTtl`. */
export class ProjectCredentials extends Context.Service<ProjectCredentials>()(
  "@errata/core/project/ProjectCredentials",
  {
    make: Effect.gen(function* () {
      const { intake } = yield* ErrataConfig
      const projects = yield* ProjectStore
      const clock = yield* Effect.clockWith(Effect.succeed)
      const timeToLive = Duration.toMillis(intake.credentialTtl)

      // A map in front of the cache for known tokens, because every request needs one and `Cache` is slower.
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
        { capacity, timeToLive: (exit) => (Exit.isSuccess(exit) ? timeToLive : 0) },
      )

      /** The project of a recently found token. Null does not mean that the token is invalid. */
      const peek = (token: string): ProjectId | null => {
        const trusted = known.get(token)
        return trusted !== undefined && clock.currentTimeMillisUnsafe() < trusted.until ? trusted.id : null
      }

      /** The project of a token. */
      const find = (token: string): Effect.Effect<Option.Option<ProjectId>, StorageError> => {
        const trusted = peek(token)
        return trusted === null ? Cache.get(cache, token) : Effect.succeed(Option.some(trusted))
      }

      /** Removes a token from the cache after its project changed here. On other nodes, the entry expires. */
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
