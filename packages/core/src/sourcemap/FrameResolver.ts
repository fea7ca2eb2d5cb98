/**
 * Maps the frames of events to the code that people wrote, from what was uploaded; where it is asked to, from hosted maps
 * as well. Nothing that a map, a store of files or a foreign server does fails an event: it is told by its status.
 */
import { Cause, Clock, Context, DateTime, Duration, Effect, Layer, Option, Result, type Scope } from "effect"
import { type ArtifactFile, ArtifactFiles } from "../artifact/ArtifactFiles.js"
import { BlobStore } from "../artifact/BlobStore.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import { Remembered } from "../internal/Remembered.js"
import type { ProjectId } from "../project/Project.js"
import { AuthorizedOrigins } from "./AuthorizedOrigins.js"
import { hasScript, Inspection } from "./EventScripts.js"
import * as HostedCandidates from "./HostedCandidates.js"
import type { HostedMaps } from "./HostedMaps.js"
import { MapReader, type Reading } from "./MapReader.js"
import { Patience } from "./Patience.js"
import * as Preparations from "./Preparations.js"
import { PreparedStacks } from "./PreparedStacks.js"
import * as ResolvedFrames from "./ResolvedFrames.js"
import { type FoundMap, type MapPlace, ScriptFinder, type SoughtScript } from "./ScriptFinder.js"
import { webOriginOf } from "./ScriptNames.js"
import {
  type GeneratedScript,
  type MappedScript,
  type ReadTexts,
  SourceMapEngine,
} from "./SourceMapEngine.js"
import { mayPass, type SourcemapFailureCode } from "./SourcemapFailure.js"
import { resolutionOf, type SourcemapResolution, unprocessed, withoutUploads } from "./SourcemapResolution.js"

export interface EventOfProject {
  readonly projectId: ProjectId
  readonly event: ErrorEvent
  /** Where that is known already. */
  readonly inspection?: Inspection | null
}

/** An event with its frames mapped as far as they can be. */
export interface ResolvedEvent {
  readonly event: ErrorEvent
  readonly resolution: SourcemapResolution
  /** True if another attempt may map more frames. */
  readonly isIncomplete: boolean
}

/** What is known without a question to anybody; where somebody has to be asked, what `resolveUploaded` goes on with. */
export type AtOnce = (projectId: ProjectId, event: ErrorEvent) => SourcemapResolution | Inspection

/** Where a host provides no engine, all events are `unprocessed`. */
export class FrameResolver extends Context.Service<FrameResolver>()("@errata/core/sourcemap/FrameResolver", {
  make: Effect.gen(function* () {
    const engine = yield* Effect.serviceOption(SourceMapEngine)
    return Option.isNone(engine) ? none : yield* make(engine.value)
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(Layer.provide(AuthorizedOrigins.Default))
}

// internal

interface Shape {
  /** For the events of these projects. */
  readonly begin: (projectIds: Iterable<ProjectId>) => Effect.Effect<AtOnce>
  /**
   * Maps from uploads that are in memory, in the order of the events. Reports whose maps may still be had are `queued`.
   * Null of an event that should be tried again soon: what it needs is loaded in the background.
   */
  readonly resolveUploaded: (
    events: ReadonlyArray<EventOfProject>,
  ) => Effect.Effect<ReadonlyArray<ResolvedEvent | null>>
  /** Maps from what was uploaded, and from hosted maps where somebody gets them. */
  readonly resolve: (
    event: EventOfProject,
    hosted: HostedMaps["Service"] | null,
  ) => Effect.Effect<ResolvedEvent>
  /** Whether there is anything that the event could be mapped by. */
  readonly mayHelp: (event: EventOfProject) => Effect.Effect<HostedCandidates.HostedAnswer>
}

const withoutScripts = (event: ErrorEvent): ResolvedEvent => ({
  event,
  resolution: unprocessed,
  isIncomplete: false,
})

const none: Shape = {
  begin: () => Effect.succeed(() => unprocessed),
  resolveUploaded: (events) => Effect.succeed(events.map(({ event }) => withoutScripts(event))),
  resolve: ({ event }) => Effect.succeed(withoutScripts(event)),
  mayHelp: () => Effect.succeed(null),
}

const make = (
  engine: SourceMapEngine["Service"],
): Effect.Effect<Shape, never, AuthorizedOrigins | ArtifactFiles | BlobStore | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* ArtifactFiles
    const blobs = yield* BlobStore
    const { sourcemaps: settings } = yield* ErrataConfig
    const maps = new MapReader(engine, blobs, settings)
    const finder = new ScriptFinder(files, maps, settings)
    const withFiles = new Remembered<ProjectId>(settings.lookupLife)
    const candidates = yield* HostedCandidates.make(settings.lookupLife)

    const inspected = ({ event, inspection, projectId }: EventOfProject): Inspected => {
      const { scripts, stacks } = inspection ?? Inspection.of(event, engine.pathOf)
      return { projectId, event, scripts, stacks }
    }

    const begin: Shape["begin"] = (projectIds) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const unknown = [...new Set(projectIds)].filter((id) => withFiles.get(id, now) === undefined)
        if (unknown.length > 0) {
          const found = yield* Effect.option(files.projectsWithFiles(unknown))
          // A storage that is away is not asked for each event: recording them waits for it anyway.
          if (Option.isSome(found)) for (const id of unknown) withFiles.set(id, found.value.has(id), now)
        }
        return (projectId, event) => {
          const hasFiles = withFiles.get(projectId, now) !== false
          // The same is true of all scripts then, and one of them is enough.
          if (!hasFiles && event.details.debug_images.length === 0 && candidates.isNothing(projectId, now)) {
            return hasScript(event, engine.pathOf) ? withoutUploads(event, null, null) : unprocessed
          }
          const inspection = Inspection.of(event, engine.pathOf)
          const { scripts } = inspection
          if (scripts.length === 0) return unprocessed
          if (hasFiles) return inspection
          const hosted = candidates.known(projectId, scripts, now)
          return hosted === undefined ? inspection : withoutUploads(event, scripts, hosted)
        }
      })

    /** The scripts that an attempt looks for among what was uploaded. */
    const soughtOf = ({ event, scripts }: Inspected): ReadonlyArray<SoughtScript> =>
      scripts
        .slice(0, settings.maxScripts)
        .map((script) => ({ ...script, release: event.release, dist: event.details.dist }))

    /** Looks up what was uploaded for the scripts of events, project by project. */
    const findAll = (inspected: ReadonlyArray<Inspected>, mayLoad: boolean, how: "remembered" | "anew") =>
      Effect.gen(function* () {
        const found = new Map<Inspected, ReadonlyArray<FoundMap>>()
        const byProject = new Map<ProjectId, Array<Inspected>>()
        for (const item of inspected) {
          if (item.scripts.length === 0) continue
          const others = byProject.get(item.projectId)
          if (others === undefined) byProject.set(item.projectId, [item])
          else others.push(item)
        }
        for (const [projectId, items] of byProject) {
          const sought = items.map(soughtOf)
          const places = yield* Effect.result(finder.find({ projectId, mayLoad }, sought.flat(), how))
          if (Result.isFailure(places)) {
            yield* Effect.logWarning("Looking up uploaded source maps failed", places.failure)
          }
          let next = 0
          for (const [i, item] of items.entries()) {
            const of = sought[i]!
            found.set(
              item,
              Result.isFailure(places)
                ? of.map(() => Result.fail("storage_unavailable"))
                : places.success.slice(next, next + of.length),
            )
            next += of.length
          }
        }
        return found
      })

    /** Reads the maps of an event's scripts. */
    const open = (item: Inspected, found: ReadonlyArray<FoundMap>, reading: Reading) =>
      Effect.gen(function* () {
        const scripts = new Map<string, OpenScript>()
        for (const [i, { path }] of item.scripts.entries()) {
          const place = found[i]
          if (place === undefined) scripts.set(path, { code: "limit_exceeded" })
          else if (Result.isFailure(place)) scripts.set(path, { code: place.failure })
          else scripts.set(path, yield* openPlace(place.success, reading))
        }
        return scripts
      })

    const openPlace = (place: MapPlace, reading: Reading): Effect.Effect<OpenScript> =>
      place._tag === "Inline"
        ? Effect.map(maps.readInline(place.script, place.address, reading), (read) =>
            openScript(read, place.mapUrl, place.script.bundleId, {
              script: place.script,
              map: place.script.blob,
            }),
          )
        : Effect.map(maps.read(place.file, reading), (read) =>
            openScript(
              read,
              place.mapUrl,
              place.file.bundleId,
              place.script === null ? null : { script: place.script, map: place.file.blob },
            ),
          )

    const openScript = (
      read: Effect.Success<ReturnType<typeof maps.read>>,
      mapUrl: string,
      bundleId: number | null,
      generated: Generated | null,
    ): OpenScript =>
      Result.isFailure(read)
        ? { code: read.failure }
        : { script: { map: read.success, mapUrl }, bundleId, generated }

    const engineOn = (
      item: Inspected,
      scripts: ReadonlyMap<string, OpenScript>,
      { functions, sources, texts }: Beside,
    ) => {
      const asked: Asked = { sources: new Set(), scripts: new Set() }
      const sourceAt = (url: string) => {
        const source = sources.get(url)
        if (source === undefined && asked.sources.size < maxSources) asked.sources.add(url)
        return source ?? null
      }
      const scriptOf = (path: string): MappedScript | SourcemapFailureCode => {
        const open = scripts.get(path)
        if (open === undefined) return "limit_exceeded"
        if ("code" in open) return open.code
        const functionsOf = () => {
          if (!functions.has(path)) asked.scripts.add(path)
          return functions.get(path) ?? null
        }
        return { ...open.script, sourceAt, functions: functionsOf }
      }
      return { asked, stacks: item.stacks.map(({ frames }) => engine.resolve(frames, scriptOf, texts)) }
    }

    /**
     * Maps the stacks of an event. The engine requests sources that the maps lack, then texts that are not read yet, then
     * scripts that name functions. They are read, and the stacks are mapped once more.
     */
    const map = (item: Inspected, scripts: ReadonlyMap<string, OpenScript>, reading: Reading) =>
      Effect.gen(function* () {
        const { details, release } = item.event
        let isCut = false
        let beside: Beside = { sources: new Map(), functions: new Map(), texts: null }
        let mapped = engineOn(item, scripts, beside)
        if (mapped.asked.sources.size > 0 && release !== "") {
          const found = yield* Effect.option(
            finder.findSources(item.projectId, { release, dist: details.dist }, [...mapped.asked.sources]),
          )
          isCut ||= Option.isNone(found)
          if (Option.isSome(found) && found.value.size > 0) {
            const read = yield* readSources(found.value, reading)
            isCut ||= read.isCut
            beside = { ...beside, sources: read.sources }
            mapped = engineOn(item, scripts, beside)
          }
        }
        const unread = mapped.stacks.flatMap((stack) => stack.unread)
        if (unread.length > 0 && reading.mayLoad) {
          const texts = yield* Effect.option(engine.readTexts(unread, item.projectId))
          isCut ||= Option.isNone(texts)
          beside = { ...beside, texts: Option.getOrNull(texts) }
          mapped = engineOn(item, scripts, beside)
        } else isCut ||= unread.length > 0
        if (mapped.asked.scripts.size > 0) {
          const read = yield* readFunctions(scripts, mapped.asked.scripts, reading)
          isCut ||= read.isCut
          if (read.functions.size > 0) {
            mapped = engineOn(item, scripts, { ...beside, functions: read.functions })
          }
        }
        return { stacks: mapped.stacks, isCut }
      })

    const readFunctions = (
      scripts: ReadonlyMap<string, OpenScript>,
      asked: ReadonlySet<string>,
      reading: Reading,
    ) =>
      Effect.gen(function* () {
        const functions = new Map<string, GeneratedScript>()
        let isCut = false
        for (const path of asked) {
          const open = scripts.get(path)!
          if ("code" in open || open.generated === null) continue
          const { map, script } = open.generated
          const read = yield* maps.readFunctions(script, open.script.map, map, reading)
          if (Result.isSuccess(read) && read.success !== null) functions.set(path, read.success)
          isCut ||= Result.isFailure(read) && mayPass(read.failure)
        }
        return { functions, isCut }
      })

    const readSources = (found: ReadonlyMap<string, ArtifactFile>, reading: Reading) =>
      Effect.gen(function* () {
        const sources = new Map<string, string>()
        let isCut = false
        for (const [url, file] of found) {
          if (file.size > maxSourceBytes) continue
          const content = yield* maps.source(file, reading)
          if (Result.isSuccess(content)) sources.set(url, content.success)
          else isCut ||= mayPass(content.failure)
        }
        return { sources, isCut }
      })

    /** What became of the frames by these scripts. */
    const outcome = (item: Inspected, scripts: ReadonlyMap<string, OpenScript>, reading: Reading) =>
      Effect.gen(function* () {
        const { isCut, stacks: resolved } = yield* map(item, scripts, reading)
        const codes: Array<SourcemapFailureCode> = []
        const unmapped = new Set<string>()
        let isMapped = false
        const stacks = item.stacks.map((stack, s): ResolvedFrames.MappedStack => {
          const { frames, outcomes } = resolved[s]!
          for (const [i, outcome] of outcomes.entries()) {
            if (outcome === "mapped") isMapped = true
            else if (outcome !== "no_candidate") {
              codes.push(outcome)
              const path = engine.pathOf(stack.frames[i]!)
              if (path !== null) unmapped.add(path)
            }
          }
          return { of: stack.of, index: stack.index, frames, isMapped: (i) => outcomes[i] === "mapped" }
        })
        const frames = isMapped ? ResolvedFrames.encode(stacks) : null
        // Not those that have a map without a mapping for the frame: another one would not have it either.
        const without = item.scripts.filter(
          ({ path }) => unmapped.has(path) && "code" in (scripts.get(path) ?? { code: null }),
        )
        return {
          codes,
          isMapped,
          frames,
          without,
          bundleIds: bundleIdsOf(scripts.values()),
          isIncomplete: isCut || codes.some(mayPass),
        }
      })

    type Outcome = Effect.Success<ReturnType<typeof outcome>>

    const finished = (
      { event }: Inspected,
      { codes, frames, isIncomplete, isMapped, without }: Outcome,
      isQueued: boolean,
      hosted: HostedCandidates.HostedAnswer,
    ): ResolvedEvent => ({
      event: frames === null ? event : { ...event, details: ResolvedFrames.overlay(event.details, frames) },
      resolution: resolutionOf({
        codes: hosted === null || hosted === "may_help" ? codes : [...codes, hosted],
        isMapped,
        frames,
        isQueued,
        unmapped: without,
      }),
      isIncomplete,
    })

    /** As it was sent: a report is not grouped by a stack that is mapped in part. */
    const raw = ({ event, scripts }: Inspected): ResolvedEvent => ({
      event,
      resolution: resolutionOf({
        codes: [],
        isMapped: false,
        frames: null,
        isQueued: true,
        unmapped: scripts,
      }),
      isIncomplete: true,
    })

    /** Retention keeps what is of use. Once an hour for a bundle says as much as with each event. */
    const used = new Remembered<number>(Duration.hours(1))
    const markUsed = (projectId: ProjectId, bundleIds: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const bundles = bundleIds.filter((id) => used.get(id, now) !== true)
        if (bundles.length === 0) return
        for (const id of bundles) used.set(id, true, now)
        yield* files
          .markUsed(projectId, bundles, DateTime.makeUnsafe(now))
          .pipe(
            Effect.catch((error) =>
              Effect.logWarning("Recording the use of uploads failed", Cause.fail(error)),
            ),
          )
      })

    const prepared = new PreparedStacks<Outcome>(settings.patience, settings.cacheBytes / 4)

    /** Has in memory afterwards what an event needs, as far as that can be had. */
    const prepare = yield* Preparations.make((item: Inspected) =>
      Effect.gen(function* () {
        const reading = { projectId: item.projectId, mayLoad: true }
        const places = (yield* findAll([item], true, "remembered")).get(item) ?? []
        const result = yield* outcome(item, yield* open(item, places, reading), reading)
        if (!result.isIncomplete) prepared.set(item, result, yield* Clock.currentTimeMillis)
      }),
    )

    const patience = new Patience(settings.patience)

    const resolveInMemory = (item: Inspected, places: ReadonlyArray<FoundMap>) =>
      Effect.gen(function* () {
        const reading = { projectId: item.projectId, mayLoad: false }
        const now = yield* Clock.currentTimeMillis
        const atOnce = yield* outcome(item, yield* open(item, places, reading), reading)
        const result = atOnce.isIncomplete ? (prepared.get(item, now) ?? atOnce) : atOnce
        if (result.isIncomplete) {
          yield* prepare(item)
          if (patience.mayWait(item.projectId, item.event, now)) return null
        }
        patience.end(item.projectId, item.event)
        if (result.isIncomplete) return raw(item)
        yield* markUsed(item.projectId, result.bundleIds)
        const hosted = yield* candidates.ask(item.projectId, result.without)
        return finished(item, result, hosted === "may_help", hosted)
      })

    const resolveUploaded: Shape["resolveUploaded"] = (events) =>
      Effect.gen(function* () {
        const items = events.map(inspected)
        const found = yield* findAll(items, false, "remembered")
        return yield* Effect.forEach(items, (item) => {
          const places = found.get(item)
          return places === undefined
            ? Effect.succeed(withoutScripts(item.event))
            : resolveInMemory(item, places)
        })
      })

    /** Asks where a script is published for what was not uploaded. */
    const openHosted = (hosted: HostedMaps["Service"], projectId: ProjectId, path: string) =>
      Effect.gen(function* () {
        const { json, url } = yield* hosted.find(projectId, path)
        return openScript(yield* maps.readJson(json, projectId), url, null, null)
      }).pipe(
        Effect.catchTags({
          HostedMapUnavailable: ({ code }) => Effect.succeed<OpenScript>({ code }),
          StorageError: (error) =>
            Effect.as(Effect.logWarning("Looking up hosted source maps failed", Cause.fail(error)), {
              code: "storage_unavailable" as const,
            }),
        }),
      )

    const resolve: Shape["resolve"] = (given, hosted) =>
      Effect.gen(function* () {
        const item = inspected(given)
        const reading = { projectId: item.projectId, mayLoad: true }
        const places = (yield* findAll([item], true, "anew")).get(item)
        if (places === undefined) return withoutScripts(given.event)
        const scripts = yield* open(item, places, reading)
        const result = yield* outcome(item, scripts, reading)
        const answer = yield* candidates.askAnew(item.projectId, result.without)
        if (hosted === null || answer !== "may_help") {
          yield* markUsed(item.projectId, result.bundleIds)
          return finished(item, result, false, answer)
        }
        const published = result.without.filter(({ path }) => webOriginOf(path) !== null)
        for (const { path } of published.slice(0, maxHosted)) {
          scripts.set(path, yield* openHosted(hosted, item.projectId, path))
        }
        const all = yield* outcome(item, scripts, reading)
        yield* markUsed(item.projectId, all.bundleIds)
        return finished(item, all, false, null)
      })

    const mayHelp: Shape["mayHelp"] = (given) =>
      Effect.gen(function* () {
        const item = inspected(given)
        const hosted = yield* candidates.askAnew(item.projectId, item.scripts)
        if (hosted === "may_help") return hosted
        const reading = { projectId: item.projectId, mayLoad: true }
        const found = yield* finder.find(reading, soughtOf(item), "anew")
        return found.some(Result.isSuccess) ? "may_help" : hosted
      }).pipe(
        // Whether the storage has something is found out by the attempt.
        Effect.catch((error) =>
          Effect.as(
            Effect.logWarning("Looking up uploaded source maps failed", Cause.fail(error)),
            "may_help" as const,
          ),
        ),
      )

    return { begin, resolveUploaded, resolve, mayHelp }
  })

type Inspected = Inspection & Pick<EventOfProject, "projectId" | "event">

/** Files beside the maps, by the names of sources and the paths of scripts. */
interface Beside {
  readonly sources: ReadonlyMap<string, string>
  readonly functions: ReadonlyMap<string, GeneratedScript>
  readonly texts: ReadTexts | null
}

/** Files that the engine asked for. */
interface Asked {
  readonly sources: Set<string>
  readonly scripts: Set<string>
}

/** A script that was uploaded, and what its map is known by. */
interface Generated {
  readonly script: ArtifactFile
  readonly map: string
}

/** A script with its map, or why there is none. */
type OpenScript =
  | {
      readonly script: Pick<MappedScript, "map" | "mapUrl">
      readonly bundleId: number | null
      readonly generated: Generated | null
    }
  | { readonly code: SourcemapFailureCode }

/** The uploads that scripts and their maps are in. */
const bundleIdsOf = (scripts: Iterable<OpenScript>): ReadonlyArray<number> => {
  const ids = new Set<number>()
  for (const open of scripts) if (!("code" in open) && open.bundleId !== null) ids.add(open.bundleId)
  return [...ids]
}

/** Scripts of one report that are asked for where they are published. */
const maxHosted = 20

/** Sources that did not come with their maps, of one report. */
const maxSources = 30
const maxSourceBytes = 1024 * 1024
