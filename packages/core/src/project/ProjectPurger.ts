/** Removes what deleted projects have left, in the background. */
import { DateTime, Effect, Layer, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { ProjectStore } from "./ProjectStore.js"

/** Removes all there is to remove now, in short steps; answers how many rows that were. */
export const purge = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const now = yield* DateTime.now
  let total = 0
  while (true) {
    const purged = yield* projects.purge(batchSize, now)
    if (purged === 0) return total
    total += purged
    yield* Effect.yieldNow()
  }
}).pipe(Effect.withSpan("ProjectPurger.purge"))

/** Purges at the configured interval until the scope closes. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { purgeInterval } = yield* ErrataConfig
    const outage = yield* StorageOutage
    yield* purge.pipe(
      Effect.catchAllCause((cause) => outage.logFailure("Purging deleted projects failed", cause)),
      Effect.schedule(Schedule.spaced(purgeInterval)),
      Effect.forkScoped,
    )
  }),
)

// internal

/** Reports can be large: few enough to be gone in a moment, with intake going on beside it. */
const batchSize = 500
