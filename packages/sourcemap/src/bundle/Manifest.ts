/** What a bundle's `manifest.json` says, of whichever build tool it is. */
import {
  type ArtifactType,
  type BundleLimits,
  BundleUnreadable,
  JsonBounds,
  normalizeDebugId,
  StorableText,
} from "@errata/core"
import { Result } from "effect"

export interface ManifestFile {
  /** The name of its entry in the archive. */
  readonly entry: string
  readonly type: ArtifactType
  readonly url: string | null
  readonly debugId: string | null
  readonly mapReference: string | null
}

export interface Manifest {
  readonly files: ReadonlyArray<ManifestFile>
  readonly note: string | null
}

/** Files of kinds that nobody knows here are left out. */
export const parse = (
  json: Uint8Array,
  { maxFiles }: Pick<BundleLimits, "maxFiles">,
): Result.Result<Manifest, BundleUnreadable> =>
  Result.flatMap(parsed(json, maxFiles), (manifest) => {
    const files = isRecord(manifest) ? manifest["files"] : undefined
    if (!isRecord(manifest) || !isRecord(files)) return unreadable("manifest.json has no files")
    const result: Array<ManifestFile> = []
    for (const [entry, info] of Object.entries(files)) {
      if (!isRecord(info)) return unreadable("manifest.json has an invalid entry for a file")
      const type = types.find((type) => type === info["type"])
      if (type === undefined) continue
      const headers = headersOf(info["headers"])
      result.push({
        entry,
        type,
        url: textOf(info["url"]),
        debugId: normalizeDebugId(headers.get("debug-id") ?? ""),
        mapReference: headers.get("sourcemap") ?? headers.get("x-sourcemap") ?? null,
      })
    }
    return Result.succeed({
      files: result,
      note: noteOf(manifest["note"]),
    })
  })

// internal

const types = ["source", "minified_source", "source_map", "indexed_ram_bundle"] as const

const maxNoteCharacters = 1000

const unreadable = (reason: string) => Result.fail(new BundleUnreadable({ reason }))

/** Of a file: its type, its URL and its headers, of which build tools write two. */
const maxValuesOfFile = 20
const maxOtherValues = 1000

const parsed = (json: Uint8Array, maxFiles: number): Result.Result<unknown, BundleUnreadable> =>
  Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(json),
    catch: () => new BundleUnreadable({ reason: "manifest.json is not UTF-8" }),
  }).pipe(
    Result.flatMap((text) =>
      // Nothing of what it says: it may be somebody's source.
      Result.mapError(
        JsonBounds.parse(text, { maxDepth: 16, maxValues: maxFiles * maxValuesOfFile + maxOtherValues }),
        (problem) => new BundleUnreadable({ reason: `manifest.json ${problem}` }),
      ),
    ),
  )

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** A note is for people, and no reason to refuse a bundle: what cannot be stored of it, such as half a character, is replaced. */
const noteOf = (value: unknown): string | null => {
  const note = textOf(value)
  return note === null ? null : StorableText.toStorable(note.slice(0, maxNoteCharacters))
}

/** By name in lower case: build tools do not agree about the case. */
const headersOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(isRecord(value) ? value : {}).flatMap(([name, header]) =>
      typeof header === "string" && header !== "" ? [[name.toLowerCase(), header] as const] : [],
    ),
  )
