/** `GET /metrics`: the metrics of an instance, public unless a token is configured. */
import { createHash, timingSafeEqual } from "node:crypto"
import type { Health } from "@errata/core"
import { MetricFamily } from "@errata/core/internal"
import { Effect, Exit, Redacted } from "effect"
import type { MetricsOptions } from "./HttpOptions.js"
import { type PlainAnswer, textOf } from "./PlainAnswer.js"
import * as PrometheusText from "./PrometheusText.js"

/** Calls `respond` once, with the value of the request's header `authorization`. */
export type MetricsPage = (authorization: string | undefined, respond: (answer: PlainAnswer) => void) => void

export const make = (options: MetricsOptions, health: Health["Service"]): Effect.Effect<MetricsPage> =>
  Effect.gen(function* () {
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const gather = options.gather ?? MetricFamily.snapshot
    const isAllowed = options.token === undefined ? () => true : matches(Redacted.value(options.token))
    // Gathers the metrics at most once per second.
    const page = yield* Effect.cachedWithTTL(
      Effect.map(health.metrics, (found) =>
        textOf(
          200,
          PrometheusText.render(MetricFamily.together(gather(), found)),
          PrometheusText.contentType,
        ),
      ),
      "1 second",
    )
    return (authorization, respond) => {
      if (isAllowed(authorization)) {
        runFork(page).addObserver((exit) => respond(Exit.isSuccess(exit) ? exit.value : unavailable))
      } else respond(unauthorized)
    }
  })

// internal

/** Compares in constant time. */
const matches = (token: string) => {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  const expected = digest(`Bearer ${token}`)
  return (authorization: string | undefined): boolean =>
    authorization !== undefined &&
    timingSafeEqual(digest(authorization.replace(/^bearer +/i, "Bearer ")), expected)
}

const unauthorized = textOf(401, "unauthorized", "text/plain", { "www-authenticate": "Bearer" })

const unavailable = textOf(503, "unavailable")
