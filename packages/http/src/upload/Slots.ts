/** Limits calls that use much memory, in total and per user. Other calls wait for a while. */
import type { UserId } from "@errata/core"
import { FairSemaphore } from "@errata/core/internal"
import { type Duration, Effect, Scope } from "effect"
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
  /** Less than `count`, so that slow calls of one user do not block others. */
  readonly perOwner: number
  /** How long a call waits for a slot. */
  readonly patience: Duration.Input
}

export const make = ({ count, patience, perOwner }: SlotOptions): Slots => {
  const slots = FairSemaphore.makeUnsafe<UserId>({ permits: count, perKey: perOwner })
  return {
    use: (owner, work) =>
      Effect.scopedWith((scope) => {
        const taken = Effect.timeoutOrElse(Scope.provide(slots.take(owner), scope), {
          duration: patience,
          orElse: () => new BodyRejected({ reason: "busy" }),
        })
        return Effect.andThen(taken, work)
      }),
  }
}
