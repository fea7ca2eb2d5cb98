/** What a bundle's `manifest.json` says, of whichever build tool it is. */

import { JsonBounds, StorableText } from "@errata/core/internal"
import { type ArtifactType, type BundleLimits, normalizeDebugId } from "@errata/core/ports"

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

/** Why a manifest cannot be used, as a predicate. */
export interface ManifestFault {
  readonly fault: string
}

/** Files of unknown types are skipped. Takes a second for the largest manifests. */
export const parse = (
  json: Uint8Array,
  { maxFiles }: Pick<BundleLimits, "maxFiles">,
): Manifest | ManifestFault => {
  const text = textOfBytes(json)
  if (text === null) return { fault: "is not UTF-8" }
  const maxValues = maxFiles * maxValuesOfFile + maxOtherValues
  // Reasons repeat no content, because it may be source code.
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

/** Of a file: its type, its URL and its headers, of which build tools write two. */
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
