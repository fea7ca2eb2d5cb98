/**
 * Segments: payloads of one project that were accepted together, as one block. It begins with an index of them, in JSON,
 * followed by their bodies end to end; all of it is compressed at once, because events that come together are much
 * alike.
 */
import type { ProjectId } from "@errata/core"
import type { Payload } from "@errata/core/ports"
import { compress, decompress } from "./Compression.js"

/** Payloads as they are written. */
export interface Segment {
  readonly projectId: ProjectId
  readonly payloadsCount: number
  /** Bytes of the bodies. */
  readonly bytes: number
  readonly indexBytes: number
  readonly block: Uint8Array
  /** The block compressed, or the block itself where little would be gained. */
  readonly stored: Uint8Array
}

/** A block as it is read. */
export interface StoredBlock {
  readonly projectId: ProjectId
  readonly indexBytes: number
  /** Of the block, uncompressed. */
  readonly blockBytes: number
  readonly body: Uint8Array
}

/** Bodies of one segment together, unless one alone is larger: one report is read at the price of a segment. */
export const maxBytes = 1024 * 1024

/** The segments of payloads, in the order of their projects' first ones. */
export const pack = (payloads: ReadonlyArray<Payload>): ReadonlyArray<Segment> => {
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
  return Array.from(projects.values(), (segments) => segments.map(packOne)).flat()
}

/** The uncompressed block of a stored one. */
export const blockOf = ({ blockBytes, body }: Pick<StoredBlock, "blockBytes" | "body">): Uint8Array =>
  decompress(body, blockBytes)

/** All payloads of a block, by position. */
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

/** One payload of a stored block; null if there is none at the position. */
export const payloadAt = (stored: StoredBlock, position: number): Payload | null =>
  unpack(blockOf(stored), stored)[position] ?? null

/** A stored segment without some of its bodies, and without the ids of their events. */
export const emptied = (stored: StoredBlock, positions: ReadonlySet<number>): Segment =>
  packOne(
    unpack(blockOf(stored), stored).map((payload, position) =>
      positions.has(position) ? { ...payload, eventId: "", body: new Uint8Array(0) } : payload,
    ),
  )

// internal

type IndexEntry = readonly [eventId: string, kind: string, receivedAt: number, length: number]

const decoder = new TextDecoder()

const packOne = (payloads: ReadonlyArray<Payload>): Segment => {
  const entries: Array<IndexEntry> = []
  let bytes = 0
  for (const { body, eventId, kind, receivedAt } of payloads) {
    entries.push([eventId, kind, receivedAt, body.byteLength])
    bytes += body.byteLength
  }
  const index = Buffer.from(JSON.stringify(entries))
  const block = Buffer.concat([index, ...payloads.map(({ body }) => body)], index.length + bytes)
  return {
    projectId: payloads[0]!.projectId,
    payloadsCount: payloads.length,
    bytes,
    indexBytes: index.length,
    block,
    stored: compress(block),
  }
}
