import { describe, expect, it } from "vitest"
import {
  type CaptureContext,
  ErrataClosedError,
  NotFoundError,
  type ReportDetail,
  ServiceUnavailableError,
} from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"

describe("capture", () => {
  const make = instances()

  /** Captures a value and returns the report. */
  const reported = async (thrown: unknown, context: CaptureContext = {}): Promise<ReportDetail> => {
    const errata = await make()
    const eventId = await errata.capture(thrown, context)
    await errata.flush()
    return errata.reports.findByEventId(errata.project.id, eventId)
  }
  const typesOf = ({ exceptions }: ReportDetail) => exceptions.map(({ type, value }) => [type, value])

  it("reports the error, its stack and its causes", async () => {
    const cause = new RangeError("empty tin")
    const report = await reported(new TypeError("no tea", { cause }))
    expect(report).toMatchObject({
      error_type: "TypeError",
      error_message: "no tea",
      handled: true,
      severity: "error",
    })
    expect(typesOf(report)).toEqual([
      ["RangeError", "empty tin"],
      ["TypeError", "no tea"],
    ])
    const frames = report.exceptions.at(-1)?.frames ?? []
    expect(frames.at(-1)).toMatchObject({
      filename: "packages/errata/test/Capture.test.ts",
      in_app: true,
      lineno: expect.any(Number),
    })
  })

  it("stops at circular causes, and reports the members of aggregates", async () => {
    const one = new Error("one")
    const two = new Error("two", { cause: one })
    one.cause = two
    expect(typesOf(await reported(two))).toEqual([
      ["Error", "one"],
      ["Error", "two"],
    ])
    const all = await reported(new AggregateError([new Error("a"), "b"], "many"))
    expect(typesOf(all)).toEqual([
      ["string", "b"],
      ["Error", "a"],
      ["AggregateError", "many"],
    ])
  })

  it.each<[string, unknown, string, string]>([
    ["a text", "out of tea", "string", "out of tea"],
    ["nothing", undefined, "undefined", "undefined"],
    ["null", null, "object", "null"],
    ["an object", { code: 7 }, "Object", '{"code":7}'],
    ["an error without a message", new SyntaxError(), "SyntaxError", ""],
  ])("reports %s", async (_, thrown, type, value) => {
    expect(typesOf(await reported(thrown))).toEqual([[type, value]])
  })

  it("reports context from the application, without credentials", async () => {
    const report = await reported(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), {
      severity: "fatal",
      handled: false,
      tags: { kettle: "blue", cups: 3, none: null },
      user: { id: 7, email: "ann@example.com" },
      request: {
        url: "https://shop.example/tea",
        method: "POST",
        headers: { Authorization: "Bearer secret-1", Cookie: "sid=secret-2", accept: "text/html" },
        cookies: { sid: "secret-3" },
        data: { cups: 2 },
      },
      contexts: { order: { id: 9 } },
      extra: { temperature: 80n },
      breadcrumbs: [{ message: "kettle on", timestamp: new Date("2026-01-01T00:00:00Z") }],
      environment: "test",
      release: "tea@1.0.0",
      serverName: "kitchen",
      transaction: "POST /tea",
    })
    expect(report).toMatchObject({
      severity: "fatal",
      handled: false,
      user: { user_id: "7", email: "ann@example.com" },
      request: { url: "https://shop.example/tea", method: "POST", data: { cups: 2 } },
      environment: "test",
      release_version: "tea@1.0.0",
      server_name: "kitchen",
      transaction: "POST /tea",
      breadcrumbs: [{ message: "kettle on" }],
    })
    expect(report.tags).toEqual(
      expect.arrayContaining([
        { key: "kettle", value: "blue" },
        { key: "cups", value: "3" },
      ]),
    )
    expect(report.contexts).toEqual(
      expect.arrayContaining([
        { name: "order", data: { id: 9 } },
        { name: "error", data: { code: "ECONNREFUSED" } },
      ]),
    )
    expect(report.extras).toEqual([{ key: "temperature", value: "80" }])
    expect(JSON.stringify(report)).not.toContain("secret")
  })

  it("accepts any value", async () => {
    const circular: Record<string, unknown> = { text: "a\u0000b\ud800" }
    circular["itself"] = circular
    const hostile = {
      get bad(): string {
        throw new Error("not yours")
      },
    }
    const report = await reported(new Error("kept"), {
      extra: { circular, hostile, call: () => 1, when: new Date(0) },
    })
    expect(typesOf(report)).toEqual([["Error", "kept"]])
    const extras = Object.fromEntries(report.extras.map(({ key, value }) => [key, value]))
    expect(extras["circular"]).toMatchObject({ itself: "[circular]" })
    expect(extras["hostile"]).toBe("[unreadable: not yours]")
    expect(extras["when"]).toBe("1970-01-01T00:00:00.000Z")

    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap")
        },
        get: () => {
          throw new Error("trap")
        },
      },
    )
    expect(typesOf(await reported(new Error("kept too"), trap as CaptureContext))).toEqual([
      ["Error", "kept too"],
    ])
  })

  it.each<[string, unknown, string]>([
    [
      "a member that throws",
      Object.defineProperty(new Error("kept"), "code", {
        enumerable: true,
        get: () => {
          throw new Error("not yours")
        },
      }),
      "kept",
    ],
    [
      "a message that throws",
      Object.defineProperty(new Error("lost"), "message", {
        get: () => {
          throw new Error("not yours")
        },
      }),
      "[unreadable]",
    ],
    [
      "a cause that throws",
      Object.defineProperty(new Error("kept"), "cause", {
        get: () => {
          throw new Error("not yours")
        },
      }),
      "kept",
    ],
    ["members that are no list", Object.assign(new AggregateError([], "kept"), { errors: 3 }), "kept"],
    [
      "a message that is an object",
      Object.assign(new Error("x"), { message: Object.create(null) }),
      "[unreadable]",
    ],
    ["no prototype", Object.create(null), "{}"],
  ])("reports an error with %s", async (_, error, message) => {
    expect(await reported(error)).toMatchObject({ error_message: message })
  })

  it("keeps an error whose context is too large", async () => {
    const extra = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`part${i}`, "x".repeat(30_000)]))
    const report = await reported(new Error("large"), { extra, tags: { kettle: "blue" } })
    expect(report).toMatchObject({ error_message: "large", extras: [] })
    expect(report.tags).toContainEqual({ key: "kettle", value: "blue" })
    expect(report.contexts.map(({ name }) => name)).toContain("errata")
  })

  it("reports to the given project, and rejects unknown projects", async () => {
    const errata = await make()
    const other = await errata.projects.create({ name: "Other" })
    await errata.capture(new Error("theirs"), { project: other })
    await errata.capture(new Error("theirs as well"), { project: other.id })
    await errata.flush()
    expect((await errata.groups.list(other.id)).groups.length).toBe(2)
    expect((await errata.groups.list(errata.project.id)).groups).toEqual([])
    for (const project of [999, 0, -1, 1.5, Number.NaN]) {
      const failure = await failureOf(errata.capture(new Error("nobody's"), { project }))
      expect(failure).toBeInstanceOf(NotFoundError)
      expect(failure).toMatchObject({ code: "NotFound", status: 404 })
    }
  })

  it("counts towards the rate limit for senders, and is not rejected by it", async () => {
    // The limit is of a minute, which does not end during the test.
    const now = Date.parse("2026-01-01T00:00:30Z")
    const errata = await make({ baseUrl: "http://localhost", now: () => now })
    await errata.policies.updateIngestProtection({ enabled: true, global_rate_limit_per_minute: 5 })
    const { id, token } = errata.project
    const send = async () => {
      const url = `http://localhost/api/${id}/store/?sentry_key=${token}`
      return (await errata.fetch(new Request(url, { method: "POST", body: '{"message":"sent"}' }))).status
    }
    for (let i = 0; i < 20; i++) await errata.capture(new Error("many"))
    expect(await send()).toBe(429)
    await errata.flush()
    const { groups } = await errata.groups.list(id)
    expect(groups.map(({ reports_count }) => reports_count)).toEqual([20])
  })

  it("logs the first unreported error, and then their number", async () => {
    const lines: Array<string> = []
    const errata = await make({ log: ({ message }) => lines.push(message) })
    const outcomes = Array.from({ length: 20 }, () => errata.capture(new Error("many"), { project: 999 }))
    await Promise.allSettled(outcomes)
    await errata.close()
    const told = lines.filter((line) => line.includes("not reported"))
    expect(told[0]).toContain("An error was not reported: capture received status 404")
    expect(told.slice(1)).toEqual(["Further errors that were not reported: 19"])
  })

  it("causes no unhandled rejection if not awaited", async () => {
    const unhandled: Array<unknown> = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on("unhandledRejection", note)
    try {
      const errata = await make()
      void errata.capture(new Error("x"), { project: 999 })
      await errata.close()
      void errata.capture(new Error("late"))
      await new Promise((resolve) => setImmediate(resolve))
      expect(unhandled).toEqual([])
    } finally {
      process.off("unhandledRejection", note)
    }
  })

  it("is rejected after close, and completes if it began before", async () => {
    const errata = await make()
    const before = errata.capture(new Error("just in time"))
    const closing = errata.close()
    const after = await failureOf(errata.capture(new Error("too late")))
    expect(await before).toMatch(/^[0-9a-f]{32}$/)
    expect(after).toBeInstanceOf(ErrataClosedError)
    expect(after).toMatchObject({ code: "Closed", status: 503 })
    await closing
  })

  it("fails as unavailable when too many bytes wait to be stored", async () => {
    const errata = await make({
      settings: {
        intake: { maxWaitingBytes: "1 MiB" },
        ingestLimits: { maxBodyBytes: "512 KiB", maxEventBytes: "256 KiB", maxAttachmentBytes: "256 KiB" },
      },
    })
    const some = Array.from({ length: 200 }, () => errata.capture(new Error("x".repeat(30_000))))
    const refused = (await Promise.allSettled(some)).flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason] : [],
    )
    for (const reason of refused) expect(reason).toBeInstanceOf(ServiceUnavailableError)
    expect(refused.length).toBeGreaterThan(0)
  })
})
