/** Errors, logs and spans of a client contain no secrets. */
import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Logger, References, Tracer } from "effect"
import {
  breakOff,
  type FakeServer,
  hangUp,
  html,
  json,
  problem,
  startFakeServer,
} from "../support/FakeServer.js"
import { apiKey, using } from "./clients.js"

describe("secrets", () => {
  let server: FakeServer
  beforeAll(async () => {
    server = await startFakeServer()
  })
  afterAll(() => server.stop())

  const bodySecret = "whsec_in_the_body"
  const webhook = {
    id: 1,
    project_id: 1,
    url: "https://example.com",
    events: ["group.created"],
    enabled: true,
    created_at: "2026-01-02T03:04:05.678Z",
    updated_at: "2026-01-02T03:04:05.678Z",
    secret: "whsec_meant_for_the_caller",
  }

  it.live.each([
    ["a refusal", problem(403)],
    ["a page", html(200)],
    ["an answer of another shape", json(201, { secret: bodySecret, url: 5 })],
    ["a redirection", html(302, { location: "https://other.example/" })],
    ["a lost connection", hangUp],
    ["half an answer", breakOff(201)],
    ["a success", json(201, webhook)],
  ] as const)("do not appear in errors, logs or spans of %s", ([name, answer]) =>
    Effect.gen(function* () {
      server.answers(answer)
      const logs: Array<string> = []
      const spans: Array<Tracer.Span> = []
      const tracer = recorder(yield* Effect.tracer, spans)
      const exit = yield* using(server.url, ({ webhooks }) =>
        webhooks.create(1, { url: "https://example.com", events: ["group.created"] }),
      ).pipe(
        Effect.tapCause((cause) => Effect.logError("failed", cause)),
        Effect.exit,
        Effect.withTracer(tracer),
        Effect.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => logs.push(line))])),
        Effect.provideService(References.MinimumLogLevel, "All"),
      )
      expect(exit._tag).toBe(name === "a success" ? "Success" : "Failure")
      const left = [
        inspect(exit, { depth: 20, showHidden: true }),
        JSON.stringify(exit),
        exit._tag === "Failure" ? Cause.pretty(exit.cause) : "",
        ...logs,
        ...spans.map(exported),
      ].join("\n")
      expect(spans.map(({ name }) => name)).toEqual(["ErrataClient.webhooks.create", "POST"])
      expect(left).toContain("/api/service/v1/projects/1/webhooks")
      expect(left).not.toContain(apiKey)
      expect(left).not.toContain(bodySecret)
    }),
  )
})

// internal

/** The text that exporters make from a span. */
const exported = ({ attributes, name, status }: Tracer.Span): string =>
  inspect([
    name,
    attributes,
    status._tag === "Ended" && status.exit._tag === "Failure" ? Cause.pretty(status.exit.cause) : null,
  ])

const recorder = (tracer: Tracer.Tracer, spans: Array<Tracer.Span>): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const span = tracer.span(options)
      spans.push(span)
      return span
    },
  })
