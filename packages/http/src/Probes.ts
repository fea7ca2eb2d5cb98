/**
 * What machines ask again and again: whether the server is up, whether it is ready, and its figures. Answered before
 * anything else is looked at, also while the server starts and stops.
 */
import { Health } from "@errata/core"
import { Effect } from "effect"
import { type HttpSettings, withoutBasePath } from "./HttpOptions.js"
import * as MetricsPage from "./MetricsPage.js"
import type { PlainAnswer } from "./PlainAnswer.js"

export interface Probes {
  /** Answers a request that is for a probe; false for every other, which is then somebody else's. */
  readonly handle: (request: ProbeRequest, respond: (answer: PlainAnswer) => void) => boolean
  /** From now on the instance is as ready as it is found to be. Before that it is not. */
  readonly serve: Effect.Effect<void, never, Health>
  /** From now on it is not ready, whatever it can still do: it is about to stop. */
  readonly stop: () => void
}

export interface ProbeRequest {
  readonly method: string | undefined
  readonly url: string
  /** The value of the header. */
  readonly authorization: string | undefined
}

export const pathsOf = ({ metrics }: Pick<HttpSettings, "metrics">): ReadonlyArray<string> =>
  metrics === null ? ["/up", "/ready"] : ["/up", "/ready", "/metrics"]

export const make = ({ basePath, metrics }: Pick<HttpSettings, "basePath" | "metrics">): Probes => {
  let ask: Health["Service"]["ask"] | null = null
  let page: MetricsPage.MetricsPage | null = null
  return {
    serve: Effect.gen(function* () {
      const health = yield* Health
      page = metrics === null ? null : yield* MetricsPage.make(metrics, health)
      ask = health.ask
    }),
    stop: () => {
      ask = null
    },
    handle: ({ authorization, method, url }, respond) => {
      if (method !== "GET" && method !== "HEAD") return false
      const path = /^[^?]*/.exec(withoutBasePath(url, basePath))![0]
      if (path === "/up") respond(up)
      else if (path === "/ready") {
        if (ask === null) respond(notReady)
        // Who asked before a stop is told what was found.
        else ask(({ isReady }) => respond(isReady ? ready : notReady))
      } else if (path === "/metrics" && metrics !== null) {
        if (page === null) respond(notReady)
        else page(authorization, respond)
      } else return false
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
