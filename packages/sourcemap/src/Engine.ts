/** The engine that maps the frames of reports. */
import { createHash } from "node:crypto"
import { ErrataConfig, type ProjectId } from "@errata/core"
import { BoundedCache } from "@errata/core/internal"
import { Duration, Effect, Layer, Result } from "effect"
import { pathOf } from "./FramePath.js"
import type { Answers, Job } from "./Job.js"
import * as ReadingThread from "./ReadingThread.js"
import { type ReadingBudgetUsed, SourceMapEngine, SourceMapUnreadable } from "./SourceMapEngine.js"
import { SourceMapFile } from "./SourceMapFile.js"
import { SourceTexts, type TextToRead } from "./SourceTexts.js"
import { mapFrames } from "./StackFrames.js"
import { Turns } from "./Turns.js"

/** Reads in a thread. Caches no maps, and of source texts only the recently used ones. */
export const make = (thread: ReadingThread.ReadingThread): Effect.Effect<SourceMapEngine["Service"]> =>
  Effect.gen(function* () {
    const { sourcemaps: settings } = yield* ErrataConfig
    const limit = Duration.toMillis(settings.maxReading)
    const turns = new Turns({ work: 2 * limit, window: 6 * limit })
    const slow = new BoundedCache<string, true>(maxSlow)

    /** Returns null for content that took too long, now or earlier. */
    const read = <K extends Job["kind"]>(
      job: Extract<Job, { readonly kind: K }>,
      content: Uint8Array | string,
      projectId: ProjectId,
    ): Effect.Effect<Answers[K] | null, ReadingBudgetUsed> =>
      Effect.suspend(() => {
        const key = () => createHash("sha256").update(content).digest("base64")
        if (slow.weight > 0 && slow.get(key()) === true) return Effect.succeed(null)
        return Effect.tap(turns.in(projectId, thread.run(job)), (answer) =>
          answer === null
            ? Effect.andThen(
                Effect.sync(() => slow.set(key(), true)),
                Effect.logWarning("Reading an uploaded file exceeded the limits").pipe(
                  Effect.annotateLogs({ projectId, kind: job.kind, bytes: content.length }),
                ),
              )
            : Effect.void,
        )
      })

    const texts = new SourceTexts()

    return {
      read: (json, projectId) =>
        Effect.map(read({ kind: "map", bytes: own(json) }, json, projectId), (map) =>
          map instanceof SourceMapFile
            ? Result.succeed(map)
            : Result.fail(
                new SourceMapUnreadable(map ?? { code: "limit_exceeded", reason: "takes too long" }),
              ),
        ),
      readScript: (code, map, projectId) =>
        map instanceof SourceMapFile
          ? read(
              { kind: "script", bytes: own(code), map: { mappings: map.mappings, names: map.names } },
              code,
              projectId,
            )
          : Effect.succeed(null),
      readTexts: (unread, projectId) =>
        texts.readAll(unread as ReadonlyArray<TextToRead>, (text) =>
          read({ kind: "text", text }, text.content, projectId),
        ),
      pathOf,
      map: (frames, scriptOf, given) => mapFrames(frames, scriptOf, texts.known(given)),
    }
  })

/** Maps frames with its own thread for reading maps. */
export const layer: Layer.Layer<SourceMapEngine> = Layer.effect(
  SourceMapEngine,
  Effect.flatMap(ReadingThread.fromBuild, make),
)

// internal

/** Number of slow contents that are remembered. */
const maxSlow = 1_000

/** Copies a view of a larger buffer: otherwise the whole buffer would be sent to the thread. */
const own = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
