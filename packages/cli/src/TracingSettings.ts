/** Reads where to send spans from the standard variables of OpenTelemetry. */
import { Config, Effect, Option } from "effect"

/** The settings for tracing. */
export interface TracingSettings {
  /** The URL that spans are posted to. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly serviceName: string
  readonly sampling: Sampling
}

export interface Sampling {
  /** The share of traces to keep, from 0 to 1. */
  readonly ratio: number
  /** True if the sampling decision of a parent trace applies. */
  readonly byParent: boolean
}

/** Null if tracing is not configured or disabled. Invalid values are logged and disable it. */
export const tracingSettings: Effect.Effect<TracingSettings | null> = Effect.gen(function* () {
  const specific = yield* variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
  const common = yield* variable("OTEL_EXPORTER_OTLP_ENDPOINT")
  const url = specific ?? (common === null ? null : `${common.replace(/\/+$/, "")}/v1/traces`)
  if (url === null || (yield* variable("OTEL_SDK_DISABLED"))?.toLowerCase() === "true") return null
  if ((yield* variable("OTEL_TRACES_EXPORTER")) === "none") return null
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return yield* none(`OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, not "${url}"`)
  }
  const protocol =
    (yield* variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")) ??
    (yield* variable("OTEL_EXPORTER_OTLP_PROTOCOL")) ??
    "http/protobuf"
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    return yield* none(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not "${protocol}"`)
  }
  const sampler = (yield* variable("OTEL_TRACES_SAMPLER")) ?? "parentbased_always_on"
  const ratio = ratioOf(sampler, (yield* variable("OTEL_TRACES_SAMPLER_ARG")) ?? "1")
  if (ratio === null)
    return yield* none(`OTEL_TRACES_SAMPLER or OTEL_TRACES_SAMPLER_ARG is invalid: "${sampler}"`)
  const resource = pairs((yield* variable("OTEL_RESOURCE_ATTRIBUTES")) ?? "")
  return {
    url,
    headers: {
      ...pairs((yield* variable("OTEL_EXPORTER_OTLP_HEADERS")) ?? ""),
      ...pairs((yield* variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS")) ?? ""),
    },
    protocol,
    serviceName: (yield* variable("OTEL_SERVICE_NAME")) ?? resource["service.name"] ?? "errata",
    sampling: { ratio, byParent: sampler.startsWith("parentbased_") },
  }
})

// internal

const none = (message: string) =>
  Effect.as(Effect.annotateLogs(Effect.logWarning("Traces are disabled"), "reason", message), null)

const variable = (name: string): Effect.Effect<string | null> =>
  Config.option(Config.NonEmptyString(name)).pipe(
    Effect.map(Option.getOrNull),
    Effect.orElseSucceed(() => null),
  )

const ratioOf = (sampler: string, argument: string): number | null => {
  switch (sampler.replace(/^parentbased_/, "")) {
    case "always_on":
      return 1
    case "always_off":
      return 0
    case "traceidratio":
      return Number(argument) >= 0 && Number(argument) <= 1 ? Number(argument) : null
    default:
      return null
  }
}

/** Parses `name=value,name=value`. Values are URL-encoded. */
const pairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]]
    }),
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // The value was not URL-encoded.
    return text
  }
}
