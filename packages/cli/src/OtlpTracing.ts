/** Sends spans to a collector of OpenTelemetry. Loaded only where one is named. */
import { Effect, Layer, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
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
  Layer.effect(
    Tracer.Tracer,
    Effect.map(
      OtlpTracer.make({ url, headers, resource: { serviceName, serviceVersion: version } }),
      (tracer) => sampled(tracer, sampling),
    ),
  ).pipe(
    Layer.provide([
      OtlpExporter.layerFlusher,
      FetchHttpClient.layer,
      protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
    ]),
  )

// internal

/** Whether a trace is kept is decided where it begins; what belongs to it goes the same way. */
const sampled = (tracer: Tracer.Tracer, { byParent, ratio }: Sampling): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const { parent } = options
      const isKept =
        parent._tag === "Some" && (parent.value._tag === "Span" || byParent)
          ? parent.value.sampled
          : Math.random() < ratio
      // A span that is not kept has ids, so that others can belong to it.
      return tracer.span({ ...options, sampled: isKept })
    },
  })
