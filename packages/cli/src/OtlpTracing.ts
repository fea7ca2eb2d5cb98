/** Sends spans to an OpenTelemetry collector. Loaded only if a collector is configured. */
import { Effect, Layer, Option, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { Sampling, TracingSettings } from "./TracingSettings.js"
import { version } from "./Version.js"

/** Exports spans. Closing its scope sends the rest for a few seconds at most. A failure pauses it for a minute. */
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

/** The root span decides whether a trace is kept; its other spans follow. */
const sampled = (tracer: Tracer.Tracer, { byParent, ratio }: Sampling): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const { parent } = options
      const isKept =
        Option.isSome(parent) && (parent.value._tag === "Span" || byParent)
          ? parent.value.sampled
          : Math.random() < ratio
      // A span that is not sampled still has ids, so that child spans can refer to it.
      return tracer.span({ ...options, sampled: isKept })
    },
  })
