/** Background work: one event of a project at a time, and a few projects at a time. */
import type { ProjectId } from "@errata/core"
import type { ErrorEvent } from "@errata/core/ports"
import { Effect, Semaphore } from "effect"

interface EventOfProject {
  readonly projectId: ProjectId
  readonly event: Pick<ErrorEvent, "eventId">
}

/** Returns a function that starts work on an event. If too many of its project wait already, it skips the event. */
export const make = <A extends EventOfProject>(prepare: (item: A) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const places = yield* Semaphore.make(atOnce)
    const waiting = new Map<ProjectId, Map<string, A>>()

    const next = (items: Map<string, A>) =>
      Effect.suspend(() => {
        const [first] = items
        if (first === undefined) return Effect.succeed(false)
        items.delete(first[0])
        return places
          .withPermits(1)(prepare(first[1]))
          .pipe(
            Effect.catchCause((cause) => Effect.logWarning("Preparing source maps failed", cause)),
            Effect.as(true),
          )
      })

    return (item: A): Effect.Effect<void> =>
      Effect.suspend(() => {
        const { event, projectId } = item
        const others = waiting.get(projectId)
        if (others !== undefined) {
          if (others.size < maxWaiting) others.set(event.eventId, item)
          return Effect.void
        }
        const items = new Map([[event.eventId, item]])
        waiting.set(projectId, items)
        return Effect.repeat(next(items), { while: (isMore) => isMore }).pipe(
          Effect.ensuring(Effect.sync(() => waiting.delete(projectId))),
          Effect.interruptible,
          Effect.forkIn(scope),
          Effect.asVoid,
        )
      })
  })

// internal

const atOnce = 4

/** For one project. Waiting events keep their frames in memory. */
const maxWaiting = 32
