/** The port that reads source maps and maps the frames of a stack. */
import type { ProjectId } from "@errata/core"
import type { SourcemapFailureCode } from "@errata/core/internal"
import type { Frame } from "@errata/core/ports"
import { Context, Data, type Effect, type Result } from "effect"

/** A source map that was read. Only the engine that made it reads its contents. */
export interface SourceMap {
  /** Approximate bytes in memory, for the bounds of caches. */
  readonly memory: number
}

/** The reason why a map cannot be used. */
export class SourceMapUnreadable extends Data.TaggedError("SourceMapUnreadable")<{
  readonly code: Extract<
    SourcemapFailureCode,
    "source_map_malformed" | "source_map_too_large" | "not_a_source_map" | "limit_exceeded"
  >
  /** For logs, without contents of the map. */
  readonly reason: string
}> {}

/** The project has used its time in the thread. It has time again within a minute. */
export class ReadingBudgetUsed extends Data.TaggedError("ReadingBudgetUsed") {
  override get message(): string {
    return "The project has used its time for reading source maps"
  }
}

/** The functions of a generated script. Only the engine that made it reads its contents. */
export interface GeneratedScript {
  /** Approximate bytes in memory. */
  readonly memory: number
}

/** A script of frames, with its map. */
export interface MappedScript {
  readonly map: SourceMap
  /** The base address of the map's sources. */
  readonly mapUrl: string
  /** Returns an uploaded source, for maps without contents. Null if there is none of that name. */
  readonly sourceAt: (url: string) => string | null
  /** Returns the functions of the script, for maps without sources. Null if they were not read. */
  readonly functions: () => GeneratedScript | null
}

/** The result for a frame. A frame without a script is `no_candidate`. */
export type FrameOutcome = "mapped" | "no_candidate" | SourcemapFailureCode

/** A source of frames that was not read yet. Only the engine that made it reads its contents. */
export interface UnreadText {
  readonly content: string
}

/** Texts that were read. Only the engine that made them reads their contents. */
export interface ReadTexts {
  readonly size: number
}

export interface MappedStack {
  /**
   * All given frames, in their order. Frames that are not mapped are unchanged, but code that a bundler added between mapped
   * code is not in-app.
   */
  readonly frames: ReadonlyArray<Frame>
  readonly outcomes: ReadonlyArray<FrameOutcome>
  /** Texts that may name functions of these frames. */
  readonly unread: ReadonlyArray<UnreadText>
}

/**
 * Reads in a thread, one job at a time, with turns for projects. A job that takes too long is terminated, and its content is
 * `limit_exceeded` from then on. Invalid maps are results, not errors. A project that has used its time is rejected at
 * once.
 */
export class SourceMapEngine extends Context.Service<
  SourceMapEngine,
  {
    /** Reads a map from UTF-8 JSON, with or without the guard that servers prepend, in a turn of the project. */
    readonly read: (
      json: Uint8Array,
      projectId: ProjectId,
    ) => Effect.Effect<Result.Result<SourceMap, SourceMapUnreadable>, ReadingBudgetUsed>

    /**
     * Reads the functions of a UTF-8 script, by the names of its map, in a turn of the project. Null if it took too
     * long, or if the map is from another engine.
     */
    readonly readScript: (
      code: Uint8Array,
      map: SourceMap,
      projectId: ProjectId,
    ) => Effect.Effect<GeneratedScript | null, ReadingBudgetUsed>

    /** Reads texts in turns of the project, for the next `map` of the same frames. */
    readonly readTexts: (
      texts: ReadonlyArray<UnreadText>,
      projectId: ProjectId,
    ) => Effect.Effect<ReadTexts, ReadingBudgetUsed>

    /** Returns the path of a frame's script, or null if the frame has no position in a script. */
    readonly pathOf: (frame: Frame) => string | null

    /**
     * Maps the frames of one stack, from the outermost to the innermost, with texts in memory. `scriptOf` returns the
     * map of a candidate's path, or the reason why there is none.
     */
    readonly map: (
      frames: ReadonlyArray<Frame>,
      scriptOf: (path: string) => MappedScript | SourcemapFailureCode,
      texts: ReadTexts | null,
    ) => MappedStack
  }
>()("@errata/sourcemap/SourceMapEngine") {}
