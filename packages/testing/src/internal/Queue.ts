import {
  type BatchPart,
  type LeaseRequest,
  type PendingBatch,
  PendingPayloads,
  type SuspectPatience,
} from "@errata/core"
import { Duration, Effect, Option } from "effect"
import { advance } from "../ContractCase.js"

/** All that there is, for a minute. */
export const wide: LeaseRequest = { payloads: 1_000_000, bytes: 1e12, duration: Duration.minutes(1) }

export const leaseWith = (request: Partial<LeaseRequest>) =>
  Effect.flatMap(PendingPayloads, (pending) => pending.lease({ ...wide, ...request }))

export const lease = leaseWith({})

export const wholeOf = (batch: PendingBatch): BatchPart => ({
  batchId: batch.id,
  positions: batch.payloads.map(({ position }) => position),
  whole: true,
})

export const suspectPatience: SuspectPatience = {
  first: Duration.seconds(10),
  longest: Duration.minutes(5),
}

/** The suspect that is due, if there is one. */
export const leaseSuspect = Effect.flatMap(PendingPayloads, (pending) =>
  pending.leaseSuspect(suspectPatience),
)

/** Removes whatever other cases have left, held or not. */
export const emptyQueue = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  yield* advance("1 day")
  while (true) {
    const leased = [...(yield* lease), ...Option.toArray(yield* leaseSuspect)]
    if (leased.length === 0) return
    yield* pending.remove(leased.map(wholeOf))
  }
})
