/**
 * A dictionary is text that resembles the payloads of a project. Segments are compressed with it, because the few payloads of a
 * segment repeat little. See docs/decisions/051-dictionaries.md.
 *
 * It consists of names, code and versions. Other values are left out, because discarded reports must not live on in it.
 */
import type { Payload } from "@errata/core/ports"

export interface Dictionary {
  readonly id: number
  readonly content: Uint8Array
}

/** Makes a dictionary from payloads, the most typical first. Returns null if they have too little text. */
export const contentOf = (payloads: ReadonlyArray<Payload>): Uint8Array | null => {
  const known = new Set<string>()
  const parts: Array<string> = []
  let length = 0
  let read = 0
  for (const { body } of payloads) {
    if (length >= maxBytes || read >= maxReadBytes) break
    if (body.byteLength > maxBodyBytes) continue
    read += body.byteLength
    const part = piecesOf(body)
      .filter((piece) => !known.has(piece) && known.add(piece))
      .join("")
    parts.push(part)
    length += part.length
  }
  // References to the end of a dictionary are the shortest.
  const content = Buffer.from(parts.reverse().join("")).subarray(-maxBytes)
  return content.length < minBytes ? null : content
}

// internal

/** Larger dictionaries save little and take longer to load for each segment. */
const maxBytes = 32 * 1024
const minBytes = 1024

/** Larger bodies have attachments, or repetitions of their own. */
const maxBodyBytes = 64 * 1024

/** Limits the time, because requests wait for it. */
const maxReadBytes = 512 * 1024

const decoder = new TextDecoder()

/** The outlines of the JSON documents in a body, in pieces that other bodies may have too: frames and other objects. */
const piecesOf = (body: Uint8Array): ReadonlyArray<string> =>
  decoder
    .decode(body)
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? textOf(line).split(/(?<=\},)(?=["{])/) : []))

const textOf = (line: string): string => {
  try {
    return `${JSON.stringify(outlineOf(JSON.parse(line), event, 0))}\n`
  } catch {
    // Attachments may begin like JSON.
    return ""
  }
}

/** Which values of an object are kept. Arrays are kept like each of their items. */
type Kept = true | { readonly [name: string]: Kept }

const frame: Kept = {
  filename: true,
  abs_path: true,
  module: true,
  package: true,
  function: true,
  lineno: true,
  colno: true,
  in_app: true,
  pre_context: true,
  context_line: true,
  post_context: true,
}
const thread: Kept = { stacktrace: { frames: frame } }
const exception: Kept = { ...thread, type: true, module: true, mechanism: { type: true } }
const breadcrumb: Kept = { type: true, category: true, level: true }
const event: Kept = {
  type: true,
  platform: true,
  level: true,
  logger: true,
  environment: true,
  release: true,
  sdk: true,
  modules: true,
  debug_meta: true,
  contexts: {
    runtime: true,
    os: true,
    browser: true,
    culture: true,
    app: { app_name: true, app_version: true, app_build: true, app_identifier: true },
    device: { family: true, model: true, manufacturer: true, brand: true, arch: true },
  },
  stacktrace: { frames: frame },
  threads: { ...thread, values: thread },
  exception: { ...exception, values: exception },
  breadcrumbs: { ...breadcrumb, values: breadcrumb },
}
const nothing: Kept = {}

const maxDepth = 12

/** A name in an object, as opposed to a value that is used as one. */
const isName = /^[A-Za-z_][\w.-]{0,39}$/

/** A document whose strings and numbers are empty unless they are kept. */
const outlineOf = (value: unknown, kept: Kept, depth: number): unknown => {
  if (kept === true) return value
  if (typeof value === "string") return ""
  if (typeof value === "number") return 0
  if (typeof value !== "object" || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map((item) => outlineOf(item, kept, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isName.test(name))
      .map(([name, own]) => [
        name,
        outlineOf(own, Object.hasOwn(kept, name) ? kept[name]! : nothing, depth + 1),
      ]),
  )
}
