/** Checks docs/operations.md against the code, and the metrics and traces of a running server. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { metricTable } from "@errata/core/internal"
import { ConfigProvider, Effect, Redacted } from "effect"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import { processMetrics } from "../src/ProcessMetrics.js"
import { adviceOn } from "../src/StatusAdvice.js"
import { tracingSettings } from "../src/TracingSettings.js"
import * as Events from "./faults/support/Events.js"
import * as Http from "./faults/support/Http.js"
import * as Instance from "./faults/support/Instance.js"
import { until } from "./faults/support/Wait.js"
import * as Server from "./support/Server.js"

describe("docs/operations.md", () => {
  const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
  const rows = (start: string) => page.split("\n").filter((line) => line.startsWith(start))

  it("lists every code with its advice", () => {
    const codes = Object.entries(adviceOn).map(([code, advice]) => `| \`${code}\` | ${advice} |`)
    expect(
      rows("| `").filter((row) => !/^\| `(errata_|process_|nodejs_|OTEL_|GET|errata status)/.test(row)),
    ).toEqual(codes)
  })

  it("lists every metric", () => {
    const metrics = [...Object.values(metricTable), ...Object.values(processMetrics)].map(
      ({ help, labels, name, type }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    )
    expect(rows("| `").filter((row) => /^\| `(errata_|process_|nodejs_)/.test(row))).toEqual(metrics)
  })
})

describe("traces", () => {
  const settings = (env: Readonly<Record<string, string>>) =>
    Effect.provideService(tracingSettings, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

  it.effect("are sent only if the standard variables have an endpoint", () =>
    Effect.gen(function* () {
      expect(yield* settings({})).toBe(null)
      const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318/"
      expect(yield* settings({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({
        url: "http://127.0.0.1:4318/v1/traces",
        headers: {},
        protocol: "http/protobuf",
        serviceName: "errata",
        sampling: { ratio: 1, byParent: true },
      })
      expect(
        yield* settings({
          OTEL_EXPORTER_OTLP_ENDPOINT,
          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector.example/spans",
          OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b,x=1",
          OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=2",
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_RESOURCE_ATTRIBUTES: "service.name=tracker",
          OTEL_TRACES_SAMPLER: "traceidratio",
          OTEL_TRACES_SAMPLER_ARG: "0.25",
        }),
      ).toEqual({
        url: "https://collector.example/spans",
        headers: { "api-key": "a b", x: "2" },
        protocol: "http/json",
        serviceName: "tracker",
        sampling: { ratio: 0.25, byParent: false },
      })
      for (const off of [
        { OTEL_SDK_DISABLED: "true" },
        { OTEL_TRACES_EXPORTER: "none" },
        { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
        { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4317" },
        { OTEL_TRACES_SAMPLER: "jaeger_remote" },
        { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
      ]) {
        expect([off, yield* settings({ OTEL_EXPORTER_OTLP_ENDPOINT, ...off })]).toEqual([off, null])
      }
    }),
  )
})

interface Span {
  readonly name: string
  readonly traceId: string
}

/** A collector that keeps the requests it receives. */
const collector = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly bodies: ReadonlyArray<string>
    readonly close: () => void
  }>((resume) => {
    const bodies: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk
      })
      request.on("end", () => {
        bodies.push(`${request.url} ${body}`)
        response.end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, bodies, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close),
)

describe("a server with metrics and traces", () => {
  it.live("serves its metrics with those of the recorder's thread, and sends the spans of both", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* collector
      const database = yield* freshDatabase
      const token = "figures-of-the-night"
      const server = yield* Server.start(["--database-url", Redacted.value(database)], {
        ERRATA_METRICS_ENABLED: "true",
        ERRATA_METRICS_TOKEN: token,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      })
      const page = async (authorization: string) =>
        Http.send(`${server.url}/metrics`, { headers: { authorization } })
      expect((yield* Effect.promise(() => page("Bearer wrong"))).status).toBe(401)
      expect(server.output()).not.toContain(token)

      const project = yield* Instance.firstProject(server)
      const sent = yield* Effect.promise(() =>
        Http.send(Instance.envelopeUrl(server, project), {
          body: Events.envelope(Events.eventId("0b500001", 1), 1),
        }),
      )
      expect(sent.status).toBe(200)
      let text = ""
      yield* until("the thread has told what it recorded", async () => {
        text = (await page(`Bearer ${token}`)).body
        return /^errata_payloads_recorded_total 1$/m.test(text)
      })
      expect(text).toMatch(/^errata_payloads_accepted_total 1$/m)
      expect(text).toMatch(/^errata_recording_duration_seconds_count 1$/m)
      expect(text).toMatch(/^errata_database_connections\{state="idle"\} \d+$/m)
      expect(text).toMatch(/^errata_database_connections\{state="idle",thread="recorder"\} \d+$/m)
      expect(text).toMatch(/^errata_check_ok\{check="database"\} 1$/m)
      expect(text).toMatch(/^errata_build_info\{version="[\d.]+"\} 1$/m)
      expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m)

      // Shutdown sends the remaining spans.
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
      const spans = bodies.flatMap((body): ReadonlyArray<Span> => {
        expect(body).toMatch(/^\/v1\/traces \{/)
        const { resourceSpans } = JSON.parse(body.slice(body.indexOf("{"))) as {
          readonly resourceSpans: ReadonlyArray<{
            readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
          }>
        }
        return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      })
      const names = new Set(spans.map(({ name }) => name))
      expect([...names]).toEqual(expect.arrayContaining(["GET", "Projects.list", "Recorder.recordBatches"]))
      const request = spans.find(({ name }) => name === "GET")!
      const trace = spans.filter(({ traceId }) => traceId === request.traceId).map(({ name }) => name)
      expect(trace).toEqual(expect.arrayContaining(["Projects.list", "postgresql"]))
      expect(bodies.join("")).not.toContain(Server.apiKey)
    }),
  )
})
