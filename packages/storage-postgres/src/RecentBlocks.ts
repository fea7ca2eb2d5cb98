import { Context } from "effect"

/** The uncompressed block of a segment. */
export interface RecentBlock {
  readonly segmentId: number
  readonly block: Uint8Array
}

/**
 * Blocks of segments that this process has just appended, handed to its recorder past the database. Only a shortcut: the
 * database has them too, and a recorder that finds none here reads them there.
 */
export interface RecentBlocksService {
  /** Takes over blocks that are durable. */
  readonly keep: (blocks: ReadonlyArray<RecentBlock>) => void
  /** What is here now, by segment. */
  readonly snapshot: () => ReadonlyMap<number, Uint8Array>
  /** Forgets blocks that were asked for, and older ones: the queue has come past those. */
  readonly drop: (segmentIds: ReadonlyArray<number>) => void
}

/**
 * Kept in this process, the oldest up to a bound: they are what the queue hands out next. What other nodes record
 * makes room when the queue has come past it.
 */
export const make = (): RecentBlocksService => {
  // An array, which is made anew, and no table: V8 chains the tables that removals make it replace, and what they held is
  // carried into the old generation with them.
  let kept: ReadonlyArray<RecentBlock> = []
  let bytes = 0
  return {
    keep: (blocks) => {
      const all = [...kept]
      for (const recent of blocks) {
        if (bytes + recent.block.byteLength > maxBytes || all.length >= maxBlocks) break
        all.push(recent)
        bytes += recent.block.byteLength
      }
      kept = all
    },
    snapshot: () => {
      const blocks = new Map<number, Uint8Array>()
      for (const { block, segmentId } of kept) blocks.set(segmentId, block)
      return blocks
    },
    drop: (segmentIds) => {
      let last = 0
      for (const id of segmentIds) if (id > last) last = id
      // In the order of their ids, but for what is appended at the same time.
      const left: Array<RecentBlock> = []
      bytes = 0
      for (const recent of kept) {
        if (recent.segmentId <= last) continue
        left.push(recent)
        bytes += recent.block.byteLength
      }
      kept = left
    },
  }
}

/** Who keeps them: each storage for itself, unless whoever composes it provides otherwise. */
export const RecentBlocks = Context.Reference("@errata/storage-postgres/RecentBlocks", {
  defaultValue: (): (() => RecentBlocksService) => make,
})

// internal

const maxBytes = 8 * 1024 * 1024
const maxBlocks = 2000
