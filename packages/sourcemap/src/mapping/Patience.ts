/** Which events wait for their source maps, and since when. */
import type { ErrorEvent, ProjectId } from "@errata/core"
import { Duration } from "effect"

export class Patience {
  /** By event, in the order in which they began to wait. */
  private readonly waiting = new Map<ProjectId, Map<string, number>>()
  private readonly longest: number

  constructor(longest: Duration.Duration) {
    this.longest = Duration.toMillis(longest)
  }

  /** True if an event may wait, or go on waiting. Of one project only so many wait at a time. */
  mayWait(projectId: ProjectId, { eventId }: Pick<ErrorEvent, "eventId">, now: number): boolean {
    const events = this.waiting.get(projectId) ?? new Map<string, number>()
    const since = events.get(eventId)
    if (since !== undefined) return now < since + this.longest
    for (const [other, began] of events) {
      // Another node has recorded those meanwhile.
      if (now < began + 2 * this.longest) break
      events.delete(other)
    }
    if (events.size >= maxWaiting || this.longest === 0) return false
    events.set(eventId, now)
    this.waiting.set(projectId, events)
    return true
  }

  /** The event waits no more. */
  end(projectId: ProjectId, { eventId }: Pick<ErrorEvent, "eventId">): void {
    const events = this.waiting.get(projectId)
    events?.delete(eventId)
    if (events?.size === 0) this.waiting.delete(projectId)
  }
}

// internal

/** Events of a project; each is decoded several times until it is recorded. */
const maxWaiting = 1_000
