/** Limits on the calls that hold much memory: on all of them, and on those of one user. Other calls wait for a while. */
import type { UserId } from "@errata/core"
import { Deferred, type Duration, Effect, Fiber, Semaphore } from "effect"
import { BodyRejected } from "../RequestBody.js"

export interface Slots {
  /** Fails if no slot is free for too long. */
  readonly use: <A, E, R>(
    owner: UserId,
    work: Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | BodyRejected, R>
}

export interface SlotOptions {
  readonly count: number
  /** Less than `count`: a user whose calls are slow must not keep everybody else waiting. */
  readonly perOwner: number
  /** How long a call waits for a slot. */
  readonly patience: Duration.Input
}

export const make = ({ count, patience, perOwner }: SlotOptions): Effect.Effect<Slots> =>
  Effect.map(Semaphore.make(count), (all) => {
    const shares = new Map<UserId, Share>()
    const withShare = <A, E, R>(owner: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const share = shares.get(owner) ?? { slots: Semaphore.makeUnsafe(perOwner), calls: 0 }
          shares.set(owner, share)
          share.calls++
          return share
        }),
        // A call gets one of the user's slots first, so that it never holds a common slot while it waits.
        ({ slots }) => slots.withPermits(1)(all.withPermits(1)(work)),
        (share) =>
          Effect.sync(() => {
            if (--share.calls === 0) shares.delete(owner)
          }),
      )
    return {
      use: (owner, work) =>
        Effect.gen(function* () {
          const begun = yield* Deferred.make<void>()
          const fiber = yield* Effect.forkChild(
            withShare(owner, Effect.andThen(Deferred.succeed(begun, undefined), work)),
          )
          const hasBegun = yield* Effect.timeoutOrElse(Effect.as(Deferred.await(begun), true), {
            duration: patience,
            orElse: () => Effect.succeed(false),
          })
          if (hasBegun) return yield* Fiber.join(fiber)
          yield* Fiber.interrupt(fiber)
          return yield* new BodyRejected({ reason: "busy" })
        }),
    }
  })

// internal

interface Share {
  readonly slots: Semaphore.Semaphore
  /** Calls that have a slot or wait for one. */
  calls: number
}
