/** Maps events while they are recorded, with uploaded maps that are in memory. Others load in the background. */
import type { ErrataSettings } from "@errata/core"
import type { FrameMapper, InspectedEvent } from "@errata/core/ports"
import { Clock, Effect } from "effect"
import type { EventMapper } from "./EventMapper.js"
import { type EventOutcome, eventWithoutScripts, mappedEvent, rawEvent } from "./EventOutcome.js"
import { Patience } from "./Patience.js"
import * as Preparations from "./Preparations.js"
import { PreparedStacks } from "./PreparedStacks.js"
import type { FoundMap } from "./ScriptFinder.js"

export const make = (mapper: EventMapper, settings: ErrataSettings["sourcemaps"]) =>
  Effect.gen(function* () {
    const { candidates, maps } = mapper
    const prepared = new PreparedStacks<EventOutcome>(settings.patience, settings.cacheBytes / 4)
    const patience = new Patience(settings.patience)

    const prepare = yield* Preparations.make((event: InspectedEvent) =>
      Effect.gen(function* () {
        const reading = { projectId: event.projectId, mayLoad: true }
        const places = (yield* maps.findAll([event], true, "remembered")).get(event) ?? []
        const outcome = yield* mapper.outcome(event, yield* maps.openAll(event, places, reading), reading)
        if (!outcome.isIncomplete) prepared.set(event, outcome, yield* Clock.currentTimeMillis)
      }),
    )

    /** Null if the event waits for its maps. */
    const mapInMemory = Effect.fnUntraced(function* (event: InspectedEvent, places: ReadonlyArray<FoundMap>) {
      const { projectId } = event
      const reading = { projectId, mayLoad: false }
      const now = yield* Clock.currentTimeMillis
      const atOnce = yield* mapper.outcome(event, yield* maps.openAll(event, places, reading), reading)
      const outcome = atOnce.isIncomplete ? (prepared.get(event, now) ?? atOnce) : atOnce
      if (outcome.isIncomplete) {
        yield* prepare(event)
        if (patience.mayWait(projectId, event.event, now)) return null
      }
      patience.end(projectId, event.event)
      if (outcome.isIncomplete) return rawEvent(event)
      yield* mapper.markUsed(projectId, outcome.bundleIds)
      const hosted = yield* candidates.ask(projectId, outcome.unmapped)
      return mappedEvent(event, outcome, hosted, hosted === "may_help")
    })

    const mapUploaded: FrameMapper["mapUploaded"] = Effect.fnUntraced(function* (given) {
      const events = given.map(mapper.inspect)
      const found = yield* maps.findAll(events, false, "remembered")
      return yield* Effect.forEach(events, (event) => {
        const places = found.get(event)
        return places === undefined ? Effect.succeed(eventWithoutScripts(event)) : mapInMemory(event, places)
      })
    })

    return mapUploaded
  })
