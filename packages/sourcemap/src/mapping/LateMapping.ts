/** Maps events after they are recorded, with uploaded maps and with hosted ones. It waits for what it needs. */
import type { FrameMapper, InspectedEvent } from "@errata/core/ports"
import { Cause, Effect } from "effect"
import type { HostedMaps } from "../hosted/HostedMaps.js"
import { webOriginOf } from "../script/ScriptNames.js"
import type { EventMapper } from "./EventMapper.js"
import { eventWithoutScripts, mappedEvent } from "./EventOutcome.js"
import type { OpenScripts } from "./ScriptMaps.js"

export const make = (
  mapper: EventMapper,
  hosted: HostedMaps["Service"] | null,
): Pick<FrameMapper, "map" | "mayHelp"> => {
  const { candidates, maps } = mapper

  /** Adds the published maps of scripts. */
  const withHosted = (
    hosted: HostedMaps["Service"],
    { projectId }: InspectedEvent,
    scripts: OpenScripts,
    paths: ReadonlyArray<string>,
  ) =>
    Effect.map(
      Effect.forEach(paths, (path) =>
        Effect.map(maps.openHosted(hosted, projectId, path), (open) => [path, open] as const),
      ),
      (opened): OpenScripts => new Map([...scripts, ...opened]),
    )

  const map: FrameMapper["map"] = Effect.fnUntraced(function* (given) {
    const event = mapper.inspect(given)
    const { projectId } = event
    const reading = { projectId, mayLoad: true }
    const places = (yield* maps.findAll([event], true, "anew")).get(event)
    if (places === undefined) return eventWithoutScripts(event)
    const scripts = yield* maps.openAll(event, places, reading)
    const uploaded = yield* mapper.outcome(event, scripts, reading)
    const answer = yield* candidates.askAnew(projectId, uploaded.unmapped)
    if (hosted === null || answer !== "may_help") {
      yield* mapper.markUsed(projectId, uploaded.bundleIds)
      return mappedEvent(event, uploaded, answer)
    }
    const published = uploaded.unmapped.map(({ path }) => path).filter((path) => webOriginOf(path) !== null)
    const all = yield* withHosted(hosted, event, scripts, published.slice(0, maxHosted))
    const outcome = yield* mapper.outcome(event, all, reading)
    yield* mapper.markUsed(projectId, outcome.bundleIds)
    return mappedEvent(event, outcome, null)
  })

  const mayHelp: FrameMapper["mayHelp"] = Effect.fnUntraced(function* (given) {
    const event = mapper.inspect(given)
    const hosted = yield* candidates.askAnew(event.projectId, event.scripts)
    if (hosted === "may_help") return hosted
    const isUploaded = yield* Effect.catch(maps.isUploaded(event), (error) =>
      // The attempt finds out whether the storage has a map.
      Effect.as(Effect.logWarning("Looking up uploaded source maps failed", Cause.fail(error)), true),
    )
    return isUploaded ? "may_help" : hosted
  })

  return { map, mayHelp }
}

// internal

/** Scripts of one report whose published maps are fetched. */
const maxHosted = 20
