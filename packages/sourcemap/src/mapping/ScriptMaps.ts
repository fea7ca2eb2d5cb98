/** Finds and reads the source maps of the scripts of events. */
import type { ProjectId } from "@errata/core"
import type { SourcemapFailureCode } from "@errata/core/internal"
import type { ArtifactFile, InspectedEvent } from "@errata/core/ports"
import { Array, Cause, Effect, Result } from "effect"
import type { HostedMaps } from "../hosted/HostedMaps.js"
import type { MappedScript } from "../SourceMapEngine.js"
import type { MapReader, Reading, ReadMap } from "./MapReader.js"
import type { FoundMap, MapPlace, ScriptFinder, SoughtScript } from "./ScriptFinder.js"

/** An uploaded script, and the key of its map in caches. */
interface GeneratedFile {
  readonly script: ArtifactFile
  readonly map: string
}

/** A script with its map, or the reason why it has none. */
export type OpenScript =
  | {
      readonly script: Pick<MappedScript, "map" | "mapUrl">
      readonly bundleId: number | null
      readonly generated: GeneratedFile | null
    }
  | { readonly code: SourcemapFailureCode }

/** Scripts by their paths. */
export type OpenScripts = ReadonlyMap<string, OpenScript>

export class ScriptMaps {
  constructor(
    private readonly finder: ScriptFinder,
    private readonly maps: MapReader,
    private readonly maxScripts: number,
  ) {}

  /**
   * Finds the uploaded maps of events, with one look-up for each project. Returns them in the order of the scripts of each
   * event, and leaves out events without scripts.
   */
  findAll(
    events: ReadonlyArray<InspectedEvent>,
    mayLoad: boolean,
    how: "remembered" | "anew",
  ): Effect.Effect<ReadonlyMap<InspectedEvent, ReadonlyArray<FoundMap>>> {
    const withScripts = events.filter(({ scripts }) => scripts.length > 0)
    const byProject = Object.values(Array.groupBy(withScripts, ({ projectId }) => String(projectId)))
    return Effect.map(
      Effect.forEach(byProject, (some) => this.findInProject(some, mayLoad, how)),
      (found) => new Map(found.flat()),
    )
  }

  /** Returns whether one of the scripts has an uploaded map. */
  isUploaded(event: InspectedEvent) {
    const reading = { projectId: event.projectId, mayLoad: true }
    return Effect.map(this.finder.find(reading, this.soughtOf(event), "anew"), (found) =>
      found.some(Result.isSuccess),
    )
  }

  /** Reads the maps of an event's scripts. Scripts above the limit are `limit_exceeded`. */
  openAll(
    { scripts }: InspectedEvent,
    found: ReadonlyArray<FoundMap>,
    reading: Reading,
  ): Effect.Effect<OpenScripts> {
    return Effect.map(
      Effect.forEach(scripts, ({ path }, i) =>
        Effect.map(
          this.open(found[i] ?? Result.fail("limit_exceeded"), reading),
          (open) => [path, open] as const,
        ),
      ),
      (opened) => new Map(opened),
    )
  }

  /** Reads the map that is published for a script. */
  openHosted(hosted: HostedMaps["Service"], projectId: ProjectId, path: string): Effect.Effect<OpenScript> {
    return hosted.find(projectId, path).pipe(
      Effect.flatMap(({ json, url }) =>
        Effect.map(this.maps.readJson(json, projectId), (read) => openScript(read, url, null, null)),
      ),
      Effect.catchTags({
        HostedMapUnavailable: ({ code }) => Effect.succeed<OpenScript>({ code }),
        StorageError: (error) =>
          Effect.as(Effect.logWarning("Looking up hosted source maps failed", Cause.fail(error)), {
            code: "storage_unavailable" as const,
          }),
      }),
    )
  }

  private soughtOf({ event, scripts }: InspectedEvent): ReadonlyArray<SoughtScript> {
    return scripts
      .slice(0, this.maxScripts)
      .map((script) => ({ ...script, release: event.release, dist: event.details.dist }))
  }

  private findInProject(
    events: Array.NonEmptyReadonlyArray<InspectedEvent>,
    mayLoad: boolean,
    how: "remembered" | "anew",
  ) {
    const sought = events.map((event) => this.soughtOf(event))
    return this.finder.find({ projectId: events[0].projectId, mayLoad }, sought.flat(), how).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning("Looking up uploaded source maps failed", Cause.fail(error)),
          sought.flat().map((): FoundMap => Result.fail("storage_unavailable")),
        ),
      ),
      Effect.map((places) => {
        const rest = [...places]
        return events.map((event, i) => [event, rest.splice(0, sought[i]!.length)] as const)
      }),
    )
  }

  private open(found: FoundMap, reading: Reading): Effect.Effect<OpenScript> {
    return Result.isFailure(found)
      ? Effect.succeed({ code: found.failure })
      : this.openPlace(found.success, reading)
  }

  private openPlace(place: MapPlace, reading: Reading): Effect.Effect<OpenScript> {
    const { mapUrl, script } = place
    if (place._tag === "Inline") {
      const { bundleId, blob } = place.script
      return Effect.map(this.maps.readInline(place.script, place.address, reading), (read) =>
        openScript(read, mapUrl, bundleId, { script: place.script, map: blob }),
      )
    }
    const { blob, bundleId } = place.file
    return Effect.map(this.maps.read(place.file, reading), (read) =>
      openScript(read, mapUrl, bundleId, script === null ? null : { script, map: blob }),
    )
  }
}

/** Returns the bundles that scripts and their maps are from. */
export const bundleIdsOf = (scripts: OpenScripts): ReadonlyArray<number> => {
  const ids = new Set<number>()
  for (const open of scripts.values()) if (!("code" in open) && open.bundleId !== null) ids.add(open.bundleId)
  return [...ids]
}

// internal

const openScript = (
  read: ReadMap,
  mapUrl: string,
  bundleId: number | null,
  generated: GeneratedFile | null,
): OpenScript =>
  Result.isFailure(read)
    ? { code: read.failure }
    : { script: { map: read.success, mapUrl }, bundleId, generated }
