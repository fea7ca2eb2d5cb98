/** Transactions of services, retried after a conflict. */
import { Context, Effect, Schedule } from "effect"
import { Storage } from "./Storage.js"
import { StorageError } from "./StorageError.js"

/**
 * `Storage.transaction` with retries. The effect may run several times, so it must only read and write through
 * stores. A nested transaction joins the outer one, which is retried as a whole.
 */
export const make: Effect.Effect<Storage["Service"]["transaction"], never, Storage> = Effect.map(
  Storage,
  (storage) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
      Effect.flatMap(Commit, (commit) =>
        commit !== null
          ? storage.transaction(effect)
          : Effect.retry(once(storage, effect), { while: isConflict, schedule }),
      ),
)

/** A transaction without retries, for callers that handle conflicts. See `Storage.transaction`. */
export const once = <A, E, R>(
  storage: Storage["Service"],
  effect: Effect.Effect<A, E, R>,
  projectIds?: ReadonlyArray<number>,
): Effect.Effect<A, E | StorageError, R> =>
  Effect.suspend(() => {
    const commit = new Set<Effect.Effect<void>>()
    return Effect.tap(
      storage.transaction(Effect.provideService(effect, Commit, commit), projectIds),
      Effect.suspend(() => Effect.all(commit, { discard: true })),
    )
  })

/** Runs an effect after the current transaction commits, once even if added repeatedly. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Commit, (commit) => (commit === null ? effect : Effect.sync(() => commit.add(effect))))

// internal

/** Effects to run after the current transaction commits; null outside of transactions. */
const Commit = Context.Reference("@errata/core/storage/Transactions/Commit", {
  defaultValue: (): Set<Effect.Effect<void>> | null => null,
})

const isConflict = (error: unknown): boolean => error instanceof StorageError && error.reason === "conflict"

/** About 10 to 320 ms between attempts, less than a second in total. */
const schedule = Schedule.max([Schedule.jittered(Schedule.exponential("10 millis")), Schedule.recurs(6)])
