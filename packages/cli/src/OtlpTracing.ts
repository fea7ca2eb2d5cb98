/** Sends spans to a collector of OpenTelemetry. Loaded only where one is named. */

import { FetchHttpClient } from "effect/http"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { Effect, Layer, type Option, Tracer } from "effect"
import type { Sampling, TracingSettings } from "./TracingSettings.js"
import { version } from "./Version.js"

/** Closing its scope sends what is left, for a few seconds at most. A collector that is away is left alone for a minute. */
export const layer = ({
  headers,
  protocol,
  sampling,
  serviceName,
  url,
}: TracingSettings): Layer.Layer<never> =>
  Layer.unwrap(
    Effect.map(
      OtlpTracer.make({ url, headers, resource: { serviceName, serviceVersion: version } }),
      (tracer) => Layer.setTracer(sampled(tracer, sampling)),
    ),
  ).pipe(
    Layer.provide([
      FetchHttpClient.layer,
      protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
    ]),
  )

// internal

/** Whether a trace is kept is decided where it begins; what belongs to it goes the same way. */
const sampled = (tracer: Tracer.Tracer, { byParent, ratio }: Sampling): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (name, parent, context, links, startTime, kind, options) => {
      const isKept =
        parent._tag === "Some" && (parent.value._tag === "Span" || byParent)
          ? parent.value.sampled
          : Math.random() < ratio
      const span = tracer.span(name, parent, context, links, startTime, kind, options)
      return isKept ? span : new Unsent(span)
    },
  })

/** A span that has ids, so that others can belong to it, and keeps nothing. */
class Unsent implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = false
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Tracer.Span["context"]
  readonly status: Tracer.SpanStatus
  readonly attributes: ReadonlyMap<string, unknown> = new Map()
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly kind: Tracer.SpanKind

  constructor({ context, kind, name, parent, spanId, status, traceId }: Tracer.Span) {
    this.name = name
    this.spanId = spanId
    this.traceId = traceId
    this.parent = parent
    this.context = context
    this.status = status
    this.kind = kind
  }

  end(): void {}
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}
