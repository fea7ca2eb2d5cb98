/** Holds requests that arrive while the server starts, within limits. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { NodeListener } from "./NodeListener.js"

export interface WaitingRequests extends NodeListener {
  /** Passes the waiting requests and all later ones to the listener. */
  readonly handOver: (listener: NodeListener) => void
  /** Rejects waiting and later requests with 503, because the start failed. */
  readonly refuse: () => void
}

export const make = (): WaitingRequests => {
  let listener: NodeListener | null = null
  const waiting = new Set<(listener: NodeListener) => void>()

  const wait = (kind: keyof NodeListener) => (request: IncomingMessage, response: ServerResponse) => {
    if (listener !== null) {
      listener[kind](request, response)
      return
    }
    const go = (to: NodeListener) => {
      clearTimeout(timer)
      waiting.delete(go)
      if (!response.destroyed) to[kind](request, response)
    }
    const timer = setTimeout(() => go(notReady), maxWaitMillis)
    response.once("close", () => {
      clearTimeout(timer)
      waiting.delete(go)
    })
    waiting.add(go)
    if (waiting.size > maxWaiting) go(notReady)
  }

  const handOver = (to: NodeListener) => {
    listener = to
    for (const go of [...waiting]) go(to)
  }

  return {
    request: wait("request"),
    checkContinue: wait("checkContinue"),
    handOver,
    refuse: () => handOver(notReady),
  }
}

// internal

const maxWaiting = 1000
const maxWaitMillis = 10_000

const answerNotReady = (_: IncomingMessage, response: ServerResponse): void => {
  // The body was not read, so the connection cannot be reused.
  response.writeHead(503, { "retry-after": "2", connection: "close", "content-length": "0" }).end()
}

const notReady: NodeListener = { request: answerNotReady, checkContinue: answerNotReady }
