/** The result of an attempt to map the frames of an event. */

import { ResolvedFrames, SourcemapFailure, type SourcemapFailureCode } from "@errata/core/internal"
import {
  type EventScript,
  type Frame,
  type HostedAnswer,
  type InspectedEvent,
  type MappedEvent,
  unprocessed,
} from "@errata/core/ports"
import { resolutionOf } from "./Resolutions.js"
import { bundleIdsOf, type OpenScripts } from "./ScriptMaps.js"
import type { MappedStacks } from "./StackMapper.js"

export interface EventOutcome {
  readonly codes: ReadonlyArray<SourcemapFailureCode>
  readonly isMapped: boolean
  readonly frames: Uint8Array | null
  /** Scripts that have no map. A script whose map has no mapping for a frame is not among them. */
  readonly unmapped: ReadonlyArray<EventScript>
  readonly bundleIds: ReadonlyArray<number>
  /** True if another attempt may map more frames. */
  readonly isIncomplete: boolean
}

export const outcomeOf = (
  event: InspectedEvent,
  scripts: OpenScripts,
  { isCut, stacks }: MappedStacks,
  pathOf: (frame: Frame) => string | null,
): EventOutcome => {
  const codes: Array<SourcemapFailureCode> = []
  const failed = new Set<string>()
  let isMapped = false
  const mapped = event.stacks.map((stack, s): ResolvedFrames.MappedStack => {
    const { frames, outcomes } = stacks[s]!
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome === "mapped") isMapped = true
      else if (outcome !== "no_candidate") {
        codes.push(outcome)
        failed.add(pathOf(stack.frames[i]!) ?? "")
      }
    }
    return { of: stack.of, index: stack.index, frames, isMapped: (i) => outcomes[i] === "mapped" }
  })
  const hasNoMap = (path: string) => "code" in (scripts.get(path) ?? { code: null })
  return {
    codes,
    isMapped,
    frames: isMapped ? ResolvedFrames.encode(mapped) : null,
    unmapped: event.scripts.filter(({ path }) => failed.has(path) && hasNoMap(path)),
    bundleIds: bundleIdsOf(scripts),
    isIncomplete: isCut || codes.some(SourcemapFailure.mayPass),
  }
}

/** Returns the event with its mapped frames. It is `queued` if hosted maps may help and are fetched later. */
export const mappedEvent = (
  { event }: InspectedEvent,
  { codes, frames, isIncomplete, isMapped, unmapped }: EventOutcome,
  hosted: HostedAnswer,
  isQueued = false,
): MappedEvent => ({
  event: frames === null ? event : { ...event, details: ResolvedFrames.overlay(event.details, frames) },
  resolution: resolutionOf({
    codes: hosted === null || hosted === "may_help" ? codes : [...codes, hosted],
    isMapped,
    frames,
    isQueued,
    unmapped,
  }),
  isIncomplete,
})

/** Returns the event as it was sent, to be mapped later. A report is not grouped by a stack that is mapped in part. */
export const rawEvent = ({ event, scripts }: InspectedEvent): MappedEvent => ({
  event,
  resolution: resolutionOf({ codes: [], isMapped: false, frames: null, isQueued: true, unmapped: scripts }),
  isIncomplete: true,
})

export const eventWithoutScripts = ({ event }: Pick<InspectedEvent, "event">): MappedEvent => ({
  event,
  resolution: unprocessed,
  isIncomplete: false,
})
