/** Reading source maps, and what they say of the frames of a stack. `@errata/sourcemap` gives the engine. */
import type { Frame, ProjectId, SourcemapFailureCode } from "@errata/core"
import { Context, Data, type Effect, type Result } from "effect"

/** A source map that was read, ready for look-ups. Only the engine that made it looks into it. */
export interface SourceMap {
  /** Bytes that it keeps in memory, roughly: caches are bounded by them. */
  readonly memory: number
}

/** Why a map cannot be used. */
export class SourceMapUnreadable extends Data.TaggedError("SourceMapUnreadable")<{
  readonly code: Extract<
    SourcemapFailureCode,
    "source_map_malformed" | "source_map_too_large" | "not_a_source_map" | "limit_exceeded"
  >
  /** For a log: tells nothing of the map's contents. */
  readonly reason: string
}> {}

/** The project has used its time in the thread. It has time again within a minute. */
export class ReadingBudgetUsed extends Data.TaggedError("ReadingBudgetUsed") {
  override get message(): string {
    return "The project has used its time for reading source maps"
  }
}

/** The functions of a script as it was generated. Only the engine that made it looks into it. */
export interface GeneratedScript {
  /** Bytes that it keeps in memory, roughly. */
  readonly memory: number
}

/** A script that frames are in, and what is known of it. */
export interface MappedScript {
  readonly map: SourceMap
  /** What the sources of the map are relative to. */
  readonly mapUrl: string
  /** Sources that came beside the map, for maps without their contents; null where there is none of that name. */
  readonly sourceAt: (url: string) => string | null
  /** The script itself. The engine requests it where sources lack the names; null where it is not known. */
  readonly functions: () => GeneratedScript | null
}

/** What became of a frame: it is mapped, it is none that could be, or the reason why it is not. */
export type FrameOutcome = "mapped" | "no_candidate" | SourcemapFailureCode

/** The text of a source that frames are in and that was not read yet. Only the engine that made it looks into it. */
export interface UnreadText {
  readonly content: string
}

/** Texts that were read. Only the engine that made them looks into them. */
export interface ReadTexts {
  readonly size: number
}

export interface MappedStack {
  /**
   * As many as were given, in their order; those that are not mapped are as they were, but not in-app where they are code
   * that a bundler added to what is mapped.
   */
  readonly frames: ReadonlyArray<Frame>
  readonly outcomes: ReadonlyArray<FrameOutcome>
  /** Texts that would name functions of these frames, were they read. */
  readonly unread: ReadonlyArray<UnreadText>
}

/**
 * Reading takes a thread of its own, one job at a time, and projects take turns. A job that takes too long is ended, and
 * what it read is `limit_exceeded` from then on. Bad maps are outcomes, and no failures. A project that has used its time
 * is refused at once.
 */
export class SourceMapEngine extends Context.Service<
  SourceMapEngine,
  {
    /** Reads a map from its JSON in UTF-8, also with what servers send before it, in a turn of the project. */
    readonly read: (
      json: Uint8Array,
      projectId: ProjectId,
    ) => Effect.Effect<Result.Result<SourceMap, SourceMapUnreadable>, ReadingBudgetUsed>

    /**
     * Reads the functions of a script in UTF-8, by the names of its map, in a turn of the project. Null if that took too
     * long, and of a map of another engine.
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

    /** The path of the script of a frame that a map could map; null where the frame has no position in a script. */
    readonly pathOf: (frame: Frame) => string | null

    /**
     * Maps the frames of one stack, from the outermost call to the innermost, with texts in memory. `scriptOf` is asked
     * for the paths of candidates; it answers why there is no map where there is none.
     */
    readonly map: (
      frames: ReadonlyArray<Frame>,
      scriptOf: (path: string) => MappedScript | SourcemapFailureCode,
      texts: ReadTexts | null,
    ) => MappedStack
  }
>()("@errata/sourcemap/SourceMapEngine") {}
