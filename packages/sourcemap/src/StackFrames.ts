/** Maps the frames of a stack to the original code. */

import { type SourcemapFailureCode, StorableText } from "@errata/core/internal"
import type { Frame } from "@errata/core/ports"
import { pathOf } from "./FramePath.js"
import * as FunctionName from "./FunctionName.js"
import type { Dialect } from "./FunctionTable.js"
import type { OriginalPosition } from "./Mappings.js"
import { ScriptFunctions } from "./ScriptFunctions.js"
import type { FrameOutcome, MappedScript, MappedStack } from "./SourceMapEngine.js"
import { type Source, SourceMapFile } from "./SourceMapFile.js"
import { cleanPath, isOwnCode, resolveSource } from "./SourcePath.js"
import type { SourceText } from "./SourceText.js"
import type { KnownText, TextToRead } from "./SourceTexts.js"

export const mapFrames = (
  frames: ReadonlyArray<Frame>,
  scriptOf: (path: string) => MappedScript | SourcemapFailureCode,
  knownText: KnownText,
): MappedStack => {
  const unread = new Map<string, TextToRead>()
  const textOf: TextOf = (content, path) => {
    const known = knownText(content)
    if (known === undefined) unread.set(content, { content, dialects: dialectsOf(path) })
    return known
  }
  const places = frames.map((frame) => placeOf(frame, scriptOf))
  const outcomes = places.map((place): FrameOutcome => (typeof place === "string" ? place : "mapped"))
  const isOwn = places.some((place) => typeof place !== "string")
  const mapped = frames.map((frame, i) => {
    const place = places[i]!
    return typeof place === "string"
      ? place === "position_not_mapped" && isOwn
        ? // Next to mapped code, this is code that the bundler added.
          { ...frame, in_app: false }
        : frame
      : frameAt(frame, place, callerOf(frames, places, i), textOf)
  })
  return { frames: mapped, outcomes, unread: [...unread.values()] }
}

// internal

/** The original position of a frame. */
interface Place {
  readonly script: MappedScript
  readonly map: SourceMapFile
  readonly position: OriginalPosition
  readonly source: Source & { readonly url: string }
}

const placeOf = (
  frame: Frame,
  scriptOf: (path: string) => MappedScript | SourcemapFailureCode,
): Place | Exclude<FrameOutcome, "mapped"> => {
  const path = pathOf(frame)
  if (path === null) return "no_candidate"
  const script = scriptOf(path)
  if (typeof script === "string") return script
  const { map } = script
  if (!(map instanceof SourceMapFile)) return "internal"
  const position = map.mappings.find(frame.lineno! - 1, frame.colno! - 1)
  const source = position === null ? undefined : map.sources[position.source]
  if (position === null || source === undefined || source.url === null) return "position_not_mapped"
  return { script, map, position, source: { ...source, url: source.url } }
}

/** Returns the text of a source with this path: null if it is too long, undefined if it was not read yet. */
type TextOf = (content: string, path: string) => SourceText | null | undefined

const frameAt = (frame: Frame, place: Place, caller: Place | null, textOf: TextOf): Frame => {
  const { position, script, source } = place
  const path = cleanPath(source.url)
  const address = resolveSource(source.url, script.mapUrl)
  const content = source.content ?? script.sourceAt(address)
  const text = content === null ? null : textOf(content, path)
  const name =
    functionOf(place, text, path) ??
    // If the text is about to be read, the script is not needed.
    generatedName(frame, place, caller, text !== undefined) ??
    FunctionName.withoutMinified(frame.function ?? "", place.map)
  const context = text?.contextAt(position.line, position.column) ?? null
  // Drop details of the generated code.
  const { context_line: _, module: _module, post_context: _post, pre_context: _pre, ...rest } = frame
  return {
    ...rest,
    filename: bounded(path.replaceAll("\0", "")),
    abs_path: bounded(address.replaceAll("\0", "")),
    function: bounded(name),
    lineno: position.line + 1,
    colno: position.column + 1,
    in_app: !source.isIgnored && isOwnCode(path),
    ...(context === null
      ? {}
      : {
          pre_context: context.pre_context.map(StorableText.toStorable),
          context_line: StorableText.toStorable(context.context_line),
          post_context: context.post_context.map(StorableText.toStorable),
        }),
  }
}

/** Returns the name of the function around the position. Null if the map and the source have none. */
const functionOf = (
  { map, position }: Place,
  text: SourceText | null | undefined,
  path: string,
): string | null => {
  const listed = map.functionsOf(position.source)?.find(position.line, position.column) ?? null
  if (listed !== null) return listed === "<global>" ? FunctionName.anonymous : listed
  return dialectsOf(path).length === 0 ? null : (text?.functionAt(position.line, position.column) ?? null)
}

/**
 * Returns the name from the script and its map, or null. A minifier can inline a function into its only call: the
 * function loses its name, and the call keeps it.
 */
const generatedName = (
  frame: Frame,
  { script }: Place,
  caller: Place | null,
  mayAsk: boolean,
): string | null => {
  const functions = mayAsk ? script.functions() : null
  const name =
    functions instanceof ScriptFunctions ? functions.find(frame.lineno! - 1, frame.colno! - 1) : null
  return name === null || name === FunctionName.anonymous ? (calledName(caller) ?? name) : name
}

/**
 * The name at a caller's position is that of the called function. After an `await`, adjacent frames are not caller and
 * callee.
 */
const callerOf = (
  frames: ReadonlyArray<Frame>,
  places: ReadonlyArray<Place | string>,
  i: number,
): Place | null => {
  const place = i === 0 ? undefined : places[i - 1]
  if (place === undefined || typeof place === "string") return null
  return frames[i - 1]!.function?.startsWith("async ") === true ? null : place
}

const calledName = (caller: Place | null): string | null => {
  const name = caller === null ? undefined : caller.map.names[caller.position.name]
  return name !== undefined && FunctionName.isIdentifier(name) ? name : null
}

/** Dialects that a file may be written in, most likely first. Empty if it is not a script. */
const dialectsOf = (path: string): ReadonlyArray<Dialect> => {
  const extension = /\.([^./]*)$/.exec(path)?.[1]
  if (extension === undefined) return ["jsx", "typescript"]
  if (/^[cm]?ts$/.test(extension)) return ["typescript"]
  return /^[cm]?[jt]sx?$/.test(extension) ? ["jsx"] : []
}

/** Maximum length of a name or path, in UTF-16 units. */
const maxLength = 1024

const bounded = (text: string): string => StorableText.toStorable(text.slice(0, maxLength))
