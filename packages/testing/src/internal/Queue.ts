import {
  type BatchPart,
  type LeaseRequest,
  type Payload,
  type PendingBatch,
  PendingPayloads,
  type StoredPayload,
} from "@errata/core/ports"
import { Duration, Effect, Option } from "effect"
import { advance } from "../ContractCase.js"

/** Leases the whole queue for a minute. */
export const wide: LeaseRequest = { payloads: 1_000_000, bytes: 1e12, duration: Duration.minutes(1) }

export const leaseWith = (request: Partial<LeaseRequest>) =>
  Effect.flatMap(PendingPayloads, (pending) => pending.lease({ ...wide, ...request }))

export const lease = leaseWith({})

export const wholeOf = (batch: PendingBatch): BatchPart => ({
  ...partOf(batch, ...batch.payloads.map(({ place }) => place.position)),
  whole: true,
})

export const partOf = (batch: PendingBatch, ...positions: ReadonlyArray<number>): BatchPart => ({
  batchId: batch.id,
  projectId: batch.projectId,
  positions,
  bytes: batch.payloads.reduce(
    (bytes, { payload, place }) => bytes + (positions.includes(place.position) ? payload.body.byteLength : 0),
    0,
  ),
  whole: false,
})

/** Appends payloads, removes them from the queue, and returns them as stored. */
export const stored = (...payloads: ReadonlyArray<Payload>) =>
  Effect.gen(function* () {
    const pending = yield* PendingPayloads
    yield* pending.append(payloads)
    const found = new Map<string, StoredPayload>()
    while (found.size < payloads.length) {
      const mine: Array<BatchPart> = []
      for (const batch of yield* lease) {
        const some = batch.payloads.filter(({ payload }) =>
          payloads.some(({ eventId }) => eventId === payload.eventId),
        )
        for (const each of some) found.set(each.payload.eventId, each)
        if (some.length > 0) mine.push(wholeOf(batch))
        else yield* pending.release([batch])
      }
      yield* pending.remove(mine)
    }
    return payloads.map(({ eventId }) => found.get(eventId)!)
  })

const suspectPauses = [Duration.seconds(10), Duration.minutes(5)]

/** The suspect that is due, if any. */
export const leaseSuspect = Effect.flatMap(PendingPayloads, (pending) => pending.leaseSuspect(suspectPauses))

/** Removes payloads left by other cases, leased or not. */
export const emptyQueue = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  yield* advance("1 day")
  while (true) {
    const leased = [...(yield* lease), ...Option.toArray(yield* leaseSuspect)]
    if (leased.length === 0) return
    yield* pending.remove(leased.map(wholeOf))
  }
})
