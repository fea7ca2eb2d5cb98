/** The scripts that the frames of an event are in. */
import { normalizeDebugId } from "../artifact/DebugIds.js"
import type { ErrorEvent, Frame, Json } from "../event/ErrorEvent.js"
import type { ProjectId } from "../project/Project.js"
import type { StackPlace } from "./ResolvedFrames.js"

/** A script as an event names it. */
export interface EventScript {
  /** The `abs_path` or `filename` of its frames. */
  readonly path: string
  /** In lower case with hyphens; null if the event has none for it. */
  readonly debugId: string | null
}

interface EventStack extends StackPlace {
  readonly frames: ReadonlyArray<Frame>
}

/** The stacks of an event that have frames, and the scripts of those frames. */
export class Inspection {
  constructor(
    readonly stacks: ReadonlyArray<EventStack>,
    readonly scripts: ReadonlyArray<EventScript>,
  ) {}

  static of(event: ErrorEvent, pathOf: (frame: Frame) => string | null): Inspection {
    if (!isJavaScript(event)) return nothing
    const stacks = stacksOf(event)
    return new Inspection(stacks, scriptsOf(event, stacks, pathOf))
  }
}

/** An event of a project, with its stacks and scripts. */
export interface InspectedEvent extends Inspection {
  readonly projectId: ProjectId
  readonly event: ErrorEvent
}

/** Returns true if a frame of the event is in a script. */
export const hasScript = (event: ErrorEvent, pathOf: (frame: Frame) => string | null): boolean =>
  isJavaScript(event) && stacksOf(event).some(({ frames }) => frames.some((frame) => pathOf(frame) !== null))

/** Returns true for events of JavaScript. Other events have no source maps. */
export const isJavaScript = ({ details, platform }: ErrorEvent): boolean =>
  platform === "javascript" || platform === "node" || details.debug_images.some(isSourceMapImage)

/** The stacks of an event that have frames. */
const stacksOf = ({ details }: ErrorEvent): ReadonlyArray<EventStack> => {
  const stacks: Array<EventStack> = []
  for (const [index, { frames }] of details.exceptions.entries()) {
    if (frames.length > 0) stacks.push({ of: "e", index, frames })
  }
  for (const [index, { frames }] of details.threads.entries()) {
    if (frames.length > 0) stacks.push({ of: "t", index, frames })
  }
  return stacks
}

/**
 * The distinct scripts of frames. Those of the innermost frames of the last stack come first, because they matter most if
 * there are too many.
 */
const scriptsOf = (
  event: ErrorEvent,
  stacks: ReadonlyArray<EventStack>,
  pathOf: (frame: Frame) => string | null,
): ReadonlyArray<EventScript> => {
  const paths = new Set<string>()
  for (let s = stacks.length - 1; s >= 0; s--) {
    const { frames } = stacks[s]!
    for (let i = frames.length - 1; i >= 0; i--) {
      const path = pathOf(frames[i]!)
      if (path !== null) paths.add(path)
    }
  }
  if (paths.size === 0) return []
  const idOf = debugIdsOf(event)
  return Array.from(paths, (path) => ({ path, debugId: idOf.get(path) ?? null }))
}

/** Keyed by the address of the script. */
const debugIdsOf = ({ details }: ErrorEvent): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const image of details.debug_images) {
    if (!isSourceMapImage(image)) continue
    const { code_file: file, debug_id: id } = image
    const parsed = typeof id === "string" ? normalizeDebugId(id) : null
    if (typeof file === "string" && parsed !== null && !ids.has(file)) ids.set(file, parsed)
  }
  return ids
}

// internal

const nothing = new Inspection([], [])

const isSourceMapImage = (image: { readonly [key: string]: Json }): boolean => image["type"] === "sourcemap"
