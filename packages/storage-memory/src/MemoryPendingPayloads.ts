import type { ProjectId } from "@errata/core"
import type {
  BatchPart,
  DeadLetterBounds,
  Payload,
  PendingBatch,
  PendingPayloads,
  StoredPayload,
} from "@errata/core/ports"
import { DateTime, Duration, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { BatchRow, State } from "./internal/State.js"
import type { Transaction } from "./internal/Transaction.js"

export const make = (state: State): PendingPayloads["Service"] => {
  const enqueue = (
    transaction: Transaction,
    segmentId: number,
    payloads: BatchRow["payloads"],
    projectId: ProjectId,
    isSuspect: boolean,
    readyAt: number,
  ) => {
    const id = state.nextId("batch")
    const batch = { id, projectId, segmentId, payloads, attempts: 0, claimedUntil: 0, readyAt, isSuspect }
    state.batches.set(transaction, id, batch)
  }

  const isolate = (transaction: Transaction, { payload, place }: StoredPayload, now: number) => {
    enqueue(transaction, place.segmentId, new Map([[place.position, payload]]), payload.projectId, true, now)
  }

  const patch = (transaction: Transaction, id: number, fields: (batch: BatchRow) => Partial<BatchRow>) => {
    const batch = state.batches.get(transaction, id)
    if (batch !== undefined) state.batches.set(transaction, id, { ...batch, ...fields(batch) })
  }

  /** Removes payloads. Returns false if some were already gone. */
  const remove = (transaction: Transaction, { batchId, positions }: BatchPart): boolean => {
    const batch = state.batches.get(transaction, batchId)
    if (batch === undefined) return false
    const payloads = new Map(batch.payloads)
    let complete = true
    for (const position of positions) complete = payloads.delete(position) && complete
    if (payloads.size > 0) state.batches.set(transaction, batchId, { ...batch, payloads })
    else state.batches.delete(transaction, batchId)
    return complete
  }

  const forget = (transaction: Transaction, id: number) => {
    state.deadLetters.delete(transaction, id)
    state.deadLetterIds.remove(transaction, id)
  }

  /** Deletes the oldest dead letters of a project that exceed the bounds. */
  const bound = (transaction: Transaction, projectId: ProjectId, bounds: DeadLetterBounds) => {
    let payloads = 0
    let bytes = 0
    for (const id of [...state.deadLetterIds.descending(transaction)]) {
      const row = state.deadLetters.get(transaction, id)!
      if (row.projectId !== projectId) continue
      payloads++
      bytes += row.bytes
      if (payloads > bounds.payloads || bytes > bounds.bytes) forget(transaction, id)
    }
  }

  return {
    append: (payloads) =>
      state.write((transaction, now) => {
        for (const [projectId, some] of byProject(payloads)) {
          const segmentId = state.nextId("segment")
          state.segments.set(transaction, segmentId, some)
          enqueue(transaction, segmentId, new Map(some.entries()), projectId, false, now)
        }
      }),

    isolate: (payloads) =>
      state.write((transaction, now) => {
        for (const stored of payloads) isolate(transaction, stored, now)
      }),

    lease: (request) =>
      state.write((transaction, now) => {
        const leased: Array<PendingBatch> = []
        let payloads = 0
        let bytes = 0
        for (const [, batch] of state.batches.entries(transaction)) {
          if (batch.isSuspect || batch.claimedUntil > now) continue
          const attempts = batch.attempts + 1
          payloads += batch.payloads.size
          for (const { body } of batch.payloads.values()) bytes += body.byteLength
          const claimedUntil = now + Duration.toMillis(request.duration)
          leased.push(pendingOf({ ...batch, attempts }))
          state.batches.set(transaction, batch.id, { ...batch, attempts, claimedUntil })
          if (payloads >= request.payloads || bytes >= request.bytes) break
        }
        return leased
      }),

    renew: (batches, duration) =>
      state.write((transaction, now) => {
        const claimedUntil = now + Duration.toMillis(duration)
        for (const { attempts, id } of batches) {
          patch(transaction, id, (batch) => (batch.attempts === attempts ? { claimedUntil } : {}))
        }
      }),

    leaseSuspect: (pauses) =>
      state.write((transaction, now) => {
        let found: BatchRow | undefined
        for (const [, batch] of state.batches.entries(transaction)) {
          if (!batch.isSuspect || batch.claimedUntil > now) continue
          if (found === undefined || batch.claimedUntil < found.claimedUntil) found = batch
        }
        if (found === undefined) return Option.none()
        const pause = pauses[Math.min(found.attempts, pauses.length - 1)]!
        const claimedUntil = now + Duration.toMillis(pause)
        const leased = { ...found, attempts: found.attempts + 1, claimedUntil }
        state.batches.set(transaction, found.id, leased)
        return Option.some(pendingOf(leased))
      }),

    remove: (parts) =>
      state.write((transaction) => {
        let complete = true
        for (const part of parts) complete = remove(transaction, part) && complete
        return complete
      }),

    release: (batches) =>
      state.write((transaction) => {
        for (const { id } of batches) {
          patch(transaction, id, ({ attempts }) => {
            return { attempts: Math.max(attempts - 1, 0), claimedUntil: 0 }
          })
        }
      }),

    postpone: (batches, duration) =>
      state.write((transaction, now) => {
        const claimedUntil = now + Duration.toMillis(duration)
        for (const { id } of batches)
          patch(transaction, id, () => ({ attempts: 0, claimedUntil, readyAt: claimedUntil }))
      }),

    addDeadLetters: (payloads, bounds, now) =>
      state.write((transaction) => {
        const ids = payloads.map(({ payload: { body, ...payload }, place, reason }) => {
          const id = state.nextId("deadLetters")
          const row = { ...payload, id, place, bytes: body.byteLength, reason, failedAt: now }
          state.deadLetters.set(transaction, id, row)
          state.deadLetterIds.add(transaction, id)
          return id
        })
        for (const projectId of new Set(payloads.map(({ payload }) => payload.projectId))) {
          bound(transaction, projectId, bounds)
        }
        return ids
      }),

    expireDeadLetters: (before, limit) =>
      state.write((transaction) => {
        const old = [...state.deadLetterIds.ascending(transaction)]
          .filter((id) => DateTime.isLessThan(state.deadLetters.get(transaction, id)!.failedAt, before))
          .slice(0, limit)
        for (const id of old) forget(transaction, id)
        return old.length
      }),

    deadLettersSize: state.read((reader) => {
      let payloads = 0
      let bytes = 0
      for (const [, row] of state.deadLetters.entries(reader)) {
        payloads++
        bytes += row.bytes
      }
      return { payloads, bytes }
    }),

    retryDeadLetter: (id) =>
      state.write((transaction, now) => {
        const found = state.deadLetters.get(transaction, id)
        if (found === undefined) return false
        forget(transaction, id)
        const payload = state.segments.get(transaction, found.place.segmentId)?.[found.place.position]
        if (payload !== undefined) isolate(transaction, { payload, place: found.place }, now)
        return true
      }),

    discardDeadLetter: (id) =>
      state.write((transaction) => {
        if (state.deadLetters.get(transaction, id) === undefined) return false
        forget(transaction, id)
        return true
      }),

    listDeadLetters: (page) =>
      state.read((reader) =>
        pageOf(state.deadLetterIds.descending(reader, page.cursor), page, (id) =>
          state.deadLetters.get(reader, id),
        ),
      ),

    size: state.read((reader) => {
      let payloads = 0
      let bytes = 0
      for (const [, batch] of state.batches.entries(reader)) {
        for (const { body } of batch.payloads.values()) {
          payloads++
          bytes += body.byteLength
        }
      }
      return { payloads, bytes }
    }),
  }
}

// internal

const byProject = (payloads: ReadonlyArray<Payload>): ReadonlyMap<ProjectId, ReadonlyArray<Payload>> => {
  const projects = new Map<ProjectId, Array<Payload>>()
  for (const payload of payloads) {
    const some = projects.get(payload.projectId)
    if (some === undefined) projects.set(payload.projectId, [payload])
    else some.push(payload)
  }
  return projects
}

const pendingOf = ({ attempts, id, payloads, projectId, segmentId }: BatchRow): PendingBatch => ({
  id,
  attempts,
  projectId,
  payloads: Array.from(payloads, ([position, payload]) => ({ place: { segmentId, position }, payload })),
})
