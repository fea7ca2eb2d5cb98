/**
 * A segment is a block of payloads of one project that were accepted together. The block starts with a JSON index,
 * followed by the concatenated bodies. It is compressed as a whole, because such events are similar.
 */
import type { ProjectId } from "@errata/core"
import type { Payload } from "@errata/core/ports"
import { compress, decompress } from "./Compression.js"
import type { Dictionary } from "./Dictionary.js"

/** A segment to write. */
export interface Segment {
  readonly projectId: ProjectId
  readonly payloadsCount: number
  /** Total size of the bodies, in bytes. */
  readonly bytes: number
  readonly indexBytes: number
  /** The dictionary of the compressed block, or null. */
  readonly dictionary: Dictionary | null
  readonly block: Uint8Array
  /** The compressed block, or the block itself if compression saves little. */
  readonly stored: Uint8Array
}

/** A block as read from the database. */
export interface StoredBlock {
  readonly projectId: ProjectId
  readonly indexBytes: number
  /** Uncompressed size of the block. */
  readonly blockBytes: number
  readonly body: Uint8Array
  /** Null if the block was compressed without a dictionary. */
  readonly dictionary: Uint8Array | null
}

/** Maximum total size of bodies, unless one is larger. Limits the cost of reading a single report. */
export const maxBytes = 1024 * 1024

/** Packs payloads into segments, in the order in which their projects appear. */
export const pack = (
  payloads: ReadonlyArray<Payload>,
  dictionaryOf: (projectId: ProjectId) => Dictionary | null = () => null,
): ReadonlyArray<Segment> => {
  const projects = new Map<ProjectId, Array<Array<Payload>>>()
  const rooms = new Map<ProjectId, number>()
  for (const payload of payloads) {
    const { projectId } = payload
    const room = (rooms.get(projectId) ?? 0) - payload.body.byteLength
    const segments = projects.get(projectId)
    if (segments === undefined) projects.set(projectId, [[payload]])
    else if (room < 0) segments.push([payload])
    else segments.at(-1)!.push(payload)
    rooms.set(projectId, segments === undefined || room < 0 ? maxBytes - payload.body.byteLength : room)
  }
  return Array.from(projects, ([projectId, segments]) => {
    const dictionary = dictionaryOf(projectId)
    return segments.map((own) => packOne(own, dictionary))
  }).flat()
}

/** Compresses a segment again, without its dictionary. */
export const withoutDictionary = (segment: Segment): Segment =>
  segment.dictionary === null ? segment : { ...segment, dictionary: null, stored: compress(segment.block) }

/** Decompresses a stored block. */
export const blockOf = ({
  blockBytes,
  body,
  dictionary,
}: Omit<StoredBlock, "projectId" | "indexBytes">): Uint8Array => decompress(body, blockBytes, dictionary)

/** Returns all payloads of a block by position. */
export const unpack = (
  block: Uint8Array,
  { indexBytes, projectId }: Pick<StoredBlock, "indexBytes" | "projectId">,
): ReadonlyArray<Payload> => {
  const index = JSON.parse(decoder.decode(block.subarray(0, indexBytes))) as ReadonlyArray<IndexEntry>
  let end = indexBytes
  return index.map(([eventId, kind, receivedAt, length]) => {
    const start = end
    end += length
    return { projectId, eventId, kind, receivedAt, body: block.subarray(start, end) }
  })
}

/** Returns one payload of a stored block, or null if the position is out of range. */
export const payloadAt = (stored: StoredBlock, position: number): Payload | null =>
  unpack(blockOf(stored), stored)[position] ?? null

/** Rewrites a segment without the bodies and event ids at some positions, and without a dictionary. */
export const emptied = (stored: StoredBlock, positions: ReadonlySet<number>): Segment =>
  packOne(
    unpack(blockOf(stored), stored).map((payload, position) =>
      positions.has(position) ? { ...payload, eventId: "", body: new Uint8Array(0) } : payload,
    ),
    null,
  )

// internal

type IndexEntry = readonly [eventId: string, kind: string, receivedAt: number, length: number]

const decoder = new TextDecoder()

const packOne = (payloads: ReadonlyArray<Payload>, dictionary: Dictionary | null): Segment => {
  const entries: Array<IndexEntry> = []
  let bytes = 0
  for (const { body, eventId, kind, receivedAt } of payloads) {
    entries.push([eventId, kind, receivedAt, body.byteLength])
    bytes += body.byteLength
  }
  const index = Buffer.from(JSON.stringify(entries))
  const block = Buffer.concat([index, ...payloads.map(({ body }) => body)], index.length + bytes)
  const stored = compress(block, dictionary?.content)
  return {
    projectId: payloads[0]!.projectId,
    payloadsCount: payloads.length,
    bytes,
    indexBytes: index.length,
    dictionary: stored === block ? null : dictionary,
    block,
    stored,
  }
}
