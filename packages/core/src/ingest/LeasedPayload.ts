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
  const positions = new Map<PendingBatch, Array<number>>()
  for (const { batch, place } of items) {
    const known = positions.get(batch)
    if (known === undefined) positions.set(batch, [place.position])
    else known.push(place.position)
  }
  return Array.from(positions, ([batch, some]) => ({
    batchId: batch.id,
    projectId: batch.projectId,
    positions: some,
    whole: some.length === batch.payloads.length,
  }))
}
