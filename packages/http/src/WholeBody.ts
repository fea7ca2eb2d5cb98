/** Reads whole bodies of requests of Node servers and fetch-style servers. */
import { IncomingMessage } from "node:http"
import { Effect } from "effect"
import type { Sender } from "./BodyAccount.js"
import type { BodyMemory } from "./BodyMemory.js"
import * as NodeBody from "./NodeBody.js"
import type { BodyRejected } from "./RequestBody.js"
import * as WebBody from "./WebBody.js"

/** The limits of a body. */
export interface BodyLimits {
  readonly maxBytes: number
  readonly memory: BodyMemory
  /** Null if the sender is not authenticated. */
  readonly sender: Sender | null
  readonly trustedProxies?: number
}

/** Reads the body, and releases its memory. */
export const read = (
  source: object,
  { maxBytes, memory, sender, trustedProxies }: BodyLimits,
): Effect.Effect<Buffer, BodyRejected> =>
  Effect.suspend(() => {
    const body =
      source instanceof IncomingMessage
        ? NodeBody.make(source, maxBytes, memory, trustedProxies)
        : WebBody.make(source as Request, maxBytes, memory, trustedProxies)
    if (sender !== null) body.identify(sender)
    return Effect.ensuring(
      body.read,
      Effect.sync(() => body.release()),
    )
  })
