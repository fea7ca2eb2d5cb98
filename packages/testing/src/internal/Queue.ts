import { type BatchPart, type LeaseRequest, type PendingBatch, PendingPayloads } from "@errata/core"
import { Duration, Effect } from "effect"

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

/** Removes whatever other cases have left. */
export const emptyQueue = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  let leased = yield* lease
  while (leased.length > 0) {
    yield* pending.remove(leased.map(wholeOf))
    leased = yield* lease
  }
})
