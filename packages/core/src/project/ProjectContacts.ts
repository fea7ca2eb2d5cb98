/**
 * Records the time of applications' latest requests per project, with at most one write per minute and project. No
 * response waits for it. A failed write is not retried, because the next minute has another one.
 */
import { DateTime, Duration, Effect, Queue, type Scope } from "effect"
import type { ProjectId } from "./Project.js"
import { ProjectStore } from "./ProjectStore.js"

/** Registers an authentic call. It runs for every event. */
export type Touch = (id: ProjectId) => void

export const make: Effect.Effect<Touch, never, ProjectStore | Scope.Scope> = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const clock = yield* Effect.clockWith(Effect.succeed)
  const wake = yield* Queue.sliding<void>(1)
  const touched = new Map<ProjectId, number>()
  let due: Array<ProjectId> = []

  const write = Effect.gen(function* () {
    yield* Queue.take(wake)
    yield* Effect.sleep(gathering)
    const ids = due
    due = []
    if (ids.length > 0) yield* projects.addContacts(ids, yield* DateTime.now)
  }).pipe(
    Effect.catchCause((cause) => Effect.logDebug("Keeping the last contacts of projects failed", cause)),
  )
  yield* Effect.forkScoped(Effect.forever(write))

  return (id) => {
    const now = clock.currentTimeMillisUnsafe()
    const last = touched.get(id)
    if (last !== undefined && now - last < interval) return
    if (touched.size >= capacity) touched.clear()
    touched.set(id, now)
    due.push(id)
    Queue.offerUnsafe(wake, undefined)
  }
})

// internal

const interval = Duration.toMillis("1 minute")

/** Projects are collected for this time before a write. */
const gathering = "500 millis"

const capacity = 10_000
