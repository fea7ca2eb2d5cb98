/** The active span of OpenTelemetry, read from the global objects of `@opentelemetry/api` 1.x without loading it. */

export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

/** Undefined where there is no OpenTelemetry, or no span. */
export const activeSpan = (): SpanIds | undefined => {
  try {
    const api = (globalThis as Globals)[apiKey]
    const ids = api?.context?.active().getValue(spanKey)?.spanContext()
    return ids === undefined || /^0*$/.test(ids.traceId) ? undefined : ids
  } catch {
    // Another version of the API.
    return undefined
  }
}

// internal

/** Both names are registered symbols, so that several copies of the API find the same objects. */
const apiKey: unique symbol = Symbol.for("opentelemetry.js.api.1")
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN")

type Globals = { readonly [apiKey]?: Api }

interface Api {
  readonly context?: {
    readonly active: () => {
      readonly getValue: (key: symbol) => { readonly spanContext: () => SpanIds } | undefined
    }
  }
}
