/** Reads uploaded source maps, and keeps in memory those that were used last. */
import { Cause, Duration, Effect, Either } from "effect"
import type { BlobStore } from "../artifact/BlobStore.js"
import type { ErrataSettings } from "../ErrataConfig.js"
import { BoundedCache } from "../internal/BoundedCache.js"
import * as Waiting from "../internal/Waiting.js"
import { readDataUrl } from "./MapReference.js"
import type { GeneratedScript, SourceMap, SourceMapEngine } from "./SourceMapEngine.js"
import type { SourcemapFailureCode } from "./SourcemapFailure.js"

export type ReadMap = Either.Either<SourceMap, SourcemapFailureCode>

/** Null of a script whose functions are not looked for. */
export type ReadFunctions = Either.Either<GeneratedScript | null, SourcemapFailureCode>

/** Content of an uploaded file. */
interface UploadedContent {
  readonly blob: string
  readonly size: number
}

export class MapReader {
  /** By the hash of their content, so that projects and builds share what they have in common. */
  private readonly maps: BoundedCache<string, ReadMap>
  /** By the hashes of scripts and of their maps. */
  private readonly functions: BoundedCache<string, ReadFunctions>

  constructor(
    private readonly engine: SourceMapEngine["Type"],
    private readonly blobs: BlobStore["Type"],
    private readonly settings: ErrataSettings["sourcemaps"],
  ) {
    this.maps = new BoundedCache(settings.cacheBytes)
    this.functions = new BoundedCache(settings.cacheBytes / 4)
  }

  /** The map if it is in memory. */
  known({ blob }: UploadedContent): ReadMap | undefined {
    return this.maps.get(blob)
  }

  /** The map, from memory or from where blobs are kept. */
  read(content: UploadedContent): Effect.Effect<ReadMap> {
    const known = this.known(content)
    if (known !== undefined) return Effect.succeed(known)
    if (content.size > maxMapBytes) return Effect.succeed(Either.left("source_map_too_large"))
    return Effect.map(this.content(content), (json) => {
      if (Either.isLeft(json)) return Either.left(json.left)
      const read = this.readJson(json.right)
      this.maps.set(content.blob, read, weightOf(read))
      return read
    })
  }

  /** The map in the text of a script. */
  readInline(script: UploadedContent, address: string): ReadMap {
    const key = `inline ${script.blob}`
    const known = this.maps.get(key)
    if (known !== undefined) return known
    const json = readDataUrl(address)
    const read: ReadMap = json === null ? Either.left("source_map_malformed") : this.readJson(json)
    this.maps.set(key, read, weightOf(read))
    return read
  }

  /** A map that is not uploaded by itself. */
  readJson(json: Uint8Array): ReadMap {
    return Either.mapLeft(this.engine.read(json), ({ code }) => code)
  }

  /** The functions of a script by the names of its map, from memory or from where blobs are kept. */
  readFunctions(script: UploadedContent, map: SourceMap, mapKey: string): Effect.Effect<ReadFunctions> {
    const key = `${script.blob} ${mapKey}`
    const known = this.functions.get(key)
    if (known !== undefined) return Effect.succeed(known)
    if (script.size > maxScriptBytes) return Effect.succeed(Either.right(null))
    return Effect.map(
      this.content(script),
      Either.map((code) => {
        const read = this.engine.readScript(code, map)
        this.functions.set(key, Either.right(read), overhead + (read?.memory ?? 0))
        return read
      }),
    )
  }

  /** What was uploaded; a failure of its storage is no failure of whoever asks. */
  content({ blob }: UploadedContent): Effect.Effect<Either.Either<Uint8Array, SourcemapFailureCode>> {
    const timeout = this.settings.blobTimeout
    return this.blobs.get(blob).pipe(
      // A recorder finishes what it has leased, and may not be interrupted: only its waiting is.
      Waiting.atMost(timeout),
      Effect.flatMap((answer) =>
        answer._tag === "None"
          ? Effect.fail(new Error(`no answer within ${Duration.format(timeout)}`))
          : Effect.succeed(answer.value),
      ),
      Effect.map(
        (found): Either.Either<Uint8Array, SourcemapFailureCode> =>
          // The store lost it, or retention was faster than the look-up.
          found._tag === "None" ? Either.left("artifact_missing") : Either.right(found.value),
      ),
      Effect.catchAll((error) =>
        Effect.as(
          Effect.logWarning("An uploaded file cannot be read", Cause.fail(error)),
          Either.left("storage_unavailable" as const),
        ),
      ),
    )
  }
}

// internal

/** Larger ones are not read: it would take seconds and hundreds of megabytes. */
const maxMapBytes = 64 * 1024 * 1024

/** Of a script whose functions are looked for. */
const maxScriptBytes = 8 * 1024 * 1024

const weightOf = (read: ReadMap): number => overhead + (Either.isRight(read) ? read.right.memory : 0)

/** Of an entry besides the map itself. */
const overhead = 1024
