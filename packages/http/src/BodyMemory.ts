/**
 * The memory of request bodies under way, shared so that no sender holds another's part of it. Three pools: of senders
 * not yet known, of small bodies, which large ones can never take, and of large bodies. A body for which there is no
 * room waits, unread; one that comes too slowly is ended, and under pressure sooner.
 */
import { Effect, Schedule, type Scope } from "effect"
import { BodyPool } from "./BodyPool.js"

export interface BodyMemory {
  readonly strangers: BodyPool
  readonly small: BodyPool
  readonly large: BodyPool
  /** What a small body is, in bytes. */
  readonly smallBytes: number
  /** To be called once a second: ends those who wait too long or send too slowly. */
  readonly tick: () => void
}

/** The sizes that bodies of up to `maxBodyBytes` need; 34 MiB in all for bodies of 16 MiB. */
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

/** The same, ticking until the scope closes. */
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
 * The first bytes of a stranger's body, which are not counted. They hold the first line of an envelope in every coding
 * but zstd, and the rest of the read of 64 KiB that brought it. Node buffers as much of an unread body (63.5 KB, measured).
 */
const freeBytes = 80 * KiB

const smallBytes = 256 * KiB
