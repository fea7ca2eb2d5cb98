/**
 * A fair lock: the holder passes it to the longest waiter. With a semaphore, a fiber that never yields takes the lock
 * again before others wake up. A busy recorder is such a fiber, and would starve intake.
 */
import { Effect } from "effect"

export interface Lock {
  /** Runs an effect while holding the lock. Waiting for the lock is interruptible. */
  readonly hold: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (): Lock => {
  const waiting = new Set<Waiter>()
  let held = false

  const release = Effect.sync(() => {
    const next = waiting.values().next().value
    if (next === undefined) {
      held = false
      return
    }
    waiting.delete(next)
    next.granted = true
    next.wake()
  })

  const acquire = (restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      if (!held) {
        held = true
        return Effect.void
      }
      const waiter: Waiter = { granted: false, wake: () => {} }
      waiting.add(waiter)
      const granted = Effect.callback<void>((resume) => {
        if (waiter.granted) resume(Effect.void)
        // In a microtask: otherwise each holder would run inside the release of the previous one.
        else waiter.wake = () => queueMicrotask(() => resume(Effect.void))
      })
      return Effect.onError(restore(granted), () =>
        // The fiber may be interrupted just after it was granted the lock.
        waiter.granted ? release : Effect.sync(() => void waiting.delete(waiter)),
      )
    })

  return {
    hold: (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.andThen(acquire(restore), Effect.ensuring(restore(effect), release)),
      ),
  }
}

// internal

interface Waiter {
  granted: boolean
  wake: () => void
}
