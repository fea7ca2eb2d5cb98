/**
 * Maps the stacks of an event. The engine first requests sources that the maps lack, then texts that are not read yet, then
 * scripts that name functions. Each kind is read, and the stacks are mapped again.
 */

import { SourcemapFailure, type SourcemapFailureCode } from "@errata/core/internal"
import type { InspectedEvent } from "@errata/core/ports"
import { Effect, Option, Result } from "effect"
import type {
  GeneratedScript,
  MappedScript,
  MappedStack,
  ReadTexts,
  SourceMapEngine,
} from "../SourceMapEngine.js"
import type { MapReader, Reading } from "./MapReader.js"
import type { ScriptFinder } from "./ScriptFinder.js"
import type { OpenScripts } from "./ScriptMaps.js"

export interface MappedStacks {
  readonly stacks: ReadonlyArray<MappedStack>
  /** True if something that would help could not be read now. */
  readonly isCut: boolean
}

export class StackMapper {
  constructor(
    private readonly engine: SourceMapEngine["Service"],
    private readonly finder: ScriptFinder,
    private readonly maps: MapReader,
  ) {}

  map(event: InspectedEvent, scripts: OpenScripts, reading: Reading): Effect.Effect<MappedStacks> {
    return Effect.gen({ self: this }, function* () {
      const pass = (beside: FilesBeside) => this.pass(event, scripts, beside)
      let mapped = pass(nothing)
      const sources = yield* this.readSources(event, mapped.asked.sources, reading)
      if (sources.read.size > 0) mapped = pass({ ...nothing, sources: sources.read })
      const texts = yield* this.readTexts(event, mapped.stacks, reading)
      const beside = { ...nothing, sources: sources.read, texts: texts.read }
      if (texts.read !== null) mapped = pass(beside)
      const functions = yield* this.readFunctions(scripts, mapped.asked.scripts, reading)
      if (functions.read.size > 0) mapped = pass({ ...beside, functions: functions.read })
      return { stacks: mapped.stacks, isCut: sources.isCut || texts.isCut || functions.isCut }
    })
  }

  private pass({ stacks }: InspectedEvent, scripts: OpenScripts, beside: FilesBeside) {
    const { functions, sources, texts } = beside
    const asked = { sources: new Set<string>(), scripts: new Set<string>() }
    const sourceAt = (url: string) => {
      const source = sources.get(url)
      if (source === undefined && asked.sources.size < maxSources) asked.sources.add(url)
      return source ?? null
    }
    const functionsOf = (path: string) => {
      if (!functions.has(path)) asked.scripts.add(path)
      return functions.get(path) ?? null
    }
    const scriptOf = (path: string): MappedScript | SourcemapFailureCode => {
      const open = scripts.get(path)
      if (open === undefined) return "limit_exceeded"
      return "code" in open ? open.code : { ...open.script, sourceAt, functions: () => functionsOf(path) }
    }
    return { asked, stacks: stacks.map(({ frames }) => this.engine.map(frames, scriptOf, texts)) }
  }

  private readSources({ event, projectId }: InspectedEvent, urls: ReadonlySet<string>, reading: Reading) {
    const { details, release } = event
    return Effect.gen({ self: this }, function* () {
      const read = new Map<string, string>()
      if (urls.size === 0 || release === "") return { read, isCut: false }
      const found = yield* Effect.option(
        this.finder.findSources(projectId, { release, dist: details.dist }, [...urls]),
      )
      if (Option.isNone(found)) return { read, isCut: true }
      let isCut = false
      for (const [url, file] of found.value) {
        if (file.size > maxSourceBytes) continue
        const content = yield* this.maps.source(file, reading)
        if (Result.isSuccess(content)) read.set(url, content.success)
        else isCut ||= SourcemapFailure.mayPass(content.failure)
      }
      return { read, isCut }
    })
  }

  private readTexts({ projectId }: InspectedEvent, stacks: ReadonlyArray<MappedStack>, reading: Reading) {
    const unread = stacks.flatMap((stack) => stack.unread)
    return unread.length === 0 || !reading.mayLoad
      ? Effect.succeed({ read: null, isCut: unread.length > 0 })
      : Effect.map(Effect.option(this.engine.readTexts(unread, projectId)), (texts) => ({
          read: Option.getOrNull(texts),
          isCut: Option.isNone(texts),
        }))
  }

  private readFunctions(scripts: OpenScripts, paths: ReadonlySet<string>, reading: Reading) {
    return Effect.gen({ self: this }, function* () {
      const functions = new Map<string, GeneratedScript>()
      let isCut = false
      for (const path of paths) {
        const open = scripts.get(path)!
        if ("code" in open || open.generated === null) continue
        const { map, script } = open.generated
        const read = yield* this.maps.readFunctions(script, open.script.map, map, reading)
        if (Result.isSuccess(read) && read.success !== null) functions.set(path, read.success)
        isCut ||= Result.isFailure(read) && SourcemapFailure.mayPass(read.failure)
      }
      return { read: functions, isCut }
    })
  }
}

// internal

/** Files that the maps do not contain, by the addresses of sources and the paths of scripts. */
interface FilesBeside {
  readonly sources: ReadonlyMap<string, string>
  readonly functions: ReadonlyMap<string, GeneratedScript>
  readonly texts: ReadTexts | null
}

const nothing: FilesBeside = { sources: new Map(), functions: new Map(), texts: null }

/** Sources of one report that are not in its maps. */
const maxSources = 30
const maxSourceBytes = 1024 * 1024
