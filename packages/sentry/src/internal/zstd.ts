/**
 * zstd bodies: small ones on the event loop, others in a worker thread, of which there are two at most.
 *
 * Node's own zlib has zstd from 22.15 on. It is not used there: the same decoder as WebAssembly is as fast for bodies of
 * this size, and the same on every version.
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect, Semaphore } from "effect"
import type { DecodeFailure } from "./inflate.js"
import { decodeFrames, loadDecoder, loadedDecoder } from "./zstdDecoder.js"
import { readFrames, readPrefix, type ZstdFrames } from "./zstdFrames.js"

export const decodeZstd = (body: Buffer, maxBytes: number): Effect.Effect<Buffer, DecodeFailure> =>
  Effect.suspend(() => {
    const frames = readFrames(body, maxBytes)
    if (typeof frames === "string") return Effect.fail(frames)
    const capacity = Math.min(frames.outputBytes, maxBytes)
    const decoded: Effect.Effect<Buffer | null, DecodeFailure> = isSmall(body, frames)
      ? Effect.map(loadDecoder, (decoder) => decodeFrames(decoder, body, capacity))
      : workers.withPermits(1)(runJob(body, capacity))
    return Effect.flatMap(decoded, (output) =>
      output === null ? Effect.fail(failureOf(frames, maxBytes)) : Effect.succeed(output),
    )
  })

/** Decodes a small body on the event loop. Null for a larger one, and while the decoder is not loaded. */
export const decodeZstdNow = (body: Buffer, maxBytes: number): Buffer | DecodeFailure | null => {
  const decoder = loadedDecoder()
  if (decoder === null) return null
  const frames = readFrames(body, maxBytes)
  if (typeof frames === "string") return frames
  if (!isSmall(body, frames)) return null
  return decodeFrames(decoder, body, Math.min(frames.outputBytes, maxBytes)) ?? failureOf(frames, maxBytes)
}

/** The first bytes of what a part of a body decodes to, on the event loop: a block, or a few small ones. */
export const zstdPrefix = (body: Buffer, maxBytes: number): Effect.Effect<Buffer, DecodeFailure> =>
  Effect.flatMap(loadDecoder, (decoder) => {
    const prefix = readPrefix(body, maxBytes)
    if (prefix === null) return Effect.succeed(Buffer.alloc(0))
    if (typeof prefix === "string") return Effect.fail(prefix)
    const decoded = decodeFrames(decoder, prefix.frame, prefix.outputBytes)
    return decoded === null ? Effect.fail("invalid") : Effect.succeed(decoded.subarray(0, maxBytes))
  })

// internal

const require = createRequire(import.meta.url)
const maxSmallInput = 32 * 1024
const maxSmallOutput = 256 * 1024
// The tables of a block cost up to 20 microseconds, however few bytes come out of it.
const maxSmallBlocks = 16
// Memory that WebAssembly has taken is given back with the worker only.
const maxIdleMillis = 10_000
// Sixteen megabytes take a tenth of a second.
const maxJobMillis = 3000

const workers = Semaphore.makeUnsafe(2)
let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | null = null

const isSmall = (body: Buffer, frames: ZstdFrames): boolean =>
  body.length <= maxSmallInput && frames.outputBytes <= maxSmallOutput && frames.blocks <= maxSmallBlocks

// The decoder does not tell a frame that is damaged from one that gives too much; it can be the latter only where the
// frame's blocks allow for more.
const failureOf = (frames: ZstdFrames, maxBytes: number): DecodeFailure =>
  frames.outputBytes > maxBytes ? "too_large" : "invalid"

interface Job {
  readonly body: Uint8Array
  readonly capacity: number
}

interface Answer {
  /** Null where the body does not decode. */
  readonly output: Uint8Array | null
}

const runJob = (body: Buffer, capacity: number): Effect.Effect<Buffer | null, DecodeFailure> =>
  Effect.acquireUseRelease(
    Effect.try({ try: takeWorker, catch: (): DecodeFailure => "unsupported" }),
    (slot) =>
      Effect.callback<Buffer | null, DecodeFailure>((resume) => {
        slot.worker.once("message", ({ output }: Answer) => {
          slot.reusable = true
          resume(
            Effect.succeed(
              output === null ? null : Buffer.from(output.buffer, output.byteOffset, output.length),
            ),
          )
        })
        slot.worker.once("error", () => resume(Effect.fail("invalid")))
        // A copy of its own: a view would take the whole buffer behind it along.
        const copy = Uint8Array.from(body)
        slot.worker.postMessage({ body: copy, capacity } satisfies Job, [copy.buffer])
      }).pipe(
        Effect.timeoutOrElse({
          duration: maxJobMillis,
          orElse: () => Effect.fail<DecodeFailure>("too_slow"),
        }),
      ),
    (slot) => Effect.sync(() => releaseWorker(slot)),
  )

interface Slot {
  readonly worker: Worker
  reusable: boolean
}

const takeWorker = (): Slot => {
  const worker = idle?.worker ?? startWorker()
  clearTimeout(idle?.timer)
  idle = null
  return { worker, reusable: false }
}

const releaseWorker = ({ reusable, worker }: Slot): void => {
  worker.removeAllListeners("message")
  worker.removeAllListeners("error")
  // A worker that fails while nobody listens must not take the process with it.
  worker.on("error", () => {
    if (idle?.worker === worker) idle = null
  })
  if (!reusable || idle !== null) void worker.terminate()
  else {
    const timer = setTimeout(() => {
      idle = null
      void worker.terminate()
    }, maxIdleMillis)
    idle = { worker, timer: timer.unref() }
  }
}

const startWorker = (): Worker => {
  const decoder = pathToFileURL(require.resolve("zstddec")).href
  const worker = new Worker(workerSource, { eval: true, workerData: { decoder } })
  worker.unref()
  return worker
}

// As text, so that it runs from the sources, from a build and from a bundle alike.
const workerSource = `
const { parentPort, workerData } = require("node:worker_threads")
const loading = import(workerData.decoder).then(async ({ ZSTDDecoder }) => {
  const decoder = new ZSTDDecoder()
  await decoder.init()
  return decoder
})
parentPort.on("message", async ({ body, capacity }) => {
  const decoder = await loading
  const output = decoder.decode(body, capacity)
  if (output.length === 0) parentPort.postMessage({ output: null })
  else parentPort.postMessage({ output }, [output.buffer])
})
`
