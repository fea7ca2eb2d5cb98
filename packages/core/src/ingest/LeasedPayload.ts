import type { StoredPayload } from "../payload/PayloadDecoder.js"
import type { BatchPart, PendingBatch } from "./PendingPayloads.js"

/** A payload with the batch in which it was leased. */
export interface LeasedPayload extends StoredPayload {
  readonly batch: PendingBatch
}

export const itemsOf = (batches: ReadonlyArray<PendingBatch>): ReadonlyArray<LeasedPayload> => {
  const items: Array<LeasedPayload> = []
  for (const batch of batches)
    for (const { payload, place } of batch.payloads) items.push({ batch, place, payload })
  return items
}

/** Groups payloads by batch, as the queue requires. */
export const partsOf = (items: ReadonlyArray<LeasedPayload>): ReadonlyArray<BatchPart> => {
  const parts = new Map<PendingBatch, Taken>()
  for (const { batch, payload, place } of items) {
    const known = parts.get(batch)
    if (known === undefined) parts.set(batch, { positions: [place.position], bytes: payload.body.byteLength })
    else {
      known.positions.push(place.position)
      known.bytes += payload.body.byteLength
    }
  }
  return Array.from(parts, partOf)
}

// internal

interface Taken {
  readonly positions: Array<number>
  bytes: number
}

const partOf = ([batch, { bytes, positions }]: readonly [PendingBatch, Taken]): BatchPart => ({
  batchId: batch.id,
  projectId: batch.projectId,
  positions,
  bytes,
  whole: positions.length === batch.payloads.length,
})
