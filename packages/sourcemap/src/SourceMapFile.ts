/** Reads source maps (ECMA-426) from JSON: regular maps, index maps, and Metro's with function names. */
import { type EncodedFunctions, encodedFunctions, FunctionMap } from "./FunctionMap.js"
import { hasAtMostValues } from "./JsonValues.js"
import { Mappings, type MappingsPart } from "./Mappings.js"
import type { SourceMap } from "./SourceMapEngine.js"
import * as MapJson from "./script/MapJson.js"

/** An original source file. */
export interface Source {
  /** Its name, prefixed with `sourceRoot`. Null if the map has none. */
  readonly url: string | null
  readonly content: string | null
  /** True if it is in the map's ignore list. */
  readonly isIgnored: boolean
}

/** The reason why a map is unusable. */
export interface MapFault {
  readonly code: "source_map_malformed" | "source_map_too_large" | "not_a_source_map"
  /** For logs, without contents of the map. */
  readonly reason: string
}

/** Names of at most this length may be minified. With four characters, a scope could have ten million variables. */
export const maxMinified = 3

/** A map that was read. All its indexes are validated. */
export class SourceMapFile implements SourceMap {
  readonly memory: number
  private short: ReadonlySet<string> | null = null
  /** Metro's function maps by source. */
  private readonly functionMaps = new Map<number, FunctionMap>()

  private constructor(
    readonly mappings: Mappings,
    readonly sources: ReadonlyArray<Source>,
    readonly names: ReadonlyArray<string>,
    functionEntries: ReadonlyArray<EncodedFunctions | null>,
    bytesPerCharacter: number,
  ) {
    let characters = 0
    for (const { content, url } of sources) characters += (content?.length ?? 0) + (url?.length ?? 0)
    for (const name of names) characters += name.length
    for (const [i, entry] of functionEntries.entries()) {
      const map = entry === null ? null : FunctionMap.from(entry)
      if (entry === null || map === null) continue
      this.functionMaps.set(i, map)
      characters += FunctionMap.lengthOf(entry)
    }
    this.memory =
      mappings.memory + characters * bytesPerCharacter + (sources.length + names.length) * bytesPerObject
  }

  /** Reads a map from UTF-8 JSON, with or without the guard that servers prepend. */
  static read(bytes: Uint8Array): SourceMapFile | MapFault {
    if (bytes.length > maxBytes) return tooLarge(`is larger than ${maxBytes} bytes`)
    const json = MapJson.jsonOf(bytes)
    if (json === null) return unreadable("not_a_source_map", "is not a JSON object")
    if (!hasAtMostValues(json, maxValues)) return tooLarge(`has more than ${maxValues} values`)
    const text = decoder.decode(json)
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      // The parser's message quotes the text.
      return unreadable("source_map_malformed", "is not JSON")
    }
    const parts: Parts = { maps: [], sources: [], names: [], functions: [] }
    const fault = collect(parsed, parts, { line: 0, column: 0, end: null }, 0)
    if (fault === tooManySources) return tooLarge(fault)
    if (fault !== null)
      return unreadable(fault === notMap ? "not_a_source_map" : "source_map_malformed", fault)
    const mappings = Mappings.decode(parts.maps)
    if (mappings === "too_many") return tooLarge("has too many mappings")
    if (mappings === "malformed")
      return unreadable("source_map_malformed", "has mappings that cannot be decoded")
    // V8 stores ASCII text with one byte per character.
    const bytesPerCharacter = text.length === json.length ? 1 : 2
    return new SourceMapFile(mappings, parts.sources, parts.names, parts.functions, bytesPerCharacter)
  }

  /** Restores the methods of an object from another thread. */
  static revived(map: SourceMapFile): SourceMapFile {
    Mappings.revived(map.mappings)
    for (const functions of map.functionMaps.values()) FunctionMap.revived(functions)
    return Object.setPrototypeOf(map, SourceMapFile.prototype)
  }

  /** Original names that are as short as minified ones. */
  get shortNames(): ReadonlySet<string> {
    this.short ??= new Set(this.names.filter(({ length }) => length <= maxMinified))
    return this.short
  }

  /** Returns Metro's names of functions for a source. Null if there are none, or they are invalid. */
  functionsOf(source: number): FunctionMap | null {
    return this.functionMaps.get(source) ?? null
  }
}

// internal

/** Size of the JSON. */
const maxBytes = 64 * 1024 * 1024

/** Values and keys of the JSON, each of which takes an object. Maps of 64 MiB have a few hundred thousand. */
const maxValues = 2_000_000

/** Transferring two million blocks the receiving thread for 1.5 s. Real builds have a few thousand. */
const maxSources = 100_000
const tooManySources = `has more than ${maxSources} sources`

/** Bundlers that combine maps write index maps. More than two levels are unknown. */
const maxDepth = 8

/** UTF-16 units of a source's name, which is processed several times per frame. */
const maxName = 4096

/** Approximate overhead of a string or source, in bytes. */
const bytesPerObject = 48

const decoder = new TextDecoder()

const unreadable = (code: MapFault["code"], reason: string): MapFault => ({ code, reason })

const tooLarge = (reason: string) => unreadable("source_map_too_large", reason)

const notMap = "has neither mappings nor sections"

type Members = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The combined contents of the maps of an index map. */
interface Parts {
  readonly maps: Array<MappingsPart>
  readonly sources: Array<Source>
  readonly names: Array<string>
  readonly functions: Array<EncodedFunctions | null>
}

/** The range of generated code that a map covers. */
type Area = Pick<MappingsPart, "line" | "column" | "end">
type End = Area["end"]

/** Adds the map of an area. Returns its fault, or null. */
const collect = (map: unknown, parts: Parts, area: Area, depth: number): string | null => {
  if (!isObject(map)) return notMap
  if (map["version"] !== 3 && map["version"] !== "3") {
    return map["mappings"] === undefined && map["sections"] === undefined ? notMap : "is not of version 3"
  }
  if (map["sections"] !== undefined) return collectSections(map["sections"], parts, area, depth)
  const { mappings, names = [], sources = [], sourcesContent } = map
  if (typeof mappings !== "string") return notMap
  if (!Array.isArray(sources)) return "has no list of sources"
  if (!Array.isArray(names)) return "has no list of names"
  if (parts.sources.length + sources.length > maxSources) return tooManySources
  parts.maps.push({
    text: mappings,
    ...area,
    firstSource: parts.sources.length,
    sources: sources.length,
    firstName: parts.names.length,
    names: names.length,
  })
  const contents: ReadonlyArray<unknown> = Array.isArray(sourcesContent) ? sourcesContent : []
  const functions: ReadonlyArray<unknown> = Array.isArray(map["x_facebook_sources"])
    ? map["x_facebook_sources"]
    : []
  const ignored = ignoredOf(map["ignoreList"] ?? map["x_google_ignoreList"])
  const root = typeof map["sourceRoot"] === "string" ? cut(map["sourceRoot"]) : ""
  const prefix = root === "" || root.endsWith("/") ? root : `${root}/`
  for (let i = 0; i < sources.length; i++) {
    const url: unknown = sources[i]
    const content = contents[i]
    parts.sources.push({
      url: typeof url === "string" && url !== "" ? cut(joined(prefix, url)) : null,
      content: typeof content === "string" ? content : null,
      isIgnored: ignored.has(i),
    })
    parts.functions.push(encodedFunctions(functions[i]))
  }
  for (const name of names) parts.names.push(typeof name === "string" ? name : "")
  return null
}

const collectSections = (
  sections: unknown,
  parts: Parts,
  { column, end, line }: Area,
  depth: number,
): string | null => {
  if (!Array.isArray(sections)) return "has no list of sections"
  if (depth === maxDepth) return "has too deeply nested sections"
  const begins: Array<{ readonly line: number; readonly column: number; readonly map: unknown }> = []
  for (const section of sections) {
    const offset: unknown = isObject(section) ? section["offset"] : null
    if (!isObject(section) || !isObject(offset)) return "has a section without an offset"
    if (!isOffset(offset["line"]) || !isOffset(offset["column"])) return "has a section with a bad offset"
    begins.push({
      line: line + offset["line"],
      // The column offset only applies to the first line.
      column: offset["column"] + (offset["line"] === 0 ? column : 0),
      map: section["map"],
    })
  }
  begins.sort((a, b) => a.line - b.line || a.column - b.column)
  for (const [i, begin] of begins.entries()) {
    const area = { line: begin.line, column: begin.column, end: earlier(end, begins[i + 1] ?? null) }
    const fault = collect(begin.map, parts, area, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** Strips `./` after a prefix, where it would look like the name of a build. */
const joined = (prefix: string, url: string): string =>
  prefix === "" ? url : prefix + url.replace(/^(?:\.\/)+/, "")

/** Copied, because a slice keeps the whole text in memory. */
const cut = (name: string): string =>
  name.length <= maxName ? name : Buffer.from(name.slice(0, maxName)).toString()

const isOffset = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 0x7fffffff

const earlier = (a: End, b: End): End => {
  if (a === null || b === null) return a ?? b
  return a.line < b.line || (a.line === b.line && a.column < b.column) ? a : b
}

const ignoredOf = (list: unknown): ReadonlySet<number> =>
  new Set(Array.isArray(list) ? list.filter((index): index is number => typeof index === "number") : [])
