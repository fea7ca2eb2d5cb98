/** Parses the `manifest.json` of a bundle from any build tool. */

import { JsonBounds, StorableText } from "@errata/core/internal"
import { type ArtifactType, type BundleLimits, normalizeDebugId } from "@errata/core/ports"

export interface ManifestFile {
  /** Name of the file's entry in the archive. */
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

/** The reason why a manifest is unusable, as a predicate such as "has no files". */
export interface ManifestFault {
  readonly fault: string
}

/** Parses a manifest and skips files of unknown types. Takes one second for the largest manifests. */
export const parse = (
  json: Uint8Array,
  { maxFiles }: Pick<BundleLimits, "maxFiles">,
): Manifest | ManifestFault => {
  const text = textOfBytes(json)
  if (text === null) return { fault: "is not UTF-8" }
  const maxValues = maxFiles * maxValuesOfFile + maxOtherValues
  // Reasons never repeat the content, which may be source code.
  const exceeded = JsonBounds.problem(text, { maxDepth: 16, maxValues })
  if (exceeded !== null) return { fault: exceeded }
  try {
    return manifestOf(JSON.parse(text), maxFiles)
  } catch {
    return { fault: "is not valid JSON" }
  }
}

// internal

const types = ["source", "minified_source", "source_map", "indexed_ram_bundle"] as const

const maxNoteCharacters = 1000

/** JSON values of one file: its type, URL and headers. Build tools write two headers. */
const maxValuesOfFile = 20
const maxOtherValues = 1000

const textOfBytes = (json: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(json)
  } catch {
    return null
  }
}

const manifestOf = (manifest: unknown, maxFiles: number): Manifest | ManifestFault => {
  const named = isRecord(manifest) ? manifest["files"] : undefined
  if (!isRecord(manifest) || !isRecord(named)) return { fault: "has no files" }
  const files: Array<ManifestFile> = []
  for (const [entry, info] of Object.entries(named)) {
    if (!isRecord(info)) return { fault: "has an invalid entry for a file" }
    const type = types.find((type) => type === info["type"])
    if (type === undefined) continue
    if (files.length === maxFiles) return { fault: `names more than ${maxFiles} files` }
    const headers = headersOf(info["headers"])
    files.push({
      entry,
      type,
      url: textOf(info["url"]),
      debugId: normalizeDebugId(headers.get("debug-id") ?? ""),
      mapReference: headers.get("sourcemap") ?? headers.get("x-sourcemap") ?? null,
    })
  }
  return { files, note: noteOf(manifest["note"]) }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** Invalid notes do not reject a bundle: invalid characters, such as half a surrogate pair, are replaced. */
const noteOf = (value: unknown): string | null => {
  const note = textOf(value)
  return note === null ? null : StorableText.toStorable(note.slice(0, maxNoteCharacters))
}

/** Headers by lower-case name: build tools differ in case. */
const headersOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(isRecord(value) ? value : {}).flatMap(([name, header]) =>
      typeof header === "string" && header !== "" ? [[name.toLowerCase(), header] as const] : [],
    ),
  )
