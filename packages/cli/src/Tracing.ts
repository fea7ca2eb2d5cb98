/**
 * Tracing by the standard OpenTelemetry variables. Without an endpoint the exporter is not loaded. Effect's tracer then
 * stays as it is, and a program that provides its own receives the spans.
 */
import { Effect, Layer } from "effect"
import { tracingSettings } from "./TracingSettings.js"

export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.suspend(() =>
    Effect.flatMap(tracingSettings, (settings) =>
      settings === null
        ? Effect.succeed(Layer.empty)
        : Effect.map(
            Effect.promise(() => import("./OtlpTracing.js")),
            (tracing) => tracing.layer(settings),
          ),
    ),
  ),
)
