/** The active span of OpenTelemetry, read from the global objects of `@opentelemetry/api` 1.x without loading it. */

export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

/** Undefined without OpenTelemetry, or without a span. */
export const activeSpan = (): SpanIds | undefined => {
  try {
    const ids = globals()?.context?.active().getValue(spanKey)?.spanContext()
    return ids === undefined || /^0*$/.test(ids.traceId) ? undefined : ids
  } catch {
    // Another version of the API.
    return undefined
  }
}

/** The active context with another span, for spans that are no children of the active one. */
export const contextWith = (ids: SpanIds & { readonly traceFlags: number }): unknown =>
  globals()
    ?.context?.active()
    .setValue(spanKey, { spanContext: () => ids })

// internal

/** Both names are registered symbols, so that several copies of the API find the same objects. */
const apiKey: unique symbol = Symbol.for("opentelemetry.js.api.1")
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN")

const globals = (): Api | undefined => (globalThis as Globals)[apiKey]

type Globals = { readonly [apiKey]?: Api }

interface Api {
  readonly context?: { readonly active: () => ApiContext }
}

interface ApiContext {
  readonly getValue: (key: symbol) => { readonly spanContext: () => SpanIds } | undefined
  readonly setValue: (key: symbol, value: unknown) => ApiContext
}
