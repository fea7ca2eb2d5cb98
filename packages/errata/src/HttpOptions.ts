/** The options of the HTTP handler, from those of an instance. */
import type { HttpOptions } from "@errata/http"
import { Redacted } from "effect"
import type { ErrataOptions } from "./ErrataOptions.js"
import { ErrataStartError } from "./Errors.js"

/** Returns the base URL. Throws an `ErrataStartError` if it is invalid. */
export const baseUrlOf = (given: string | URL | undefined): string | undefined => {
  if (given === undefined) return undefined
  const text = String(given)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new ErrataStartError("baseUrl must be an http or https URL without query and fragment")
  }
  return text
}

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
