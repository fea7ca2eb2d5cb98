import type { Payload } from "./PayloadDecoder.js"
import type { BatchPart, PendingBatch } from "./PendingPayloads.js"

/** A payload with the batch in which it was leased. */
export interface LeasedPayload {
  readonly batch: PendingBatch
  readonly position: number
  readonly payload: Payload
}

export const itemsOf = (batches: ReadonlyArray<PendingBatch>): ReadonlyArray<LeasedPayload> =>
  batches.flatMap((batch) => batch.payloads.map(({ position, payload }) => ({ batch, position, payload })))

/** By batch, as the queue takes them. */
export const partsOf = (items: ReadonlyArray<LeasedPayload>): ReadonlyArray<BatchPart> => {
  const positions = new Map<PendingBatch, Array<number>>()
  for (const { batch, position } of items) {
    const known = positions.get(batch)
    if (known === undefined) positions.set(batch, [position])
    else known.push(position)
  }
  return Array.from(positions, ([batch, some]) => ({
    batchId: batch.id,
    positions: some,
    whole: some.length === batch.payloads.length,
  }))
}
