/** Maps the frames of one event, with the maps that are found for its scripts. */
import { ErrataConfig, type ProjectId } from "@errata/core"
import { Remembered } from "@errata/core/internal"
import {
  ArtifactStore,
  BlobStore,
  type EventOfProject,
  type InspectedEvent,
  Inspection,
} from "@errata/core/ports"
import { Cause, Clock, DateTime, Duration, Effect } from "effect"
import * as HostedCandidates from "../hosted/HostedCandidates.js"
import type { SourceMapEngine } from "../SourceMapEngine.js"
import { type EventOutcome, outcomeOf } from "./EventOutcome.js"
import { MapReader, type Reading } from "./MapReader.js"
import { ScriptFinder } from "./ScriptFinder.js"
import { type OpenScripts, ScriptMaps } from "./ScriptMaps.js"
import { StackMapper } from "./StackMapper.js"

export type EventMapper = Effect.Success<ReturnType<typeof make>>

export const make = (engine: SourceMapEngine["Service"]) =>
  Effect.gen(function* () {
    const artifacts = yield* ArtifactStore
    const { sourcemaps: settings } = yield* ErrataConfig
    const reader = new MapReader(engine, yield* BlobStore, settings)
    const finder = new ScriptFinder(artifacts, reader, settings)
    const maps = new ScriptMaps(finder, reader, settings.maxScripts)
    const stacks = new StackMapper(engine, finder, reader)
    const candidates = yield* HostedCandidates.make(settings.lookupLife)
    const used = new Remembered<number>(Duration.hours(1))

    const inspect = ({ event, inspection, projectId }: EventOfProject): InspectedEvent => {
      const { scripts, stacks } = inspection ?? Inspection.of(event, engine.pathOf)
      return { projectId, event, scripts, stacks }
    }

    const outcome = (
      event: InspectedEvent,
      scripts: OpenScripts,
      reading: Reading,
    ): Effect.Effect<EventOutcome> =>
      Effect.map(stacks.map(event, scripts, reading), (mapped) =>
        outcomeOf(event, scripts, mapped, engine.pathOf),
      )

    /** Records that bundles are in use, so that retention keeps them. Once an hour for a bundle is enough. */
    const markUsed = Effect.fnUntraced(function* (projectId: ProjectId, bundleIds: ReadonlyArray<number>) {
      const now = yield* Clock.currentTimeMillis
      const bundles = bundleIds.filter((id) => used.get(id, now) !== true)
      if (bundles.length === 0) return
      for (const id of bundles) used.set(id, true, now)
      yield* Effect.catch(artifacts.markUsed(projectId, bundles, DateTime.makeUnsafe(now)), (error) =>
        Effect.logWarning("Recording the use of uploads failed", Cause.fail(error)),
      )
    })

    return { artifacts, maps, candidates, pathOf: engine.pathOf, inspect, outcome, markUsed }
  })
