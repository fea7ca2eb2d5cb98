/** Stores the files of an open bundle one by one, and collects the debug ids that scripts contain. */
import { Effect } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"
import type { StorageError } from "../storage/StorageError.js"
import { isStorable } from "../validation/StorableText.js"
import type { ArtifactUploadsPaused } from "./ArtifactBundle.js"
import type { NewArtifactFile } from "./ArtifactStore.js"
import type * as Blobs from "./Blobs.js"
import { type BundleFile, BundleUnreadable, type OpenBundle } from "./BundleReader.js"
import { injectedDebugIds } from "./DebugIds.js"
import { digest } from "./Digest.js"

export interface KeptFiles {
  readonly files: ReadonlyArray<NewArtifactFile>
  /** A warning for the uploader, or null. */
  readonly warning: string | null
}

export const keep = (
  { files, note }: OpenBundle,
  put: Effect.Success<typeof Blobs.make>,
): Effect.Effect<KeptFiles, BundleUnreadable | ArtifactUploadsPaused | StorageError> =>
  Effect.gen(function* () {
    if (![note, ...files.flatMap((file) => [file.url, file.mapReference])].every(isText)) {
      return yield* new BundleUnreadable({
        reason: "manifest.json contains characters that cannot be stored",
      })
    }
    const kept: Array<NewArtifactFile> = []
    /** Secondary ids of scripts, by the script's debug id. */
    const others = new Map<string, ReadonlyArray<string>>()
    let waiting: Array<Blobs.Content> = []
    let waitingBytes = 0
    const flush = Effect.suspend(() => {
      const contents = waiting
      waiting = []
      waitingBytes = 0
      return put(contents)
    })
    for (const file of files) {
      const bytes = yield* file.content
      const key = yield* digest("sha256", bytes)
      const otherDebugIds = yield* otherIdsOf(file, bytes)
      if (file.debugId !== null && otherDebugIds.length > 0) others.set(file.debugId, otherDebugIds)
      kept.push({ ...rowOf(file), otherDebugIds, blob: key })
      waiting.push({ key, bytes })
      waitingBytes += bytes.byteLength
      if (waitingBytes >= batchBytes || waiting.length >= batchFiles) yield* flush
      yield* yieldToEventLoop
    }
    yield* flush
    return {
      // A script and its map share one debug id, so the script's secondary ids find the map too.
      files: kept.map((file) =>
        file.debugId === null || file.otherDebugIds.length > 0
          ? file
          : { ...file, otherDebugIds: others.get(file.debugId) ?? [] },
      ),
      warning: warningOf(kept),
    }
  })

// internal

/** Limits of the files in memory before they are stored. The last file may exceed them. */
const batchBytes = 4 * 1024 * 1024
const batchFiles = 100

const isText = (text: string | null): boolean => text === null || isStorable(text)

const rowOf = ({ debugId, mapReference, size, type, url }: BundleFile) => ({
  type,
  url,
  debugId,
  mapReference,
  size,
})

const otherIdsOf = (file: BundleFile, content: Uint8Array): Effect.Effect<ReadonlyArray<string>> =>
  file.type === "minified_source"
    ? Effect.map(injectedDebugIds(content), (ids) => ids.filter((id) => id !== file.debugId))
    : Effect.succeed([])

const warningOf = (files: ReadonlyArray<NewArtifactFile>): string | null => {
  const odd = files.filter(({ debugId, otherDebugIds }) => debugId !== null && otherDebugIds.length > 0)
  if (odd.length === 0) return null
  const names = odd.slice(0, 3).map(({ debugId, url }) => url ?? debugId)
  const more = odd.length > names.length ? ` and ${odd.length - names.length} more` : ""
  return `Debug ids were put into these scripts more than once: ${names.join(", ")}${more}`
}
