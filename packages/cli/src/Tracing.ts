/**
 * Traces by the standard variables of OpenTelemetry. Where they name nobody to send spans to, nothing of it is loaded;
 * Effect's own tracer is what it is, and a program that provides another one finds the spans there.
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
