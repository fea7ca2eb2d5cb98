/**
 * zstd, which Node's own zlib has only from 22.15 on.
 *
 * A hostile frame of ten bytes can keep a decoder in plain JavaScript busy for minutes (match lengths are not checked
 * against the block), so the decoder runs in a worker thread that is ended when it takes too long, and a frame's
 * headers are checked here before it sees them: a declared window is allocated before the first byte is decoded.
 */
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"

export type ZstdFailure = "too_large" | "invalid" | "unsupported"

export const decodeZstd = (body: Buffer, maxBytes: number): Effect.Effect<Buffer, ZstdFailure> =>
  Effect.suspend(() => {
    const frames = readFrames(body, maxBytes)
    if (typeof frames === "string") return Effect.fail(frames)
    return workers.withPermits(1)(runJob(body, frames, maxBytes))
  })

/** The extents of the frames in a body, as start and end in turn. Reads headers only: linear and without allocation. */
export const readFrames = (body: Buffer, maxBytes: number): ReadonlyArray<number> | ZstdFailure => {
  const frames: Array<number> = []
  let at = 0
  while (at < body.length) {
    if (at + 8 > body.length) return "invalid"
    const magic = body.readUInt32LE(at)
    if ((magic & 0xfffffff0) >>> 0 === skippableMagic) {
      at += 8 + body.readUInt32LE(at + 4)
      if (at > body.length) return "invalid"
      continue
    }
    if (magic !== frameMagic || frames.length === maxFrames * 2) return "invalid"
    const end = readFrame(body, at, maxBytes)
    if (typeof end === "string") return end
    frames.push(at, end)
    at = end
  }
  return frames.length === 0 ? "invalid" : frames
}

// internal

const require = createRequire(import.meta.url)
const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const maxFrames = 64
const maxBlockBytes = 128 * 1024
const maxJobMillis = 3000

// Two at a time: a slow body must not hold up everyone else's, and there are not cores for more.
const workers = Effect.unsafeMakeSemaphore(2)
let idle: Worker | null = null

const readFrame = (body: Buffer, start: number, maxBytes: number): number | ZstdFailure => {
  const flags = body[start + 4]!
  const singleSegment = (flags & 32) !== 0
  const hasChecksum = (flags & 4) !== 0
  const sizeBytes = flags >> 6 === 0 ? (singleSegment ? 1 : 0) : 1 << (flags >> 6)
  if ((flags & 8) !== 0) return "invalid"
  // A dictionary is something that sender and receiver agree on beforehand.
  if ((flags & 3) !== 0) return "unsupported"
  let at = start + 5
  if (!singleSegment) {
    const descriptor = body[at++]!
    const base = 2 ** (10 + (descriptor >> 3))
    if (base + (base / 8) * (descriptor & 7) > Math.max(maxBytes, 8 * 1024 * 1024)) return "too_large"
  }
  if (at + sizeBytes > body.length) return "invalid"
  let size = 0
  for (let i = sizeBytes - 1; i >= 0; i--) size = size * 256 + body[at + i]!
  if (size > maxBytes) return "too_large"
  at += sizeBytes
  for (;;) {
    if (at + 3 > body.length) return "invalid"
    const header = body.readUIntLE(at, 3)
    const type = (header >> 1) & 3
    const length = header >> 3
    if (type === 3 || length > maxBlockBytes) return "invalid"
    at += 3 + (type === 1 ? 1 : length)
    if (at > body.length) return "invalid"
    if ((header & 1) === 1) break
  }
  if (hasChecksum) at += 4
  return at > body.length ? "invalid" : at
}

interface Job {
  readonly body: Uint8Array
  readonly frames: ReadonlyArray<number>
  readonly maxBytes: number
}

type Answer = { readonly output: Uint8Array } | { readonly failure: ZstdFailure }

const runJob = (
  body: Buffer,
  frames: ReadonlyArray<number>,
  maxBytes: number,
): Effect.Effect<Buffer, ZstdFailure> =>
  Effect.acquireUseRelease(
    Effect.try({ try: takeWorker, catch: (): ZstdFailure => "unsupported" }),
    (slot) =>
      Effect.async<Buffer, ZstdFailure>((resume) => {
        slot.worker.once("message", (answer: Answer) => {
          slot.reusable = true
          resume(
            "output" in answer
              ? Effect.succeed(
                  Buffer.from(answer.output.buffer, answer.output.byteOffset, answer.output.length),
                )
              : Effect.fail(answer.failure),
          )
        })
        slot.worker.once("error", () => resume(Effect.fail("invalid")))
        // A copy of its own: a view would take the whole buffer behind it along.
        const copy = Uint8Array.from(body)
        slot.worker.postMessage({ body: copy, frames, maxBytes } satisfies Job, [copy.buffer])
      }).pipe(Effect.timeoutFail({ duration: maxJobMillis, onTimeout: (): ZstdFailure => "invalid" })),
    (slot) => Effect.sync(() => releaseWorker(slot)),
  )

interface Slot {
  readonly worker: Worker
  reusable: boolean
}

const takeWorker = (): Slot => {
  const worker = idle ?? startWorker()
  idle = null
  return { worker, reusable: false }
}

const releaseWorker = (slot: Slot): void => {
  slot.worker.removeAllListeners("message")
  slot.worker.removeAllListeners("error")
  // A worker that fails while nobody listens must not take the process with it.
  slot.worker.on("error", () => {
    if (idle === slot.worker) idle = null
  })
  if (slot.reusable && idle === null) idle = slot.worker
  else void slot.worker.terminate()
}

const startWorker = (): Worker => {
  const worker = new Worker(workerSource, { eval: true, workerData: { decoder: require.resolve("fzstd") } })
  worker.unref()
  return worker
}

// As text, so that it runs from the sources, from a build and from a bundle alike.
const workerSource = `
const { parentPort, workerData } = require("node:worker_threads")
const { Decompress } = require(workerData.decoder)
const tooLarge = new Error("too large")
parentPort.on("message", ({ body, frames, maxBytes }) => {
  const parts = []
  let size = 0
  try {
    for (let i = 0; i < frames.length; i += 2) {
      const stream = new Decompress((part) => {
        size += part.length
        if (size > maxBytes) throw tooLarge
        parts.push(part)
      })
      stream.push(body.subarray(frames[i], frames[i + 1]), true)
    }
    const output = new Uint8Array(size)
    let at = 0
    for (const part of parts) {
      output.set(part, at)
      at += part.length
    }
    parentPort.postMessage({ output }, [output.buffer])
  } catch (error) {
    parentPort.postMessage({ failure: error === tooLarge ? "too_large" : "invalid" })
  }
})
`
