/** A body piece by piece, as fast as it is asked for, for what is too large to be held as a whole. */
import { IncomingMessage } from "node:http"
import { Effect } from "effect"
import * as NodeBody from "../NodeBody.js"
import { BodyRejected } from "../RequestBody.js"

export interface BodyPieces {
  /** The next piece; null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, BodyRejected>
  /** Nothing more is wanted: the rest is read and thrown away, so that its sender gets to read the answer. */
  readonly discard: () => void
}

export const make = (source: unknown, maxBytes: number): BodyPieces =>
  source instanceof IncomingMessage ? ofNode(source, maxBytes) : ofWeb(source as Request)

// internal

const aborted = new BodyRejected({ reason: "aborted" })

const ofNode = (request: IncomingMessage, maxBytes: number): BodyPieces => {
  let hasBegun = false
  return {
    next: Effect.async<Uint8Array | null, BodyRejected>((resume) => {
      if (!hasBegun) {
        hasBegun = true
        NodeBody.want(request)
      }
      const take = () => {
        const piece: Buffer | null = request.read()
        if (piece !== null) finish(Effect.succeed(piece))
        else if (request.readableEnded) finish(Effect.succeed(null))
      }
      const ended = () => finish(Effect.succeed(null))
      const failed = () => finish(Effect.fail(aborted))
      const finish = (result: Effect.Effect<Uint8Array | null, BodyRejected>) => {
        request.off("readable", take).off("end", ended).off("error", failed).off("close", failed)
        resume(result)
      }
      if (request.destroyed && !request.readableEnded) {
        resume(Effect.fail(aborted))
        return
      }
      request.on("readable", take).on("end", ended).on("error", failed).on("close", failed)
      take()
      return Effect.sync(() => {
        request.off("readable", take).off("end", ended).off("error", failed).off("close", failed)
      })
    }),
    discard: () => {
      if (!request.readableEnded && !request.destroyed) NodeBody.discard(request, maxBytes)
    },
  }
}

const ofWeb = ({ body, bodyUsed }: Request): BodyPieces => {
  if (body === null) return { next: Effect.succeed(null), discard: () => {} }
  if (bodyUsed || body.locked) return { next: Effect.fail(aborted), discard: () => {} }
  const reader = body.getReader()
  return {
    next: Effect.tryPromise({ try: () => reader.read(), catch: () => aborted }).pipe(
      // A copy: the memory is the sender's, who may use it again.
      Effect.map(({ done, value }) => (done ? null : new Uint8Array(value))),
    ),
    // Not waited for: it is the sender's to end, and it may never do so.
    discard: () => {
      reader.cancel().catch(() => {})
    },
  }
}
