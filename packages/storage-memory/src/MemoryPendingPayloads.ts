import type {
  BatchPart,
  Payload,
  PendingBatch,
  PendingPayloads,
  ProjectId,
  SetAsideBounds,
} from "@errata/core"
import { Clock, DateTime, Duration, Effect, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import type { BatchRow, State } from "./internal/State.js"
import type { Transaction } from "./internal/Transaction.js"

export const make = (state: State): PendingPayloads["Type"] => {
  /** Whether all the payloads were there. */
  const remove = (transaction: Transaction, { batchId, positions }: BatchPart): boolean => {
    const batch = state.batches.get(transaction, batchId)
    if (batch === undefined) return false
    const payloads = [...batch.payloads]
    let complete = true
    for (const position of positions) {
      complete &&= payloads[position] !== undefined
      payloads[position] = undefined
    }
    if (payloads.some((payload) => payload !== undefined)) {
      state.batches.set(transaction, batchId, { ...batch, payloads })
    } else {
      state.batches.delete(transaction, batchId)
    }
    return complete
  }

  const add = (transaction: Transaction, payloads: ReadonlyArray<Payload>, isSuspect: boolean) => {
    const id = state.nextId("batch")
    state.batches.set(transaction, id, { id, payloads, attempts: 0, claimedUntil: 0, isSuspect })
  }

  const forget = (transaction: Transaction, id: number) => {
    state.setAside.delete(transaction, id)
    state.setAsideIds.remove(transaction, id)
  }

  /** Forgets the oldest of a project's payloads that the bounds have no room for. */
  const bound = (transaction: Transaction, projectId: ProjectId, bounds: SetAsideBounds) => {
    let payloads = 0
    let bytes = 0
    for (const id of [...state.setAsideIds.descending(transaction)]) {
      const { payload } = state.setAside.get(transaction, id)!
      if (payload.projectId !== projectId) continue
      payloads++
      bytes += payload.body.byteLength
      if (payloads > bounds.payloads || bytes > bounds.bytes) forget(transaction, id)
    }
  }

  return {
    append: (payloads) =>
      state.write((transaction) => {
        if (payloads.length > 0) add(transaction, payloads, false)
      }),

    isolate: (payloads) =>
      state.write((transaction) => {
        for (const payload of payloads) add(transaction, [payload], true)
      }),

    lease: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const leased: Array<PendingBatch> = []
          let payloads = 0
          let bytes = 0
          for (const [, batch] of state.batches.entries(transaction)) {
            if (batch.isSuspect || batch.claimedUntil > now) continue
            const attempts = batch.attempts + 1
            const left = leftIn(batch)
            leased.push({ id: batch.id, attempts, payloads: left })
            payloads += left.length
            for (const { payload } of left) bytes += payload.body.byteLength
            const claimedUntil = now + Duration.toMillis(request.duration)
            state.batches.set(transaction, batch.id, { ...batch, attempts, claimedUntil })
            if (payloads >= request.payloads || bytes >= request.bytes) break
          }
          return leased
        }),
      ),

    renew: (batches, duration) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          for (const { attempts, id } of batches) {
            const batch = state.batches.get(transaction, id)
            if (batch?.attempts !== attempts) continue
            state.batches.set(transaction, id, { ...batch, claimedUntil: now + Duration.toMillis(duration) })
          }
        }),
      ),

    leaseSuspect: ({ first, longest }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          let found: BatchRow | undefined
          for (const [, batch] of state.batches.entries(transaction)) {
            if (!batch.isSuspect || batch.claimedUntil > now) continue
            if (found === undefined || batch.claimedUntil < found.claimedUntil) found = batch
          }
          if (found === undefined) return Option.none()
          const wait = Math.min(Duration.toMillis(first) * 4 ** found.attempts, Duration.toMillis(longest))
          const leased = { ...found, attempts: found.attempts + 1, claimedUntil: now + wait }
          state.batches.set(transaction, found.id, leased)
          return Option.some({ id: leased.id, attempts: leased.attempts, payloads: leftIn(leased) })
        }),
      ),

    remove: (parts) =>
      state.write((transaction) => {
        let complete = true
        for (const part of parts) complete = remove(transaction, part) && complete
        return complete
      }),

    release: (batchIds) =>
      state.write((transaction) => {
        for (const id of batchIds) {
          const batch = state.batches.get(transaction, id)
          if (batch === undefined) continue
          const attempts = Math.max(batch.attempts - 1, 0)
          state.batches.set(transaction, id, { ...batch, attempts, claimedUntil: 0 })
        }
      }),

    postpone: (batchIds, duration) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          for (const id of batchIds) {
            const batch = state.batches.get(transaction, id)
            if (batch === undefined) continue
            const claimedUntil = now + Duration.toMillis(duration)
            state.batches.set(transaction, id, { ...batch, attempts: 0, claimedUntil })
          }
        }),
      ),

    setAside: (payloads, bounds, now) =>
      state.write((transaction) => {
        const ids = payloads.map(({ payload, reason }) => {
          const id = state.nextId("setAside")
          state.setAside.set(transaction, id, { id, payload, reason, setAsideAt: now })
          state.setAsideIds.add(transaction, id)
          return id
        })
        for (const projectId of new Set(payloads.map(({ payload }) => payload.projectId))) {
          bound(transaction, projectId, bounds)
        }
        return ids
      }),

    expireSetAside: (before, limit) =>
      state.write((transaction) => {
        const old = [...state.setAsideIds.ascending(transaction)]
          .filter((id) => DateTime.lessThan(state.setAside.get(transaction, id)!.setAsideAt, before))
          .slice(0, limit)
        for (const id of old) forget(transaction, id)
        return old.length
      }),

    setAsideSize: state.read((reader) => {
      let payloads = 0
      let bytes = 0
      for (const [, { payload }] of state.setAside.entries(reader)) {
        payloads++
        bytes += payload.body.byteLength
      }
      return { payloads, bytes }
    }),

    dropSetAside: (id) =>
      state.write((transaction) => {
        if (!state.setAside.has(transaction, id)) return false
        forget(transaction, id)
        return true
      }),

    listSetAside: (page) =>
      state.read((reader) =>
        pageOf(state.setAsideIds.descending(reader, page.cursor), page, (id) =>
          state.setAside.get(reader, id),
        ),
      ),

    size: state.read((reader) => {
      let payloads = 0
      let bytes = 0
      for (const [, batch] of state.batches.entries(reader)) {
        for (const payload of batch.payloads) {
          if (payload === undefined) continue
          payloads++
          bytes += payload.body.byteLength
        }
      }
      return { payloads, bytes }
    }),
  }
}

// internal

const leftIn = (batch: BatchRow): PendingBatch["payloads"] => {
  const left: Array<{ readonly position: number; readonly payload: Payload }> = []
  for (let position = 0; position < batch.payloads.length; position++) {
    const payload = batch.payloads[position]
    if (payload !== undefined) left.push({ position, payload })
  }
  return left
}
