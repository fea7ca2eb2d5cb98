/** Health checks and metrics. They are handled before anything else, also while the server starts and stops. */
import { Health } from "@errata/core"
import { Effect } from "effect"
import { type HttpSettings, withoutBasePath } from "./HttpOptions.js"
import * as MetricsPage from "./MetricsPage.js"
import { type PlainAnswer, textOf } from "./PlainAnswer.js"

export interface Probes {
  /** Handles the request if it is for a probe. Returns false otherwise. */
  readonly handle: (request: ProbeRequest, respond: (answer: PlainAnswer) => void) => boolean
  /** From now on, `/ready` reports the result of the health checks. Before, it fails. */
  readonly serve: Effect.Effect<void, never, Health>
  /** From now on, `/ready` fails, because the server is about to stop. */
  readonly stop: () => void
}

export interface ProbeRequest {
  readonly method: string | undefined
  readonly url: string
  /** The header. */
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
        // A request from before the stop receives the result of its check.
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

/** The process runs and responds. It does not depend on anything else. */
const up = textOf(200, "up")

const ready = textOf(200, "ready")

const notReady = textOf(503, "not ready")
