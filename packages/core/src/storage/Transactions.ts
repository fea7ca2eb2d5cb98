/** The transactions of services: one that loses a race against another is run again. */
import { Context, Effect, Schedule } from "effect"
import { Storage } from "./Storage.js"
import { StorageError } from "./StorageError.js"

/**
 * `Storage.transaction` for what people ask for. All of the effect is run again, so it does nothing but read and write
 * through the stores. Inside another of these transactions it is a part of that one, which is run again as a whole.
 */
export const make: Effect.Effect<Storage["Type"]["transaction"], never, Storage> = Effect.map(
  Storage,
  (storage) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
      Effect.flatMap(IsRunning, (isRunning) =>
        isRunning
          ? storage.transaction(effect)
          : storage
              .transaction(Effect.provideService(effect, IsRunning, true))
              .pipe(Effect.retry({ while: isConflict, schedule })),
      ),
)

// internal

class IsRunning extends Context.Reference<IsRunning>()("@errata/core/storage/Transactions/IsRunning", {
  defaultValue: () => false,
}) {}

const isConflict = (error: unknown): boolean => error instanceof StorageError && error.reason === "conflict"

/** 10 to 320 milliseconds, about: whoever waits for an answer waits for a second at most. */
const schedule = Schedule.exponential("10 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(6)),
)
