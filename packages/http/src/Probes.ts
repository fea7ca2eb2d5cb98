/**
 * What machines ask again and again, and anybody may: whether the server is up, and whether it is ready. Answered before
 * anything else is looked at, also while the server starts and stops.
 */
import type { Health } from "@errata/core"
import { withoutBasePath } from "./HttpOptions.js"
import type { PlainAnswer } from "./PlainAnswer.js"

export interface Probes {
  /** Answers a request that is for a probe; false for every other, which is then somebody else's. */
  readonly handle: (method: string, url: string, respond: (answer: PlainAnswer) => void) => boolean
  /** From now on the instance is as ready as it is found to be. Before that it is not. */
  readonly serve: (ask: Health["ask"]) => void
  /** From now on it is not ready, whatever it can still do: it is about to stop. */
  readonly stop: () => void
}

export const paths: ReadonlyArray<string> = ["/up", "/ready"]

export const make = (basePath: string): Probes => {
  let ask: Health["ask"] | null = null
  return {
    serve: (by) => {
      ask = by
    },
    stop: () => {
      ask = null
    },
    handle: (method, url, respond) => {
      if (method !== "GET" && method !== "HEAD") return false
      const path = /^[^?]*/.exec(withoutBasePath(url, basePath))![0]
      if (path === "/up") respond(up)
      else if (path !== "/ready") return false
      else if (ask === null) respond(notReady)
      // Who asked before a stop is told what was found.
      else ask(({ isReady }) => respond(isReady ? ready : notReady))
      return true
    },
  }
}

// internal

const answer = (status: number, body: string): PlainAnswer => ({
  status,
  body,
  headers: {
    "content-type": "text/plain",
    "content-length": String(body.length),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
  },
})

/** The process runs and answers; nothing is said about what it depends on. */
const up = answer(200, "up")

const ready = answer(200, "ready")

const notReady = answer(503, "not ready")
