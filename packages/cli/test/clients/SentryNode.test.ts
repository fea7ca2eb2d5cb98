/** The unmodified `@sentry/node` in its own process: reports contain the data that the application sent. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { freePort } from "../support/FreePort.js"
import * as Rest from "../support/Rest.js"
import * as Server from "../support/Server.js"
import * as NodeApp from "./support/NodeApp.js"

class Errata extends Context.Service<Errata, Server.Server>()("Errata") {
  static readonly layer = Layer.effect(Errata, Server.start(["--storage", "memory"]))
}

/** Runs a scenario in its own project and returns the reports once all are recorded. */
const play = Effect.fnUntraced(function* (scenario: string) {
  const server = yield* Errata
  const project = yield* Rest.createProject(server, `${scenario} ${randomUUID()}`)
  const outcome = yield* NodeApp.run(Rest.dsn(server, project), scenario)
  const sent = outcome.lines.filter((line) => line.kind === "event")
  expect(sent.map(({ status }) => status)).toEqual([200])
  yield* Rest.recorded(server, project, 1)
  const report = yield* Rest.report(server, project, sent[0]!.event_id)
  return { server, project, outcome, sent: sent[0]!, report }
})

/** The manifest of the folder in which the application runs. */
const manifestPackages = Object.entries<string>(
  JSON.parse(readFileSync(join(NodeApp.root, "package.json"), "utf8")).devDependencies,
).map(([name, version]) => ({ name, version }))

const context = (report: Rest.Report, name: string) =>
  report.contexts.find((candidate) => candidate.name === name)?.data

const extra = (report: Rest.Report, key: string) => report.extras.find((entry) => entry.key === key)?.value

const inApp = (frames: ReadonlyArray<Rest.Frame> = []) =>
  frames.filter((frame) => frame.in_app === true).map((frame) => frame.function)

layer(Errata.layer, { excludeTestServices: true })("@sentry/node", (it) => {
  it.effect("an exception with all of its context", () =>
    Effect.gen(function* () {
      const { outcome, project, report, sent } = yield* play("exception")
      expect(outcome).toMatchObject({ code: 0, stderr: "" })
      expect(report).toMatchObject({
        project_id: project.id,
        event_id: sent.event_id,
        error_type: "OrderError",
        error_message: "Order 17 cannot be placed",
        platform: "node",
        severity: "error",
        handled: true,
        server_name: "till-1",
        environment: "staging",
        release_version: "shop@1.2.3",
        release: { version: "shop@1.2.3" },
        dist: "7",
        custom_fingerprint: null,
        sdk: { name: "sentry.javascript.node", version: expect.stringMatching(/^11\.\d+\.\d+$/) },
        user: {
          user_id: "42",
          username: "ada",
          email: "ada@example.com",
          ip_address: "192.0.2.7",
          data: { plan: "gold" },
        },
        ingest_truncations: [],
      })
      const added = report.tags.map(({ key }) => key).filter((key) => !key.startsWith("os"))
      expect(added).toEqual(["checkout", "attempt", "user.id", "user.email", "user.ip"])
      expect(report.tags).toContainEqual({ key: "checkout", value: "express" })
      expect(report.tags).toContainEqual({ key: "attempt", value: "3" })
      expect(Date.parse(report.occurred_at)).toBe(Math.round(sent.timestamp * 1000))
      expect(context(report, "basket")).toEqual({ items: 3, currency: "EUR", codes: ["a", "b"] })
      expect(context(report, "runtime")).toEqual({ name: "node", version: process.version })
      expect(extra(report, "note")).toEqual({ deep: { deeper: true }, list: [1, null, "x"] })
      expect(report.breadcrumbs).toMatchObject([
        { category: "cart", message: "added 17", level: "info", data: { product: 17 } },
        { type: "navigation", category: "navigation", data: { from: "/cart", to: "/pay" } },
      ])
      expect(report.dependencies).toEqual(expect.arrayContaining(manifestPackages))
    }),
  )

  it.effect("the chain of causes, the stacks, and the lines around them", () =>
    Effect.gen(function* () {
      const { report } = yield* play("fingerprint")
      expect(report.exceptions.map(({ type, value }) => [type, value])).toEqual([
        ["TypeError", "Cannot read properties of undefined (reading 'amount')"],
        ["OrderError", "Order 17 cannot be placed"],
      ])
      expect(report.exceptions[0]?.mechanism).toMatchObject({ type: "chained", source: "cause" })
      expect(inApp(report.exceptions[0]?.frames).slice(-3)).toEqual(["orderError", "placeOrder", "readPrice"])
      expect(inApp(report.exceptions[1]?.frames).slice(-2)).toEqual(["orderError", "placeOrder"])
      expect(report.exceptions[0]?.frames.some((frame) => frame.in_app === false)).toBe(true)

      const innermost = report.exceptions[0]?.frames.at(-1)
      expect(innermost).toMatchObject({
        filename: NodeApp.file,
        module: "node",
        context_line: "  return product.price.amount",
        lineno: expect.any(Number),
      })
      expect(innermost?.pre_context?.at(-1)).toBe("function readPrice(product) {")
      expect(innermost?.post_context?.[0]).toBe("}")

      expect(report).toMatchObject({
        severity: "fatal",
        custom_fingerprint: ["{{ default }}", "till-1"],
        transaction: "POST /orders",
        culprit: "POST /orders",
      })
    }),
  )

  it.effect("a message with its level", () =>
    Effect.gen(function* () {
      const { report } = yield* play("message")
      expect(report).toMatchObject({
        error_type: "Message",
        error_message: "The till is nearly full",
        severity: "warning",
        handled: true,
        logentry: { formatted: "The till is nearly full" },
      })
      // The SDK creates a synthetic exception to hold the stack.
      expect(report.exceptions).toMatchObject([
        { type: null, value: "The till is nearly full", mechanism: { synthetic: true } },
      ])
      expect(inApp(report.exceptions[0]?.frames).at(-1)).toBe("Object.message")
    }),
  )

  it.effect("an uncaught exception, before the process exits", () =>
    Effect.gen(function* () {
      const { outcome, report } = yield* play("uncaught")
      expect(outcome.code).toBe(1)
      expect(report).toMatchObject({
        error_type: "OrderError",
        error_message: "Order 18 cannot be placed",
        severity: "fatal",
        handled: false,
      })
      // Only one exception of a chain is unhandled; its causes are marked as handled.
      expect(report.exceptions.map(({ handled, mechanism }) => [mechanism?.type, handled])).toEqual([
        ["chained", true],
        ["auto.node.onuncaughtexception", false],
      ])
    }),
  )

  it.effect("an unhandled rejection", () =>
    Effect.gen(function* () {
      const { report } = yield* play("rejection")
      expect(report).toMatchObject({
        error_type: "RangeError",
        error_message: "No such drawer",
        handled: false,
      })
      expect(report.exceptions.at(-1)?.mechanism).toMatchObject({ type: "auto.node.onunhandledrejection" })
    }),
  )

  it.effect("attachments", () =>
    Effect.gen(function* () {
      const { report } = yield* play("attachment")
      expect(report.attachments).toMatchObject([
        { filename: "receipt.txt", content_type: "text/plain", type: "event.attachment", size: 12 },
        { filename: "scan.bin", content_type: "application/octet-stream", type: "event.attachment", size: 5 },
      ])
    }),
  )

  it.effect("user feedback becomes a note of its group", () =>
    Effect.gen(function* () {
      const { project, report, server } = yield* play("exception")
      yield* NodeApp.run(Rest.dsn(server, project), "feedback", report.event_id)
      // A separate envelope, which is recorded later.
      yield* Rest.eventually(
        Rest.get<Rest.Group>(server, `/projects/${project.id}/groups/${report.group_id}`),
        ({ notes_count, reports_count }) => notes_count === 1 && reports_count === 1,
      )
    }),
  )

  it.effect("an event over 32 KiB, which the SDK compresses", () =>
    Effect.gen(function* () {
      const { outcome, report } = yield* play("large")
      expect(outcome.lines.filter((line) => line.encoding === "gzip")).toHaveLength(1)
      expect(extra(report, "log")).toBe("a line of a log\n".repeat(4_000))
    }),
  )

  it.effect("values that JSON cannot represent, as the SDK writes them", () =>
    Effect.gen(function* () {
      const { report } = yield* play("odd")
      expect(report).toMatchObject({ error_type: "Error", error_message: "only a string" })
      expect(extra(report, "circular")).toMatchObject({
        name: "loop",
        big: "[BigInt: 10]",
        fn: "[Function: fn]",
        at: "1970-01-01T00:00:00.000Z",
        self: "[Circular ~]",
      })
      expect(extra(report, "bytes")).toEqual({ type: "Buffer", data: "[Array]" })
      expect(extra(report, "symbol")).toBe("[Symbol(till)]")
      expect(extra(report, "weird")).toBe("nul  and half \ufffd of a pair")
    }),
  )

  it.effect.each([
    // The SDK's default: spans are sent one by one, in envelopes without an event.
    ["beside", []],
    ["besideTransaction", [200]],
  ] as const)(
    "sessions, spans and client reports are accepted, and only the error is recorded: %s",
    ([scenario, statuses]) =>
      Effect.gen(function* () {
        const { outcome, project, report, server } = yield* play(scenario)
        const transactions = outcome.lines.filter((line) => line.kind === "transaction")
        expect(transactions.map(({ status }) => status)).toEqual(statuses)
        const answered = outcome.lines.filter((line) => line.kind === "answer")
        expect([...new Set(answered.map(({ status }) => status))]).toEqual([200])
        expect(answered.length).toBe(outcome.lines.filter((line) => line.kind === "request").length)
        expect(report.error_type).toBe("OrderError")
        expect((yield* Rest.groups(server, project)).map((group) => group.reports_count)).toEqual([1])
        expect(server.output()).not.toMatch(/level=(WARN|ERROR)/)
      }),
  )

  it.effect("a DSN below the path of the base URL", () =>
    Effect.gen(function* () {
      const start = (port: number) =>
        Server.start(["--storage", "memory", "--port", String(port)], {
          ERRATA_BASE_URL: `http://127.0.0.1:${port}/errors`,
        })
      // Another process may have taken the port in the meantime.
      const server = yield* Effect.retry(Effect.flatMap(freePort, start), { times: 4 })
      const [dsn] = /http:\S+\/errors\/1$/m.exec(server.output()) ?? []
      expect(dsn).toMatch(/^http:\/\/[0-9a-f]{32}@127\.0\.0\.1:\d+\/errors\/1$/)
      const { lines } = yield* NodeApp.run(dsn!, "message")
      const sent = lines.find((line) => line.kind === "event")
      expect(sent?.status).toBe(200)
      const project = yield* Rest.get<Rest.Project>(server, "/projects/1")
      yield* Rest.recorded(server, project, 1)
      expect((yield* Rest.report(server, project, sent!.event_id)).severity).toBe("warning")
    }),
  )
})
