/**
 * The reference decoder of zstd, compiled to WebAssembly; Node's own zlib has it only from 22.15 on.
 *
 * It writes into a buffer of a given size and stops where that is full, so that no frame, however it was forged, makes
 * more of it than its headers allow.
 */
import { Effect } from "effect"
import type { ZSTDDecoder } from "zstddec"

/** Loads the decoder at the first body that needs it. */
export const loadDecoder: Effect.Effect<ZSTDDecoder> = Effect.suspend(() =>
  loaded === null ? Effect.promise(load) : Effect.succeed(loaded),
)

/** The decoder where it has been loaded before. */
export const loadedDecoder = (): ZSTDDecoder | null => loaded

/** Decodes whole frames to at most `capacity` bytes; null where they do not decode, or to more. */
export const decodeFrames = (decoder: ZSTDDecoder, frames: Buffer, capacity: number): Buffer | null => {
  if (capacity === 0) return Buffer.alloc(0)
  const output = decoder.decode(frames, capacity)
  // The decoder says of an error only that nothing came out.
  return output.length === 0 ? null : Buffer.from(output.buffer, output.byteOffset, output.length)
}

// internal

let loaded: ZSTDDecoder | null = null

const load = async (): Promise<ZSTDDecoder> => {
  const { ZSTDDecoder } = await import("zstddec")
  const decoder = new ZSTDDecoder()
  await decoder.init()
  loaded = decoder
  return decoder
}
