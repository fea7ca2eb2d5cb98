/** How many calls may be under way at a time that hold much memory: others wait for a while. */
import { Deferred, type Duration, Effect, Fiber } from "effect"
import { BodyRejected } from "../RequestBody.js"

export interface Slots {
  /** Fails where no slot is free for too long. */
  readonly use: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | BodyRejected, R>
}

export const make = (count: number, patience: Duration.DurationInput): Effect.Effect<Slots> =>
  Effect.map(Effect.makeSemaphore(count), (semaphore) => ({
    use: (work) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(
          semaphore.withPermits(1)(Effect.zipRight(Deferred.succeed(begun, undefined), work)),
        )
        const hasBegun = yield* Effect.timeoutTo(Deferred.await(begun), {
          duration: patience,
          onSuccess: () => true,
          onTimeout: () => false,
        })
        if (hasBegun) return yield* Fiber.join(fiber)
        yield* Fiber.interrupt(fiber)
        return yield* new BodyRejected({ reason: "busy" })
      }),
  }))
