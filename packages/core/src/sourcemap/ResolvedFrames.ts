/**
 * The mapped frames of an event, which are kept beside it: the event stays as it was received, so that it can be mapped
 * anew, and shown raw.
 */
import type { EventDetails, Frame } from "../event/ErrorEvent.js"

/** The stack of an exception (`e`) or a thread (`t`), by its place in the event. */
export interface StackPlace {
  readonly of: "e" | "t"
  readonly index: number
}

/** The frames of a stack after mapping, and which of them are mapped. */
export interface MappedStack extends StackPlace {
  readonly frames: ReadonlyArray<Frame>
  readonly isMapped: (index: number) => boolean
}

/** JSON in UTF-8; null if nothing is mapped. Many frames are stored without source lines. */
export const encode = (stacks: ReadonlyArray<MappedStack>): Uint8Array | null => {
  let bytes = 0
  const kept: Array<KeptStack> = []
  // The innermost frames matter most, so they keep their lines if there is no room for all.
  for (const { frames, index, isMapped, of } of stacks) {
    const mapped: Array<readonly [number, Frame]> = []
    for (let i = frames.length - 1; i >= 0; i--) {
      if (!isMapped(i)) continue
      const frame = bytes < maxBytes ? frames[i]! : withoutLines(frames[i]!)
      bytes += sizeOf(frame)
      if (bytes >= lastBytes) break
      mapped.push([i, frame])
    }
    if (mapped.length > 0) kept.push([of, index, mapped])
  }
  return kept.length === 0 ? null : new TextEncoder().encode(JSON.stringify(kept))
}

/** An event's details with the mapped frames in the places of those received. */
export const overlay = (details: EventDetails, frames: Uint8Array): EventDetails => {
  const exceptions = [...details.exceptions]
  const threads = [...details.threads]
  for (const [of, index, mapped] of JSON.parse(
    new TextDecoder().decode(frames),
  ) as ReadonlyArray<KeptStack>) {
    const exception = exceptions[index]
    const thread = threads[index]
    if (of === "e" && exception !== undefined) {
      exceptions[index] = { ...exception, frames: replaced(exception.frames, mapped) }
    } else if (of === "t" && thread !== undefined) {
      threads[index] = { ...thread, frames: replaced(thread.frames, mapped) }
    }
  }
  return { ...details, exceptions, threads }
}

// internal

type KeptStack = readonly [
  of: StackPlace["of"],
  index: number,
  frames: ReadonlyArray<readonly [number, Frame]>,
]

/** Above this size, frames are stored without source lines. Above `lastBytes`, no more are stored. */
const maxBytes = 512 * 1024
const lastBytes = 2 * 1024 * 1024

const replaced = (
  frames: ReadonlyArray<Frame>,
  mapped: ReadonlyArray<readonly [number, Frame]>,
): ReadonlyArray<Frame> => {
  const all = [...frames]
  for (const [i, frame] of mapped) if (i < all.length) all[i] = frame
  return all
}

const withoutLines = ({ context_line: _, post_context: __, pre_context: ___, ...frame }: Frame): Frame =>
  frame

/** An estimate, at least one byte per character. */
const sizeOf = (frame: Frame): number => {
  let size = 200
  size += (frame.abs_path?.length ?? 0) + (frame.filename?.length ?? 0) + (frame.function?.length ?? 0)
  size += frame.context_line?.length ?? 0
  for (const line of frame.pre_context ?? []) size += line.length + 3
  for (const line of frame.post_context ?? []) size += line.length + 3
  return frame.vars === undefined ? size : size + JSON.stringify(frame.vars).length
}
