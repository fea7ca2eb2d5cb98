/**
 * Limits the memory of request bodies, so that no sender uses up the share of another. It has three pools: for
 * unauthenticated senders, for small bodies, which large ones cannot use, and for large bodies. A body without room
 * waits unread. A body that arrives too slowly is rejected, sooner if memory is short.
 */
import { Effect, Schedule, type Scope } from "effect"
import { BodyPool } from "./BodyPool.js"

export interface BodyMemory {
  readonly strangers: BodyPool
  readonly small: BodyPool
  readonly large: BodyPool
  /** Maximum size of a small body, in bytes. */
  readonly smallBytes: number
  /** Ends bodies that wait too long or arrive too slowly. Call it once per second. */
  readonly tick: () => void
}

/** Sizes the pools for bodies of up to `maxBodyBytes`: 34 MiB in all for bodies of 16 MiB. */
export const make = (maxBodyBytes: number): BodyMemory => {
  const strangers = new BodyPool({ size: 2 * MiB, perSender: MiB / 2, maxClaim: 128 * KiB, free: freeBytes })
  const small = new BodyPool({ size: 8 * MiB, perSender: 6 * MiB, maxClaim: smallBytes })
  const large = new BodyPool({
    size: Math.max(24 * MiB, maxBodyBytes * 1.5),
    perSender: Math.max(16 * MiB, maxBodyBytes),
    maxClaim: maxBodyBytes,
  })
  return {
    strangers,
    small,
    large,
    smallBytes,
    tick: () => {
      strangers.tick()
      small.tick()
      large.tick()
    },
  }
}

/** Calls `tick` every second until the scope closes. */
export const scoped = (maxBodyBytes: number): Effect.Effect<BodyMemory, never, Scope.Scope> =>
  Effect.suspend(() => {
    const memory = make(maxBodyBytes)
    const ticking = Effect.schedule(Effect.sync(memory.tick), Schedule.spaced("1 second"))
    return Effect.as(Effect.forkScoped(Effect.interruptible(ticking)), memory)
  })

// internal

const KiB = 1024
const MiB = 1024 * KiB

/**
 * The first bytes of an unauthenticated body are not counted. They contain the first line of an envelope in every
 * coding but zstd, and the rest of the 64 KiB read. Node buffers as much of an unread body (63.5 KB, measured).
 */
const freeBytes = 80 * KiB

const smallBytes = 256 * KiB
