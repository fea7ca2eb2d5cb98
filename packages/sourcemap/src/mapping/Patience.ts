/** Tracks the events that wait for their source maps. */
import type { ProjectId } from "@errata/core"
import type { ErrorEvent } from "@errata/core/ports"
import { Duration } from "effect"

export class Patience {
  /** Start times by event, in the order of the starts. */
  private readonly waiting = new Map<ProjectId, Map<string, number>>()
  private readonly longest: number

  constructor(longest: Duration.Duration) {
    this.longest = Duration.toMillis(longest)
  }

  /** Returns true if an event may wait. The number of waiting events of a project is limited. */
  mayWait(projectId: ProjectId, { eventId }: Pick<ErrorEvent, "eventId">, now: number): boolean {
    const events = this.waiting.get(projectId) ?? new Map<string, number>()
    const since = events.get(eventId)
    if (since !== undefined) return now < since + this.longest
    for (const [other, began] of events) {
      // Another node has recorded these events.
      if (now < began + 2 * this.longest) break
      events.delete(other)
    }
    if (events.size >= maxWaiting || this.longest === 0) return false
    events.set(eventId, now)
    this.waiting.set(projectId, events)
    return true
  }

  /** Ends the waiting of an event. */
  end(projectId: ProjectId, { eventId }: Pick<ErrorEvent, "eventId">): void {
    const events = this.waiting.get(projectId)
    events?.delete(eventId)
    if (events?.size === 0) this.waiting.delete(projectId)
  }
}

// internal

/** For one project. Each event is decoded several times while it waits. */
const maxWaiting = 1_000
