/**
 * The port that maps the frames of events to the code that people wrote. Failures of maps, of the store of files and of
 * other servers are statuses of the event, and never errors. `@errata/sourcemap` contains the implementation.
 */
import { Context, Effect } from "effect"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import type { ProjectId } from "../project/Project.js"
import type { Inspection } from "./EventScripts.js"
import type { SourcemapFailureCode } from "./SourcemapFailure.js"
import { type SourcemapResolution, unprocessed } from "./SourcemapResolution.js"

/** An event whose frames are to be mapped. */
export interface EventOfProject {
  readonly projectId: ProjectId
  readonly event: ErrorEvent
  /** Null or missing if it is not known yet. */
  readonly inspection?: Inspection | null
}

/** An event with its frames mapped as far as possible. */
export interface MappedEvent {
  readonly event: ErrorEvent
  readonly resolution: SourcemapResolution
  /** True if another attempt may map more frames. */
  readonly isIncomplete: boolean
}

/** Returns the result if it needs no look-up, otherwise the inspection that `mapUploaded` continues with. */
export type AtOnce = (projectId: ProjectId, event: ErrorEvent) => SourcemapResolution | Inspection

/** `may_help`, or the reason against it. Null for projects without origins, and for addresses that are not https. */
export type HostedAnswer =
  | "may_help"
  | Extract<SourcemapFailureCode, "hosted_fetching_disabled" | "origin_not_authorized">
  | null

export interface FrameMapper {
  /** For events of these projects. */
  readonly begin: (projectIds: Iterable<ProjectId>) => Effect.Effect<AtOnce>
  /**
   * Maps with uploaded maps that are in memory, in the order of the events. Events whose maps may be hosted are `queued`.
   * Null for an event to be retried soon: what it needs loads in the background.
   */
  readonly mapUploaded: (
    events: ReadonlyArray<EventOfProject>,
  ) => Effect.Effect<ReadonlyArray<MappedEvent | null>>
  /** Maps with uploaded maps, and with hosted ones if the host fetches them. */
  readonly map: (event: EventOfProject) => Effect.Effect<MappedEvent>
  /** Returns whether an uploaded or hosted map may help. */
  readonly mayHelp: (event: EventOfProject) => Effect.Effect<HostedAnswer>
}

/** If a host provides no mapper, all events are `unprocessed`. */
export const FrameMapper = Context.Reference<FrameMapper>("@errata/core/sourcemap/FrameMapper", {
  defaultValue: () => none,
})

// internal

const untouched = ({ event }: EventOfProject): MappedEvent => ({
  event,
  resolution: unprocessed,
  isIncomplete: false,
})

const none: FrameMapper = {
  begin: () => Effect.succeed(() => unprocessed),
  mapUploaded: (events) => Effect.succeed(events.map(untouched)),
  map: (event) => Effect.succeed(untouched(event)),
  mayHelp: () => Effect.succeed(null),
}
