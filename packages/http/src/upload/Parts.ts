/** Parses multipart bodies, holding one part at a time. */
import { Data, Effect } from "effect"
import * as Multipasta from "multipasta"
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
 * Malformed parts fail after `take` has received the parts before them.
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
    const fail = (error: Multipasta.MultipartError) => {
      outcome.failure ??= new BadParts({ reason: reasonOf(error, bounds) })
    }
    const parser = Multipasta.make({
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
          if (outcome.failure !== null) return
          if (chunk !== null) chunks.push(chunk)
          else
            whole.push({ name: info.name, filename: info.filename ?? null, content: Buffer.concat(chunks) })
        }
      },
      onError: fail,
      onDone: () => {
        outcome.isDone = true
      },
    })
    const takeWhole = Effect.whileLoop({
      while: () => whole.length > 0,
      body: () => take(whole.shift()!),
      step: () => {},
    })
    const parse = (step: () => void) => {
      try {
        step()
      } catch {
        // The parser throws for headers with invalid encodings.
        outcome.failure ??= new BadParts({ reason: malformedHeaders })
      }
    }
    let held: Uint8Array = new Uint8Array()
    for (let piece: Uint8Array | null = first; piece !== null; piece = yield* pieces.next) {
      const here = held.byteLength === 0 ? piece : Buffer.concat([held, piece])
      const end = heldFrom(here)
      held = here.subarray(end)
      parse(() => parser.write(here.subarray(0, end)))
      yield* takeWhole
      if (outcome.failure !== null) return yield* outcome.failure
    }
    parse(() => parser.write(held))
    parse(() => parser.end())
    yield* takeWhole
    if (outcome.failure !== null) return yield* outcome.failure
    if (!outcome.isDone) return yield* new BadParts({ reason: "The body ended early" })
  }).pipe(Effect.onExit((exit) => (exit._tag === "Failure" ? Effect.sync(pieces.discard) : Effect.void)))

// internal

const maxFieldBytes = 64 * 1024

/** CR LF, two hyphens, a boundary of 70 characters (RFC 2046), and the first of the two hyphens at the end. */
const maxOpenBytes = 75

/** The index of the bytes to hold back. The parser expects another part unless it sees both hyphens at the end. */
const heldFrom = (bytes: Uint8Array): number => {
  const lineEnd = bytes.indexOf(13, Math.max(0, bytes.byteLength - maxOpenBytes))
  return lineEnd === -1 ? bytes.byteLength : lineEnd
}

const malformedHeaders = "A part has malformed headers"

const reasonOf = (
  error: Multipasta.MultipartError,
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
      return malformedHeaders
  }
}
