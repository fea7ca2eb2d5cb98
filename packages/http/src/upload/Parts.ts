/** Parses multipart bodies, holding one part at a time. */
import { Data, Effect } from "effect"
import * as MultipartParser from "effect/http/MultipartParser"
import type { BodyRejected } from "../RequestBody.js"
import type { BodyPieces } from "./BodyPieces.js"

/** The body is malformed or exceeds a limit. */
export class BadParts extends Data.TaggedError("BadParts")<{ readonly reason: string }> {}

export interface Part {
  readonly name: string
  readonly filename: string | null
  readonly content: Uint8Array
}

export interface PartBounds {
  readonly maxParts: number
  readonly maxPartBytes: number
  readonly maxBytes: number
}

/**
 * Reads a body to its end. Passes each part to `take` before more of the body is read. An empty body has no parts.
 * If a part is malformed or too large, `take` may have received the parts before it.
 */
export const read = <E, R>(
  { contentType, pieces }: { readonly contentType: string | undefined; readonly pieces: BodyPieces },
  bounds: PartBounds,
  take: (part: Part) => Effect.Effect<void, E, R>,
): Effect.Effect<void, E | BadParts | BodyRejected, R> =>
  Effect.gen(function* () {
    const first = yield* pieces.next
    if (first === null) return
    if (!/^\s*multipart\/form-data\s*;/i.test(contentType ?? "")) {
      return yield* new BadParts({ reason: "The body must be multipart/form-data" })
    }
    const whole: Array<Part> = []
    const outcome: { failure: BadParts | null; isDone: boolean } = { failure: null, isDone: false }
    const parser = MultipartParser.make({
      headers: { "content-type": contentType ?? "" },
      maxParts: bounds.maxParts,
      maxPartSize: bounds.maxPartBytes,
      maxTotalSize: bounds.maxBytes,
      maxFieldSize: Math.min(maxFieldBytes, bounds.maxPartBytes),
      isFile: ({ filename }) => filename !== undefined,
      onField: (info, value) => {
        whole.push({ name: info.name, filename: null, content: value })
      },
      onFile: (info) => {
        const chunks: Array<Uint8Array> = []
        return (chunk) => {
          if (chunk !== null) chunks.push(chunk)
          else
            whole.push({ name: info.name, filename: info.filename ?? null, content: Buffer.concat(chunks) })
        }
      },
      onError: (error) => {
        // The parser reads text after the last part as headers.
        if (outcome.isDone && error._tag === "BadHeaders") return
        outcome.failure ??= new BadParts({ reason: reasonOf(error, bounds) })
      },
      onDone: () => {
        outcome.isDone = true
      },
    })
    // The parser also ends a part that exceeds a limit, before it reports the error.
    const takeWhole = Effect.gen(function* () {
      if (outcome.failure !== null) return yield* outcome.failure
      yield* Effect.forEach(whole.splice(0), take, { discard: true })
    })
    for (let piece: Uint8Array | null = first; piece !== null; piece = yield* pieces.next) {
      parser.write(piece)
      yield* takeWhole
    }
    parser.end()
    yield* takeWhole
  }).pipe(Effect.onError(() => Effect.sync(pieces.discard)))

// internal

const maxFieldBytes = 64 * 1024

const reasonOf = (
  error: MultipartParser.MultipartError,
  { maxBytes, maxPartBytes, maxParts }: PartBounds,
): string => {
  switch (error._tag) {
    case "ReachedLimit":
      switch (error.limit) {
        case "MaxParts":
          return `There are more than ${maxParts} parts`
        case "MaxTotalSize":
          return `The body is larger than ${maxBytes} bytes`
        case "MaxPartSize":
          return `A part is larger than ${maxPartBytes} bytes`
        case "MaxFieldSize":
          return `A field is larger than ${maxFieldBytes} bytes`
      }
      break
    case "EndNotReached":
      return "The body ended early"
    case "InvalidBoundary":
      return "The body has no valid boundary"
    case "BadHeaders":
    case "InvalidDisposition":
      return "A part has malformed headers"
  }
}
