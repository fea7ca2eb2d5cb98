/** `GET /metrics`: the metrics of an instance, public unless a token is configured. */
import { createHash, timingSafeEqual } from "node:crypto"
import type { Health } from "@errata/core"
import { MetricFamily } from "@errata/core/internal"
import { Effect, Exit, Redacted } from "effect"
import type { MetricsOptions } from "./HttpOptions.js"
import type { PlainAnswer } from "./PlainAnswer.js"
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
        answer(
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

const answer = (
  status: number,
  body: string,
  contentType = "text/plain",
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer => ({
  status,
  body,
  headers: {
    "content-type": contentType,
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    ...headers,
  },
})

const unauthorized = answer(401, "unauthorized", "text/plain", { "www-authenticate": "Bearer" })

const unavailable = answer(503, "unavailable")
