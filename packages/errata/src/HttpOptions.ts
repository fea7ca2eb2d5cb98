/** The options of the HTTP handler, from those of an instance. */
import type { HttpOptions } from "@errata/http"
import { Redacted } from "effect"
import type { ErrataOptions } from "./ErrataOptions.js"

export const httpOptionsOf = (
  { corsOrigins, dashboard, frameAncestors, metrics, trustedProxies }: ErrataOptions,
  baseUrl: string | undefined,
): HttpOptions => ({
  baseUrl,
  corsOrigins,
  dashboard,
  frameAncestors,
  trustedProxies,
  metrics:
    metrics === undefined || metrics === false
      ? undefined
      : { token: metrics === true ? undefined : Redacted.make(metrics.token) },
})
