/** The transactions of services: one that loses a race against another is run again. */
import { Context, Effect, Schedule } from "effect"
import { Storage } from "./Storage.js"
import { StorageError } from "./StorageError.js"

/**
 * `Storage.transaction` for what people ask for. All of the effect is run again, so it does nothing but read and write
 * through the stores. Inside another of these transactions it is a part of that one, which is run again as a whole.
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

/** One transaction that is not run again, for callers who know better what to do then. */
export const once = <A, E, R>(
  storage: Storage["Service"],
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | StorageError, R> =>
  Effect.suspend(() => {
    const commit = new Set<Effect.Effect<void>>()
    return Effect.tap(
      storage.transaction(Effect.provideService(effect, Commit, commit)),
      Effect.suspend(() => Effect.all(commit, { discard: true })),
    )
  })

/** Has an effect run when the transaction that is running has committed, once however often it is asked for. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Commit, (commit) => (commit === null ? effect : Effect.sync(() => commit.add(effect))))

// internal

/** What follows the commit of the transaction that is running; null where none is. */
const Commit = Context.Reference("@errata/core/storage/Transactions/Commit", {
  defaultValue: (): Set<Effect.Effect<void>> | null => null,
})

const isConflict = (error: unknown): boolean => error instanceof StorageError && error.reason === "conflict"

/** 10 to 320 milliseconds, about: whoever waits for an answer waits for a second at most. */
const schedule = Schedule.max([Schedule.jittered(Schedule.exponential("10 millis")), Schedule.recurs(6)])
