/**
 * Logs when the storage becomes unavailable and when it recovers: one line each, for any number of failing callers.
 */
import { Cause, Clock, Context, Effect, Layer, Option, type Scope } from "effect"
import { Storage } from "./Storage.js"
import { StorageError } from "./StorageError.js"

interface StorageOutageService {
  /** Logs a failure. If the storage is unavailable, only the first failure is logged until it recovers. */
  readonly logFailure: (message: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
}

/** Without a layer, every failure is logged. */
export const StorageOutage = Context.Reference("@errata/core/storage/StorageOutage", {
  defaultValue: (): StorageOutageService => ({
    logFailure: (message, cause) => Effect.logError(message, cause),
  }),
})

/** The error of an unreachable or full storage, if that is the cause. */
export const unavailability = (cause: Cause.Cause<unknown>): StorageError | null => {
  const failure = Cause.findErrorOption(cause)
  return Option.isSome(failure) &&
    failure.value instanceof StorageError &&
    failure.value.reason === "unavailable"
    ? failure.value
    : null
}

export const layer: Layer.Layer<never, never, Storage> = Layer.effect(
  StorageOutage,
  Effect.suspend(() => make),
)

// internal

const make: Effect.Effect<StorageOutageService, never, Storage | Scope.Scope> = Effect.gen(function* () {
  const storage = yield* Storage
  const scope = yield* Effect.scope
  let isAway = false
  let failedAt = 0

  const awaitReturn = Effect.gen(function* () {
    const since = failedAt
    while (true) {
      yield* Effect.sleep(probeMillis)
      const answers = yield* Effect.isSuccess(storage.ping)
      const now = yield* Clock.currentTimeMillis
      if (!answers || now - failedAt < quietMillis) continue
      isAway = false
      return yield* Effect.annotateLogs(Effect.logInfo("The storage is available again"), {
        seconds: Math.round((now - since) / 1000),
      })
    }
  })

  const logFailure = Effect.fnUntraced(function* (message: string, cause: Cause.Cause<unknown>) {
    const error = unavailability(cause)
    if (error === null) return yield* Effect.logError(message, cause)
    failedAt = yield* Clock.currentTimeMillis
    if (isAway) return yield* Effect.logDebug(message, cause)
    isAway = true
    yield* Effect.annotateLogs(
      Effect.logWarning("The storage is unavailable. Errata checks it until it is available again"),
      { reason: reasonOf(error) },
    )
    // Callers may be uninterruptible. This must be interruptible, or it would keep the scope open during an outage.
    yield* Effect.forkIn(Effect.interruptible(awaitReturn), scope)
  })
  return { logFailure }
})

const probeMillis = 1000

/**
 * A full storage responds to a ping but fails to write. Background work retries within six seconds, so the outage is
 * over after a longer time without failures.
 */
const quietMillis = 7000

const reasonOf = ({ cause, operation }: StorageError): string => {
  const said = cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
  return `${said} (${operation})`
}
