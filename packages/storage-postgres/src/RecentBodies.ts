import { Context } from "effect"

/**
 * Bodies of batches that this process has just appended, handed to its recorder past the database. Only a shortcut: the
 * database has them too, and a recorder that finds none here reads them there.
 */
export interface RecentBodiesService {
  /** Takes over the body of a batch that is durable. */
  readonly keep: (batchId: number, body: Uint8Array) => void
  /** What is here now, by batch. */
  readonly snapshot: () => ReadonlyMap<number, Uint8Array>
  /** Forgets bodies that have found their recorder. */
  readonly drop: (batchIds: ReadonlyArray<number>) => void
}

/** Kept in this process, the newest up to a bound: where other nodes record, what is kept here is never asked for. */
export const make = (): RecentBodiesService => {
  const bodies = new Map<number, Uint8Array>()
  let bytes = 0
  const drop = (batchId: number) => {
    bytes -= bodies.get(batchId)?.byteLength ?? 0
    bodies.delete(batchId)
  }
  return {
    keep: (batchId, body) => {
      bodies.set(batchId, body)
      bytes += body.byteLength
      for (const oldest of bodies.keys()) {
        if (bytes <= maxBytes && bodies.size <= maxBodies) break
        drop(oldest)
      }
    },
    snapshot: () => new Map(bodies),
    drop: (batchIds) => batchIds.forEach(drop),
  }
}

/** Who keeps them: each storage for itself, unless whoever composes it provides otherwise. */
export class RecentBodies extends Context.Reference<RecentBodies>()("@errata/storage-postgres/RecentBodies", {
  defaultValue: (): (() => RecentBodiesService) => make,
}) {}

// internal

const maxBytes = 4 * 1024 * 1024
const maxBodies = 256
