/**
 * Lets many callers share one write. Callers that arrive during a write share the next one, which starts a short time after
 * the one before it, so that under load more callers share its cost. A single caller does not wait.
 */
import { Deferred, Duration, Effect, Exit, Latch, Option, type Scope } from "effect"
import { yieldToEventLoop } from "./EventLoop.js"
import { clearTimeout, setTimeout } from "./RealTimers.js"
import { atMost } from "./Waiting.js"

export interface GroupCommit<A, E> {
  /** Succeeds when the item is written. Fails at once if too much is waiting. */
  readonly commit: (item: A) => Effect.Effect<void, E>
}

export interface GroupCommitOptions<A, E> {
  readonly write: (items: ReadonlyArray<A>) => Effect.Effect<void, E>
  readonly size: (item: A) => number
  /** Limits of one write. A larger item is written alone. */
  readonly maxItems: number
  readonly maxSize: number
  /** The sum of the sizes that may wait. */
  readonly maxWaiting: number
  /** The least time between the starts of two writes, unless the second one is full before. */
  readonly gatheringMillis: number
  /** The error of a refused item. */
  readonly onFull: (item: A) => E
}

/**
 * When the scope closes, waiting items are still written, for at most five seconds. A write that hangs may have a hundred
 * others behind it, and each would hang as long. Later items are refused.
 */
export const make = <A, E>(
  options: GroupCommitOptions<A, E>,
): Effect.Effect<GroupCommit<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = new WaitingItems(options)
    const arrived = Latch.makeUnsafe(false)
    const idle = Latch.makeUnsafe(true)
    let isClosed = false
    /** Ends the pause before the next write. */
    let endPause = () => {}

    /** Uses a real timer: the time also passes in tests with a clock of their own. */
    const pauseUntil = (time: number) =>
      Effect.callback<void>((resume) => {
        const remaining = time - performance.now()
        if (remaining <= 0 || isClosed || waiting.isFull) return resume(Effect.void)
        const timer = setTimeout(() => resume(Effect.void), remaining)
        endPause = () => {
          clearTimeout(timer)
          resume(Effect.void)
        }
      })

    const writeNext = Effect.gen(function* () {
      const startedAt = performance.now()
      const taken = waiting.take()
      const outcome = yield* Effect.exit(Effect.suspend(() => options.write(taken.map(({ item }) => item))))
      // Callers that continue at once have not come during this write.
      const isLoaded = waiting.count > 0
      for (const { written } of taken) Deferred.doneUnsafe(written, outcome)
      if (isLoaded) yield* pauseUntil(startedAt + options.gatheringMillis)
    })

    const writeAll = Effect.gen(function* () {
      yield* arrived.await
      while (waiting.count > 0) {
        // Requests of this turn of the event loop share the write.
        yield* yieldToEventLoop
        yield* writeNext
      }
      arrived.closeUnsafe()
      idle.openUnsafe()
    })
    yield* Effect.forkScoped(Effect.interruptible(Effect.forever(writeAll)))

    const refuseWaiting = Effect.suspend(() => {
      for (const { item, written } of waiting.takeAll()) {
        Deferred.doneUnsafe(written, Exit.fail(options.onFull(item)))
      }
      return idle.await
    })
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        endPause()
        return Effect.flatMap(atMost(patience)(idle.await), (ended) =>
          Option.isSome(ended) ? Effect.void : refuseWaiting,
        )
      }),
    )

    const commit = (item: A) =>
      Effect.suspend(() => {
        const written = isClosed ? null : waiting.add(item)
        if (written === null) return Effect.fail(options.onFull(item))
        idle.closeUnsafe()
        arrived.openUnsafe()
        if (waiting.isFull) endPause()
        return Deferred.await(written)
      })
    return { commit }
  })

// internal

const patience = Duration.seconds(5)

interface Waiting<A, E> {
  readonly item: A
  readonly size: number
  readonly written: Deferred.Deferred<void, E>
}

class WaitingItems<A, E> {
  private items: Array<Waiting<A, E>> = []
  private size = 0

  constructor(private readonly options: GroupCommitOptions<A, E>) {}

  get count(): number {
    return this.items.length
  }

  /** There are enough items for a write. */
  get isFull(): boolean {
    return this.items.length >= this.options.maxItems || this.size >= this.options.maxSize
  }

  /** Null if there is no room for the item. */
  add(item: A): Deferred.Deferred<void, E> | null {
    const size = this.options.size(item)
    if (this.size > 0 && this.size + size > this.options.maxWaiting) return null
    const written = Deferred.makeUnsafe<void, E>()
    this.items.push({ item, size, written })
    this.size += size
    return written
  }

  /** The items of the next write. */
  take(): ReadonlyArray<Waiting<A, E>> {
    const { maxItems, maxSize } = this.options
    let size = 0
    let count = 0
    while (count < this.items.length && count < maxItems) {
      const next = size + this.items[count]!.size
      if (count > 0 && next > maxSize) break
      size = next
      count++
    }
    const taken = this.items.slice(0, count)
    this.items = this.items.slice(count)
    this.size -= size
    return taken
  }

  takeAll(): ReadonlyArray<Waiting<A, E>> {
    const taken = this.items
    this.items = []
    this.size = 0
    return taken
  }
}
