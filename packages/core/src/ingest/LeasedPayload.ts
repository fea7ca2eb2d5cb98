import type { StoredPayload } from "../payload/PayloadDecoder.js"
import type { BatchPart, PendingBatch } from "./PendingPayloads.js"

/** A payload with the batch in which it was leased. */
export interface LeasedPayload extends StoredPayload {
  readonly batch: PendingBatch
}

export const itemsOf = (batches: ReadonlyArray<PendingBatch>): ReadonlyArray<LeasedPayload> =>
  batches.flatMap((batch) => batch.payloads.map(({ payload, place }) => ({ batch, place, payload })))

/** By batch, as the queue takes them. */
export const partsOf = (items: ReadonlyArray<LeasedPayload>): ReadonlyArray<BatchPart> => {
  const parts = new Map<PendingBatch, { positions: Array<number>; bytes: number }>()
  for (const { batch, payload, place } of items) {
    const known = parts.get(batch)
    if (known === undefined) parts.set(batch, { positions: [place.position], bytes: payload.body.byteLength })
    else {
      known.positions.push(place.position)
      known.bytes += payload.body.byteLength
    }
  }
  return Array.from(parts, ([batch, { bytes, positions }]) => ({
    batchId: batch.id,
    projectId: batch.projectId,
    positions,
    bytes,
    whole: positions.length === batch.payloads.length,
  }))
}
