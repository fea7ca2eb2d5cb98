/**
 * Finds the uploaded maps of scripts by their debug ids, then by their names in a release. It needs a fixed number of look-ups
 * for all scripts of a project, and caches the results for some seconds.
 */
import type { ErrataSettings, ProjectId, StorageError } from "@errata/core"
import { Remembered, SourcemapFailure, type SourcemapFailureCode } from "@errata/core/internal"
import type { ArtifactFile, ArtifactStore, EventScript } from "@errata/core/ports"
import { Array, Clock, Effect, Result } from "effect"
import { isDataUrl } from "../script/MapReference.js"
import { baseNameOf, mapUrlFor, namesOf, namesOfMapBeside, resolveReference } from "../script/ScriptNames.js"
import type { MapReader, Reading } from "./MapReader.js"

/** A script of an event, with its release. */
export interface SoughtScript extends EventScript {
  readonly release: string
  readonly dist: string
}

/** The map of a script. */
export type MapPlace =
  | {
      readonly _tag: "Uploaded"
      readonly file: ArtifactFile
      readonly mapUrl: string
      /** Null if it was not uploaded, or is ambiguous. */
      readonly script: ArtifactFile | null
    }
  /** The map is a part of the script. */
  | {
      readonly _tag: "Inline"
      readonly script: ArtifactFile
      /** A `data:` address. */
      readonly address: string
      readonly mapUrl: string
    }

export type FoundMap = Result.Result<MapPlace, SourcemapFailureCode>

export class ScriptFinder {
  private readonly known: Remembered<string, FoundMap>

  constructor(
    private readonly artifacts: ArtifactStore["Service"],
    private readonly maps: MapReader,
    { lookupLife }: ErrataSettings["sourcemaps"],
  ) {
    this.known = new Remembered(lookupLife)
  }

  /** Returns the maps in the order of the scripts. Cached results are not used for `anew`. */
  find(
    reading: Reading,
    scripts: ReadonlyArray<SoughtScript>,
    how: "remembered" | "anew",
  ): Effect.Effect<ReadonlyArray<FoundMap>, StorageError> {
    return Effect.gen({ self: this }, function* () {
      const { projectId } = reading
      const now = yield* Clock.currentTimeMillis
      const found = new Map<string, FoundMap>()
      const unknown = new Map<string, SoughtScript>()
      for (const script of scripts) {
        const key = keyOf(projectId, script)
        const known = how === "remembered" ? this.known.get(key, now) : undefined
        if (known !== undefined) found.set(key, known)
        else unknown.set(key, script)
      }
      if (unknown.size > 0) {
        for (const [key, answer] of yield* this.lookUp(reading, unknown)) {
          found.set(key, answer)
          if (Result.isFailure(answer) && SourcemapFailure.mayPass(answer.failure)) continue
          this.known.set(key, answer, now, weightOf(answer))
        }
      }
      return scripts.map((script) => found.get(keyOf(projectId, script))!)
    })
  }

  /** The sources of a release under these names, by name. */
  findSources(
    projectId: ProjectId,
    { dist, release }: Pick<SoughtScript, "release" | "dist">,
    urls: ReadonlyArray<string>,
  ): Effect.Effect<ReadonlyMap<string, ArtifactFile>, StorageError> {
    return Effect.map(
      this.artifacts.filesByNames(projectId, release, dist, [...new Set(urls.flatMap(namesOf))]),
      (files) => {
        const sources = files.filter(({ type }) => type === "source")
        const found = new Map<string, ArtifactFile>()
        for (const url of urls) {
          const file = firstNamed(sources, namesOf(url))
          if (file !== undefined) found.set(url, file)
        }
        return found
      },
    )
  }

  private lookUp(reading: Reading, scripts: ReadonlyMap<string, SoughtScript>) {
    return Effect.gen({ self: this }, function* () {
      const { projectId } = reading
      const found = new Map<string, FoundMap>()
      const byId = yield* this.filesByIds(projectId, scripts.values())
      for (const [key, { debugId, path, release }] of scripts) {
        const place = debugId === null ? null : mapOfId(byId, debugId, path)
        const missing = debugId === null && release === "" ? "no_debug_id_or_release" : notUploaded
        found.set(key, place === null ? Result.fail(missing) : Result.succeed(place))
      }
      const named = [...scripts].filter(
        ([key, { release }]) => release !== "" && Result.isFailure(found.get(key)!),
      )
      for (const group of byRelease(named)) {
        for (const [key, answer] of yield* this.lookUpNames(reading, group)) found.set(key, answer)
      }
      return found
    })
  }

  private filesByIds(projectId: ProjectId, scripts: Iterable<Pick<SoughtScript, "debugId">>) {
    const ids = new Set<string>()
    for (const { debugId } of scripts) if (debugId !== null) ids.add(debugId)
    return ids.size === 0 ? Effect.succeed([]) : this.artifacts.filesByDebugIds(projectId, [...ids])
  }

  /** Finds the maps of scripts of one release and dist by their names. */
  private lookUpNames(reading: Reading, group: Array.NonEmptyReadonlyArray<readonly [string, SoughtScript]>) {
    return Effect.gen({ self: this }, function* () {
      const { projectId } = reading
      const { dist, release } = group[0][1]
      const byName = (names: ReadonlyArray<string>) =>
        names.length === 0
          ? Effect.succeed([])
          : this.artifacts.filesByNames(projectId, release, dist, [...new Set(names)])
      const files = yield* byName(
        group.flatMap(([, { path }]) => [...namesOf(path), ...namesOfMapBeside(path)]),
      )
      const named = yield* Effect.forEach(group, ([key, { path }]) =>
        Effect.map(this.readNamed(path, files, reading), (read) => ({ ...read, key, path })),
      )
      const byId = yield* this.filesByIds(projectId, named)
      const referred = yield* byName(named.flatMap(({ url }) => (url === null ? [] : namesOf(url))))
      return named.map(({ debugId, found, key, path, script, url }) => {
        // The address in a script is more specific than its id, which several scripts can share.
        const map = url === null ? undefined : firstNamed(referred.filter(isMap), namesOf(url))
        if (map !== undefined) return [key, Result.succeed(uploaded(map, path, script))] as const
        const place = debugId === null ? null : mapOfId(byId, debugId, path)
        return [key, place === null ? found : Result.succeed(place)] as const
      })
    })
  }

  /** Reads a script's reference to its map. Returns `found` unless the reference or the debug id finds a map. */
  private readNamed(
    path: string,
    files: ReadonlyArray<ArtifactFile>,
    reading: Reading,
  ): Effect.Effect<NamedScript> {
    const script = firstNamed(files.filter(isScript), namesOf(path))
    const map = firstNamed(files.filter(isMap), namesOfMapBeside(path))
    const beside: FoundMap =
      map === undefined
        ? Result.fail(script === undefined ? notUploaded : "no_source_map_reference")
        : Result.succeed(uploaded(map, path, script))
    if (script === undefined) return Effect.succeed(alone(beside))
    return Effect.map(this.referenceOf(script, reading), (said) => {
      if (Result.isFailure(said)) return alone(Result.fail(said.failure))
      const { debugId, reference } = said.success
      if (reference !== null && isDataUrl(reference)) {
        const mapUrl = mapUrlFor(script.url, path)
        return alone(Result.succeed({ _tag: "Inline", script, address: reference, mapUrl }))
      }
      const url = reference === null ? null : resolveReference(reference, script.url ?? path)
      const isMissing = map === undefined && (url !== null || debugId !== null)
      return { found: isMissing ? Result.fail(notUploaded) : beside, script, debugId, url }
    })
  }

  /** Returns the address of the map from the script's headers, otherwise from its text. */
  private referenceOf(
    script: ArtifactFile,
    reading: Reading,
  ): Effect.Effect<
    Result.Result<
      { readonly reference: string | null; readonly debugId: string | null },
      SourcemapFailureCode
    >
  > {
    if (script.mapReference !== null) {
      return Effect.succeed(Result.succeed({ reference: script.mapReference, debugId: script.debugId }))
    }
    if (script.size > maxScriptBytes)
      return Effect.succeed(Result.succeed({ reference: null, debugId: script.debugId }))
    return Effect.map(
      this.maps.comments(script, reading),
      Result.map(({ debugId, sourceMappingUrl }) => ({
        reference: sourceMappingUrl,
        debugId: script.debugId ?? debugId,
      })),
    )
  }
}

// internal

/** Larger scripts are not searched for comments. */
const maxScriptBytes = 32 * 1024 * 1024

const notUploaded = "artifact_not_uploaded"

/** A script that was looked up by its name, with the debug id and the address of its map. */
interface NamedScript {
  readonly found: FoundMap
  readonly script: ArtifactFile | undefined
  readonly debugId: string | null
  readonly url: string | null
}

const alone = (found: FoundMap): NamedScript => ({ found, script: undefined, debugId: null, url: null })

const isScript = ({ type }: ArtifactFile): boolean => type === "minified_source" || type === "source"

const isMap = ({ type }: ArtifactFile): boolean => type === "source_map"

const keyOf = (projectId: ProjectId, { debugId, dist, path, release }: SoughtScript): string =>
  `${projectId}\0${debugId ?? ""}\0${release}\0${dist}\0${path}`

const byRelease = (scripts: ReadonlyArray<readonly [string, SoughtScript]>) =>
  Object.values(Array.groupBy(scripts, ([, { dist, release }]) => `${release}\0${dist}`))

/** A script with an inline map counts as many. */
const weightOf = (found: FoundMap): number =>
  Result.isSuccess(found) && found.success._tag === "Inline" ? 1 + found.success.address.length / 1024 : 1

/** A better name has priority over a newer file. */
const firstNamed = (
  files: ReadonlyArray<ArtifactFile>,
  names: ReadonlyArray<string>,
): ArtifactFile | undefined => {
  for (const name of names) {
    const file = files.find(({ url }) => url === name)
    if (file !== undefined) return file
  }
  return undefined
}

/**
 * Returns the map of a debug id from the newest bundle in which it is unambiguous. Empty scripts of one bundle share an
 * id.
 */
const mapOfId = (files: ReadonlyArray<ArtifactFile>, debugId: string, path: string): MapPlace | null => {
  const ofId = files.filter((file) => file.debugId === debugId)
  for (const bundleId of new Set(ofId.map((file) => file.bundleId))) {
    const some = ofId.filter((file) => file.bundleId === bundleId)
    const file = fileFor(some, "source_map", path)
    const script = fileFor(some, "minified_source", path) ?? null
    // Plugins of bundlers name files by their ids, so the script's address is the better base for sources.
    if (file !== undefined) return { _tag: "Uploaded", file, mapUrl: path, script }
  }
  return null
}

/** Returns the file of one id and bundle that belongs to a script. Undefined if that is ambiguous. */
const fileFor = (
  files: ReadonlyArray<ArtifactFile>,
  type: ArtifactFile["type"],
  path: string,
): ArtifactFile | undefined => {
  const some = files.filter((file) => file.type === type)
  const base = baseNameOf(path)
  const named = some.find(({ url }) => url !== null && baseNameOf(url).replace(/\.map$/, "") === base)
  return named ?? (new Set(some.map(({ blob }) => blob)).size === 1 ? some[0] : undefined)
}

const uploaded = (file: ArtifactFile, path: string, script: ArtifactFile | undefined): MapPlace => ({
  _tag: "Uploaded",
  file,
  mapUrl: mapUrlFor(file.url, path),
  script: script ?? null,
})
