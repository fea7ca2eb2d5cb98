/** Events of minified scripts, an engine whose maps are tables of names, and uploads of such maps. */
import { type ProjectId, SourcemapRetries, StorageError } from "@errata/core"
import {
  ArtifactArrivals,
  Recorder,
  RecorderWorker,
  type SourcemapFailureCode,
  SourcemapWorker,
} from "@errata/core/internal"
import {
  ArtifactStore,
  BlobStore,
  type ErrorEvent,
  type Frame,
  type Payload,
  PayloadDecoder,
  PendingPayloads,
} from "@errata/core/ports"
import {
  FrameMapping,
  type GeneratedScript,
  HostedMaps,
  HostedMapUnavailable,
  ReadingBudgetUsed,
  type SourceMap,
  SourceMapEngine,
  SourceMapUnreadable,
} from "@errata/sourcemap"
import { DateTime, Effect, Layer, Result } from "effect"
import { advance, onRealClock } from "../ContractCase.js"
import * as Factory from "../Factory.js"
import { sha256 } from "../TestBundle.js"
import { append } from "./Pipeline.js"

export const app = "https://shop.example.com/assets/app.js"

export interface ScriptEvent {
  /** Minified function names, the outermost call first. */
  readonly calls?: ReadonlyArray<string>
  readonly path?: string
  /** One per call, for calls in several scripts. */
  readonly paths?: ReadonlyArray<string>
  readonly debugId?: string
  readonly release?: string
  readonly platform?: string
}

/** A payload with an event of a minified script. */
export const scriptPayload = (projectId: ProjectId, event: ScriptEvent = {}): Payload =>
  Factory.payload(projectId, { body: new TextEncoder().encode(JSON.stringify(event)) })

/** Original name and file of each minified function. */
export type Names = Readonly<Record<string, readonly [name: string, file: string]>>

export const mapOf = (names: Names): Uint8Array => new TextEncoder().encode(JSON.stringify(names))

/** Maps functions by their minified names. Maps that are not JSON objects are malformed. */
export const engine: SourceMapEngine["Service"] = {
  read: (json) =>
    Effect.sync(() => {
      const text = new TextDecoder().decode(json)
      return text.startsWith("{")
        ? Result.succeed({ memory: json.length, names: JSON.parse(text) } as SourceMap)
        : Result.fail(new SourceMapUnreadable({ code: "source_map_malformed", reason: "no object" }))
    }),
  readScript: (code) =>
    Effect.sync(
      () => ({ memory: code.length, names: JSON.parse(new TextDecoder().decode(code)) }) as GeneratedScript,
    ),
  readTexts: () => Effect.succeed({ size: 0 }),
  pathOf: ({ filename, lineno }) => (lineno === undefined ? null : (filename ?? null)),
  map: (frames, scriptOf) => {
    const outcomes: Array<ReturnType<SourceMapEngine["Service"]["map"]>["outcomes"][number]> = []
    const mapped = frames.map((frame): Frame => {
      const script =
        frame.filename === undefined || frame.lineno === undefined ? null : scriptOf(frame.filename)
      if (script === null || typeof script === "string") {
        outcomes.push(script ?? "no_candidate")
        return frame
      }
      const names = (script.map as SourceMap & { readonly names: Names }).names
      const own = names[frame.function ?? ""]
      outcomes.push(own === undefined ? "position_not_mapped" : "mapped")
      if (own === undefined) return frame
      const [, filename] = own
      const name = own[0] === "" ? nameIn(script.functions(), frame) : own[0]
      return { function: name, filename, lineno: 7, in_app: true, context_line: `${name}()` }
    })
    return { frames: mapped, outcomes, unread: [] }
  },
}

const nameIn = (script: GeneratedScript | null, frame: Frame): string =>
  (script as (GeneratedScript & { readonly names: Names }) | null)?.names[frame.function ?? ""]?.[0] ?? "?"

const decoder: PayloadDecoder["Service"] = {
  example: () => ({ kind: "event", body: new TextEncoder().encode("{}") }),
  decode: (payload) => {
    const event = JSON.parse(new TextDecoder().decode(payload.body)) as ScriptEvent
    const path = event.path ?? app
    return Result.succeed({
      event: toErrorEvent(payload, event, path),
      attachments: [],
      feedback: [],
      discarded: [],
    })
  },
}

const toErrorEvent = (payload: Payload, event: ScriptEvent, path: string): ErrorEvent =>
  Factory.errorEvent({
    eventId: payload.eventId,
    occurredAt: payload.receivedAt,
    platform: event.platform ?? "javascript",
    release: event.release ?? "",
    details: Factory.eventDetails({
      exceptions: [
        {
          type: "Error",
          value: "boom",
          frames: (event.calls ?? ["a", "b"]).map((name, i) => ({
            filename: event.paths?.[i] ?? path,
            function: name,
            lineno: 1,
            colno: 2,
            in_app: true,
          })),
        },
      ],
      debug_images:
        event.debugId === undefined
          ? []
          : [{ type: "sourcemap", code_file: path, debug_id: event.debugId.toUpperCase() }],
    }),
  })

/** Options of a node. By default no map is hosted and all blobs can be read. */
export interface ScriptNode {
  /** Hosted maps by script URL; null without a response. */
  readonly published?: ReadonlyMap<string, Uint8Array>
  readonly blobsAreAway?: () => boolean
  /** True once projects have used up their time for reading. */
  readonly isOverBudget?: () => boolean
}

const layerOf = ({ blobsAreAway = () => false, isOverBudget = () => false, published }: ScriptNode) => {
  const blobs = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (store) =>
      BlobStore.of({
        ...store,
        get: (key) => (blobsAreAway() ? away : store.get(key)),
      }),
    ),
  )
  const hosted = Layer.succeed(HostedMaps, {
    find: (_, url) => {
      const json = published?.get(url)
      return json === undefined
        ? new HostedMapUnavailable({
            code: "hosted_not_found" satisfies SourcemapFailureCode,
          })
        : Effect.succeed({ json, url: `${url}.map` })
    },
  })
  const known = Layer.mergeAll(
    blobs,
    hosted,
    Layer.succeed(SourceMapEngine, {
      ...engine,
      read: (json, projectId) =>
        Effect.suspend(() => (isOverBudget() ? new ReadingBudgetUsed() : engine.read(json, projectId))),
    }),
    Layer.succeed(PayloadDecoder, decoder),
  )
  return Layer.provideMerge(FrameMapping.layerHosted, known)
}

const away = new StorageError({
  operation: "BlobStore.get",
  reason: "unavailable",
  cause: new Error("away"),
})

/** Records the queue. Events are postponed until their maps are in memory or time is up. */
const recordAll = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  for (let turn = 0; turn < 60; turn++) {
    yield* RecorderWorker.drain
    if ((yield* pending.size).payloads === 0) return
    // Maps are loaded in the background, which takes real time on a storage with real connections.
    yield* onRealClock(Effect.sleep("5 millis"))
    yield* advance("1 second")
  }
})

/** Records payloads as one batch on a new node. */
export const recordScripts = (node: ScriptNode, ...payloads: ReadonlyArray<Payload>) =>
  Effect.andThen(
    append(...payloads),
    Effect.provide(recordAll, Recorder.Default.pipe(Layer.provideMerge(layerOf(node)))),
  )

/** A node that keeps recording, with its caches. */
export const recorderNode = Effect.map(
  Layer.build(Recorder.Default.pipe(Layer.provideMerge(layerOf({})))),
  (services) => ({
    record: (...payloads: ReadonlyArray<Payload>) =>
      Effect.andThen(append(...payloads), Effect.provide(recordAll, services)),
  }),
)

/** Maps all queued reports on a new node and returns the number of attempts. */
export const workOff = (node: ScriptNode) => Effect.provide(SourcemapWorker.drain, layerOf(node))

/** A worker that runs until its scope closes. */
export const workerOf = (node: ScriptNode) => Layer.provide(SourcemapWorker.layer, layerOf(node))

export const withRetries = Effect.provide(SourcemapRetries.Default.pipe(Layer.provideMerge(layerOf({}))))

/** Uploads a map for a debug id or a release, and queues the reports that wait for it. */
export const uploadMap = (
  projectId: ProjectId,
  content: Uint8Array,
  {
    debugId = null,
    release = null,
    url = "~/assets/app.js.map",
    script = null,
  }: {
    readonly debugId?: string | null
    readonly release?: string | null
    readonly url?: string
    /** Content of the script next to the map. */
    readonly script?: Uint8Array | null
  },
) =>
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    const store = yield* ArtifactStore
    const arrivals = yield* ArtifactArrivals
    const now = yield* DateTime.now
    const blob = sha256(content)
    yield* blobs.put(blob, content)
    const size = content.length
    const files = [Factory.newArtifactFile({ url, debugId, size, blob })]
    if (script !== null) {
      const key = sha256(script)
      yield* blobs.put(key, script)
      files.push(
        Factory.newArtifactFile({
          type: "minified_source",
          url: url.replace(/\.map$/, ""),
          debugId,
          size: script.length,
          blob: key,
        }),
      )
    }
    const bundleId = yield* store.insert(Factory.newArtifactBundle(projectId, { size, files }), now)
    yield* store.link({ projectId, bundleId }, { release, dist: null }, now)
    yield* arrivals.arrived({
      projectId,
      release,
      dist: null,
      debugIds: debugId === null ? [] : [debugId],
    })
  })
