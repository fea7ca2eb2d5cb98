/**
 * Tells in the log that the storage is away, and that it is back: one line each, however many callers and loops meet it
 * in between.
 */
import { Cause, Clock, Context, Effect, Layer, type Scope } from "effect"
import { Storage } from "./Storage.js"
import { StorageError } from "./StorageError.js"

interface StorageOutageService {
  /** Logs why something failed. Of an unavailable storage only the first failure is logged until it is back. */
  readonly logFailure: (message: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
}

/** Without a layer every failure has a line of its own. */
export const StorageOutage = Context.Reference("@errata/core/storage/StorageOutage", {
  defaultValue: (): StorageOutageService => ({
    logFailure: (message, cause) => Effect.logError(message, cause),
  }),
})

/** The error of a storage that cannot be reached or has no room, if that is what went wrong. */
export const unavailability = (cause: Cause.Cause<unknown>): StorageError | null => {
  const failure = Cause.findErrorOption(cause)
  return failure._tag === "Some" &&
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
    // Whoever tells of it may not be interrupted; this must be, or it would keep the scope open until the storage is back.
    yield* Effect.forkIn(Effect.interruptible(awaitReturn), scope)
  })
  return { logFailure }
})

const probeMillis = 1000

/**
 * A storage without room answers a ping and fails at writing. Background work tries again within six seconds: only
 * when it has had nothing to say for longer, the outage is over.
 */
const quietMillis = 7000

const reasonOf = ({ cause, operation }: StorageError): string => {
  const said = cause instanceof Error && cause.message !== "" ? cause.message : String(cause)
  return `${said} (${operation})`
}
