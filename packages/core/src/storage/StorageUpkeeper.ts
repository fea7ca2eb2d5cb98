/** Has the storage prepare for what is to come. */
import { Effect, Layer, Schedule } from "effect"
import { StorageOutage } from "./StorageOutage.js"
import { StorageUpkeep } from "./StorageUpkeep.js"

/** Prepares every hour until the scope closes. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { prepare } = yield* StorageUpkeep
    const outage = yield* StorageOutage
    yield* prepare.pipe(
      Effect.catchAllCause((cause) => outage.logFailure("Preparing the storage failed", cause)),
      // Storages prepare for weeks.
      Effect.schedule(Schedule.spaced("1 hour")),
      Effect.forkScoped,
    )
  }),
)
