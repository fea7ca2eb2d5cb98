/** Recognizes an error object that several handlers report, so that each of its occurrences is stored once. */
import type { ProjectRef } from "@errata/effect/capture"

/** The request or job in which an error is captured. */
export interface Place {
  /** The request or job; null outside of any. */
  readonly work: object | null
  /** The trace; undefined outside of any. */
  readonly traceId: string | undefined
  readonly project: ProjectRef | undefined
}

export class Occurrences {
  private readonly known = new WeakMap<object, Known>()

  /** Returns the event's id if the error was captured before in the same request or trace. */
  find(error: unknown, place: Place): string | undefined {
    if (typeof error !== "object" || error === null) return undefined
    const last = this.known.get(error)
    if (last === undefined || idOf(last.project) !== idOf(place.project)) return undefined
    if (last.work !== null && last.work === place.work) return last.eventId
    if (last.traceId !== undefined && last.traceId === place.traceId) return last.eventId
    // A span recorded the error, and its caller captured it outside of the trace. Later captures are other occurrences.
    if (last.isPaired || (last.traceId === undefined) === (place.traceId === undefined)) return undefined
    this.known.set(error, { ...last, traceId: last.traceId ?? place.traceId, isPaired: true })
    return last.eventId
  }

  add(error: unknown, place: Place, eventId: string): void {
    if (typeof error === "object" && error !== null)
      this.known.set(error, { ...place, eventId, isPaired: false })
  }
}

// internal

interface Known extends Place {
  readonly eventId: string
  /** True after it was found once inside and once outside of a trace. */
  readonly isPaired: boolean
}

const idOf = (project: ProjectRef | undefined): number | undefined =>
  typeof project === "object" ? project.id : project
