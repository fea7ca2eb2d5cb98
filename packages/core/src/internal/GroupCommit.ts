/**
 * Lets many callers share one write: while a write is under way newcomers wait, and the next write takes all of them.
 * Where some have come meanwhile there is load, and where that write was a quick one the next waits for more: what a
 * write costs, however little it carries, is shared by more of them then. Alone, a caller waits for nobody.
 */
import { Deferred, Duration, Effect, Exit, Option, type Scope } from "effect"
import { atMost } from "./Waiting.js"

export interface GroupCommit<A, E> {
  /**
   * Calls `done` when the item's write has ended, with that write's outcome; at once when too much is waiting. A
   * callback, which must not throw: every event comes this way, and a fiber for each would cost as much as the rest.
   */
  readonly offer: (item: A, done: (outcome: Exit.Exit<void, E>) => void) => void
  /** The same as an effect. */
  readonly commit: (item: A) => Effect.Effect<void, E>
}

export interface GroupCommitOptions<A, E> {
  readonly write: (items: ReadonlyArray<A>) => Effect.Effect<void, E>
  readonly size: (item: A) => number
  /** Items and sizes that one write takes at most; an item larger than that is written alone. */
  readonly maxItems: number
  readonly maxSize: number
  /** The sum of the sizes that may wait. */
  readonly maxWaiting: number
  /**
   * How long a write that follows another begins after that at the earliest, unless it is full before. A slow write has
   * gathered enough by its end.
   */
  readonly gatheringMillis: number
  readonly onFull: () => E
}

interface Waiting<A, E> {
  readonly item: A
  readonly size: number
  readonly done: (outcome: Exit.Exit<void, E>) => void
}

/**
 * When the scope closes, what waits is still written; what comes later is refused like an overflow. So is what has no turn
 * within five seconds: behind a write that hangs may be a hundred others, and each would hang as long.
 */
export const make = <A, E>(
  options: GroupCommitOptions<A, E>,
): Effect.Effect<GroupCommit<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Plain mutable state: it is touched for every request and only between two turns of the event loop.
    let queue: Array<Waiting<A, E>> = []
    let waitingSize = 0
    let writing = false
    let gathering: ReturnType<typeof setTimeout> | null = null
    let beganAt = Number.NEGATIVE_INFINITY
    let closed = false
    const idle = yield* Deferred.make<void>()

    const take = (): ReadonlyArray<Waiting<A, E>> => {
      let size = 0
      let count = 0
      while (count < queue.length && count < options.maxItems) {
        size += queue[count]!.size
        if (count > 0 && size > options.maxSize) break
        count++
      }
      const taken = queue.slice(0, count)
      queue = queue.slice(count)
      for (const waiting of taken) waitingSize -= waiting.size
      return taken
    }

    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const write = () => {
      gathering = null
      beganAt = performance.now()
      let taken = take()
      // A fiber for each write: one that went on for as long as there is load would carry the requests of its writes into
      // the old generation.
      runFork(options.write(taken.map(({ item }) => item))).addObserver((outcome) => {
        const written = taken
        // References to the fiber keep no request in memory.
        taken = []
        writing = false
        if (queue.length > 0) startNext()
        // After that: a caller that goes on at once has not come during this write.
        for (const { done } of written) done(outcome)
        if (closed && !writing) Deferred.doneUnsafe(idle, Exit.void)
      })
    }
    const start = () => {
      writing = true
      // A turn later, so that what this turn of the event loop brings shares the write.
      setImmediate(write)
    }

    const isFull = () => closed || queue.length >= options.maxItems || waitingSize >= options.maxSize
    const startNext = () => {
      const remaining = beganAt + options.gatheringMillis - performance.now()
      if (remaining <= 0 || isFull()) {
        start()
        return
      }
      writing = true
      gathering = setTimeout(write, remaining)
    }
    const startIfFull = () => {
      if (gathering === null || !isFull()) return
      clearTimeout(gathering)
      gathering = null
      start()
    }

    const refuseAll = Effect.suspend(() => {
      const refused = queue
      queue = []
      waitingSize = 0
      for (const { done } of refused) done(Exit.fail(options.onFull()))
      return Deferred.await(idle)
    })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closed = true
        startIfFull()
        if (!writing) return Effect.void
        return atMost(patience)(Deferred.await(idle)).pipe(
          Effect.flatMap((ended) => (Option.isSome(ended) ? Effect.void : refuseAll)),
        )
      }),
    )

    const offer: GroupCommit<A, E>["offer"] = (item, done) => {
      const size = options.size(item)
      if (closed || (waitingSize > 0 && waitingSize + size > options.maxWaiting)) {
        done(Exit.fail(options.onFull()))
        return
      }
      waitingSize += size
      queue.push({ item, size, done })
      if (writing) startIfFull()
      else start()
    }

    return { offer, commit: (item) => Effect.callback((resume) => offer(item, resume)) }
  })

// internal

/** A stop that goes well has written everything within milliseconds. */
const patience = Duration.seconds(5)
