/** Forgets what was set aside so long ago that nobody will ask for it. */
import { DateTime, Effect, Layer, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { PendingPayloads } from "./PendingPayloads.js"

/** Forgets what is too old now, in short steps; answers how many payloads those were. */
export const sweep = Effect.gen(function* () {
  const { setAside } = yield* ErrataConfig
  const pending = yield* PendingPayloads
  const before = DateTime.subtractDuration(yield* DateTime.now, setAside.maxAge)
  let total = 0
  while (true) {
    const expired = yield* pending.expireSetAside(before, batchSize)
    total += expired
    if (expired < batchSize) break
  }
  if (total > 0) yield* Effect.logInfo(`Payloads set aside longer ago than they are kept: ${total} forgotten`)
  return total
}).pipe(Effect.withSpan("SetAsideSweeper.sweep"))

/** Sweeps at the configured interval until the scope closes. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { purgeInterval } = yield* ErrataConfig
    const outage = yield* StorageOutage
    yield* sweep.pipe(
      Effect.catchAllCause((cause) => outage.logFailure("Forgetting old payloads failed", cause)),
      Effect.schedule(Schedule.spaced(purgeInterval)),
      Effect.forkScoped,
    )
  }),
)

// internal

const batchSize = 100
