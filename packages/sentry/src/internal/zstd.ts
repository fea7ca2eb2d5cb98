/** zstd bodies: one frame after the other, because Node's decoder ends with the first one before Node 26. */
import { Effect } from "effect"
import { type DecodeFailure, inflateInSteps } from "./inflate.js"
import { readFrames } from "./zstdFrames.js"

export const decodeZstd = Effect.fnUntraced(function* (
  body: Buffer,
  maxBytes: number,
): Effect.fn.Return<Buffer, DecodeFailure> {
  const frames = readFrames(body, maxBytes)
  if (typeof frames === "string") return yield* Effect.fail(frames)
  const parts: Array<Buffer> = []
  let room = maxBytes
  for (const frame of frames) {
    const part = yield* inflateInSteps(frame, "zstd", room)
    room -= part.length
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
})
