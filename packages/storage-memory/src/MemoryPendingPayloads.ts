import type { BatchPart, Payload, PendingBatch, PendingPayloads } from "@errata/core"
import { Clock, Duration, Effect } from "effect"
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

  return {
    append: (payloads) =>
      state.write((transaction) => {
        if (payloads.length === 0) return
        const id = state.nextId("batch")
        state.batches.set(transaction, id, { id, payloads, attempts: 0, claimedUntil: 0 })
      }),

    lease: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        state.write((transaction) => {
          const leased: Array<PendingBatch> = []
          let payloads = 0
          let bytes = 0
          for (const [, batch] of state.batches.entries(transaction)) {
            if (batch.claimedUntil > now) continue
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
            state.batches.set(transaction, id, { ...batch, claimedUntil: now + Duration.toMillis(duration) })
          }
        }),
      ),

    setAside: (payloads, now) =>
      state.write((transaction) =>
        payloads.map(({ payload, reason }) => {
          const id = state.nextId("setAside")
          state.setAside.set(transaction, id, { id, payload, reason, setAsideAt: now })
          state.setAsideIds.add(transaction, id)
          return id
        }),
      ),

    dropSetAside: (id) =>
      state.write((transaction) => {
        if (!state.setAside.has(transaction, id)) return false
        state.setAside.delete(transaction, id)
        state.setAsideIds.remove(transaction, id)
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
