/** Reads uploaded source maps, scripts and sources, and caches them in memory. */
import type { ErrataSettings, ProjectId } from "@errata/core"
import { BoundedCache, Remembered, type SourcemapFailureCode, Waiting } from "@errata/core/internal"
import type { BlobStore } from "@errata/core/ports"
import { Cause, Clock, Duration, Effect, Option, Result } from "effect"
import type { GeneratedScript, ReadingBudgetUsed, SourceMap, SourceMapEngine } from "../SourceMapEngine.js"
import { readDataUrl } from "../script/MapReference.js"
import { commentsOf, type ScriptComments } from "../script/ScriptComments.js"

type Read<A> = Result.Result<A, SourcemapFailureCode>

export type ReadMap = Read<SourceMap>

/** The options of a read. */
export interface Reading {
  readonly projectId: ProjectId
  /** True to wait for the store of files and the engine. Else contents that are not in memory are `storage_unavailable`. */
  readonly mayLoad: boolean
}

/** Content of an uploaded file. */
interface UploadedContent {
  readonly blob: string
  readonly size: number
}

/** Keyed by the hashes of contents, so that projects and builds share them. */
export class MapReader {
  private readonly maps: BoundedCache<string, ReadMap>
  private readonly functions: BoundedCache<string, Read<GeneratedScript | null>>
  private readonly sources: BoundedCache<string, Read<string>>
  private readonly said: BoundedCache<string, Read<ScriptComments>>
  /** Contents that failed a moment ago. `store` if the store did not respond. */
  private readonly away = new Remembered<string, true>(awayLife)
  /** Projects that have used their time for reading. Nothing is loaded for them. */
  private readonly overBudget = new Remembered<ProjectId, true>(awayLife)

  constructor(
    private readonly engine: SourceMapEngine["Service"],
    private readonly blobs: BlobStore["Service"],
    private readonly settings: ErrataSettings["sourcemaps"],
  ) {
    this.maps = new BoundedCache(settings.cacheBytes)
    this.functions = new BoundedCache(settings.cacheBytes / 4)
    this.sources = new BoundedCache(settings.cacheBytes / 4)
    this.said = new BoundedCache(settings.cacheBytes / 4)
  }

  /** The map of an uploaded file. */
  read(content: UploadedContent, reading: Reading): Effect.Effect<ReadMap> {
    if (content.size > maxMapBytes) return Effect.succeed(Result.fail("source_map_too_large"))
    return this.kept(this.maps, content.blob, weightOfMap, reading, () =>
      this.whenRead(content, (json) => this.parse(json, reading.projectId)),
    )
  }

  /** The map in the text of a script. */
  readInline(script: UploadedContent, address: string, reading: Reading): Effect.Effect<ReadMap> {
    return this.kept(this.maps, `inline ${script.blob}`, weightOfMap, reading, () => {
      const json = readDataUrl(address)
      return json === null
        ? Effect.succeed(Result.fail("source_map_malformed"))
        : this.parse(json, reading.projectId)
    })
  }

  /** A map that is not uploaded by itself. */
  readJson(json: Uint8Array, projectId: ProjectId): Effect.Effect<ReadMap> {
    return this.withinBudget(projectId, this.parse(json, projectId))
  }

  /** The functions of a script by the names of its map. Null for a script that is too large. */
  readFunctions(
    script: UploadedContent,
    map: SourceMap,
    mapKey: string,
    reading: Reading,
  ): Effect.Effect<Read<GeneratedScript | null>> {
    if (script.size > maxScriptBytes) return Effect.succeed(Result.succeed(null))
    return this.kept(
      this.functions,
      `${script.blob} ${mapKey}`,
      (read) => read?.memory ?? 0,
      reading,
      () =>
        this.whenRead(script, (code) =>
          Effect.map(this.engine.readScript(code, map, reading.projectId), Result.succeed),
        ),
    )
  }

  /** The text of a source. */
  source(file: UploadedContent, reading: Reading): Effect.Effect<Read<string>> {
    return this.kept(
      this.sources,
      file.blob,
      (text) => text.length * 2,
      reading,
      () =>
        this.whenRead(file, (content) => Effect.succeed(Result.succeed(new TextDecoder().decode(content)))),
    )
  }

  /** The comments of a script that name its map. */
  comments(script: UploadedContent, reading: Reading): Effect.Effect<Read<ScriptComments>> {
    return this.kept(
      this.said,
      script.blob,
      ({ sourceMappingUrl }) => sourceMappingUrl?.length ?? 0,
      reading,
      () => this.whenRead(script, (content) => Effect.succeed(Result.succeed(commentsOf(content)))),
    )
  }

  /** Returns an uploaded content. A failure of the store is cached for a moment. */
  content({ blob }: UploadedContent): Effect.Effect<Read<Uint8Array>> {
    const timeout = this.settings.blobTimeout
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (this.away.get("store", now) === true || this.away.get(blob, now) === true) {
        return Effect.succeed(Result.fail("storage_unavailable"))
      }
      const failed = (what: string, error: unknown) =>
        Effect.andThen(
          Effect.flatMap(Clock.currentTimeMillis, (then) =>
            Effect.sync(() => this.away.set(what, true, then)),
          ),
          Effect.as(
            Effect.logWarning("Reading an uploaded file failed", Cause.fail(error)),
            Result.fail("storage_unavailable" as const),
          ),
        )
      return this.blobs.get(blob).pipe(
        Waiting.atMost(timeout),
        Effect.flatMap(
          (answer): Effect.Effect<Read<Uint8Array>> =>
            Option.isNone(answer)
              ? failed("store", new Error(`no answer within ${Duration.format(timeout)}`))
              : // The store lost it, or retention removed it after the look-up.
                Effect.succeed(Result.fromOption(answer.value, () => "artifact_missing")),
        ),
        Effect.catch((error) => failed(blob, error)),
      )
    })
  }

  private parse(json: Uint8Array, projectId: ProjectId): Effect.Effect<ReadMap, ReadingBudgetUsed> {
    return Effect.map(
      this.engine.read(json, projectId),
      Result.mapError(({ code }) => code),
    )
  }

  private withinBudget<A>(
    projectId: ProjectId,
    read: Effect.Effect<Read<A>, ReadingBudgetUsed>,
  ): Effect.Effect<Read<A>> {
    const refused: Read<A> = Result.fail("reading_budget_used")
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      this.overBudget.get(projectId, now) === true
        ? Effect.succeed(refused)
        : Effect.catchTag(read, "ReadingBudgetUsed", () =>
            Effect.map(Clock.currentTimeMillis, (then) => {
              this.overBudget.set(projectId, true, then)
              return refused
            }),
          ),
    )
  }

  private whenRead<A>(
    content: UploadedContent,
    use: (bytes: Uint8Array) => Effect.Effect<Read<A>, ReadingBudgetUsed>,
  ): Effect.Effect<Read<A>, ReadingBudgetUsed> {
    return Effect.flatMap(this.content(content), (read) =>
      Result.isFailure(read) ? Effect.succeed(Result.fail(read.failure)) : use(read.success),
    )
  }

  /** Returns the cached value or loads it. Temporary failures are not cached. */
  private kept<A>(
    cache: BoundedCache<string, Read<A>>,
    key: string,
    weightOf: (value: A) => number,
    { mayLoad, projectId }: Reading,
    load: () => Effect.Effect<Read<A>, ReadingBudgetUsed>,
  ): Effect.Effect<Read<A>> {
    const known = cache.get(key)
    if (known !== undefined) return Effect.succeed(known)
    if (!mayLoad) return Effect.succeed(Result.fail("storage_unavailable"))
    return Effect.tap(this.withinBudget(projectId, Effect.suspend(load)), (read) => {
      if (Result.isFailure(read) && !isOfContent.has(read.failure)) return Effect.void
      return Effect.sync(() =>
        cache.set(key, read, overhead + (Result.isSuccess(read) ? weightOf(read.success) : 0)),
      )
    })
  }
}

// internal

/** How long a failure of a store or of a file is cached. */
const awayLife = Duration.seconds(5)

/** Larger maps would take seconds and hundreds of megabytes. */
const maxMapBytes = 64 * 1024 * 1024

/** Maximum size of a script whose functions are read. */
const maxScriptBytes = 8 * 1024 * 1024

const weightOfMap = ({ memory }: SourceMap): number => memory

/** Bytes of an entry besides its value. */
const overhead = 1024

/** Failures that depend only on the content. */
const isOfContent: ReadonlySet<SourcemapFailureCode> = new Set([
  "source_map_malformed",
  "source_map_too_large",
  "not_a_source_map",
  "limit_exceeded",
])
