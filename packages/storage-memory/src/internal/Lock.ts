/**
 * A lock whose holder hands it to whoever has waited longest. A semaphore lets a fiber that never pauses take it
 * again before the others have woken up; a recorder under load is such a fiber, and intake would starve.
 */
import { Effect } from "effect"

export interface Lock {
  /** Runs an effect while holding the lock; waiting for it can be interrupted. */
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
        // Later: each holder would run inside the release of the one before it.
        else waiter.wake = () => queueMicrotask(() => resume(Effect.void))
      })
      return Effect.onExit(restore(granted), (exit) =>
        exit._tag === "Success"
          ? Effect.void
          : // An interruption may come in when the lock has just been handed over.
            waiter.granted
            ? release
            : Effect.sync(() => void waiting.delete(waiter)),
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
