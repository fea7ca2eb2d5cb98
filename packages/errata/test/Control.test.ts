import { CaptureControl, environmentOf, releaseOf } from "@errata/effect/capture"
import { describe, expect, it, vi } from "vitest"
import {
  type CaptureEvent,
  createErrata,
  ErrataCaptureError,
  type ErrataOptions,
  memory,
} from "../src/index.js"
import { collecting, messageOf } from "./support/Events.js"
import { failureOf, instances } from "./support/Instances.js"

describe("beforeCapture", () => {
  const make = instances()

  it("changes events and drops them, also asynchronously", async () => {
    const seen: Array<unknown> = []
    const errata = await make({
      beforeCapture: async (event, { originalException }) => {
        seen.push(originalException)
        await Promise.resolve()
        if (messageOf(event) === "secret") return null
        event.user = { id: "hidden" }
        event.exception!.values.at(-1)!.value = "changed"
        return { ...event, event_id: "mine", tags: { ...event.tags, changed: "yes" } } as CaptureEvent
      },
    })
    const error = new Error("kept")
    const eventId = await errata.capture(error, { user: { id: 7 }, tags: { kettle: "blue" } })
    const dropped = await errata.capture(new Error("secret"))
    expect(dropped).toMatch(/^[0-9a-f]{32}$/)
    await errata.flush()
    const report = await errata.reports.findByEventId(errata.project.id, eventId)
    expect(report).toMatchObject({ error_message: "changed", user: { user_id: "hidden" } })
    expect(report.tags).toEqual(
      expect.arrayContaining([
        { key: "kettle", value: "blue" },
        { key: "changed", value: "yes" },
      ]),
    )
    expect((await errata.groups.list(errata.project.id)).groups).toHaveLength(1)
    expect(seen[0]).toBe(error)
  })

  it.each<[string, unknown, string]>([
    [
      "throws",
      () => {
        throw new TypeError("no headers")
      },
      "TypeError: no headers",
    ],
    ["rejects", () => Promise.reject(new Error("no network")), "Error: no network"],
    ["returns nothing", () => undefined, "It must return the event, or null to drop it"],
    [
      "returns a value without a form in JSON",
      (event: CaptureEvent) => ({ ...event, extra: { a: 1n } }),
      "BigInt",
    ],
  ])("stores nothing if it %s, and logs that", async (_, beforeCapture, reason) => {
    const lines: Array<string> = []
    const errata = await make({
      beforeCapture: beforeCapture as ErrataOptions["beforeCapture"],
      log: ({ message }) => lines.push(message),
    })
    const failure = await failureOf(errata.capture(new Error("a")))
    expect(failure).toBeInstanceOf(ErrataCaptureError)
    expect(failure).toMatchObject({ code: "CaptureFailed", status: null })
    await errata.flush()
    expect((await errata.groups.list(errata.project.id)).groups).toEqual([])
    expect(lines).toEqual([
      expect.stringContaining("An error was not reported: capture failed: beforeCapture failed"),
    ])
    expect(lines[0]).toContain(reason)
  })

  it("has a timeout", async () => {
    const control = new CaptureControl(
      { beforeCapture: () => new Promise(() => {}) },
      Math.random,
      () => 0,
      5,
    )
    expect(await failureOf(control.changed({} as CaptureEvent, null))).toMatchObject({
      message: "it took more than 5 ms",
    })
  })

  it("completes before close", async () => {
    let release = () => {}
    const errata = await make({
      beforeCapture: (event) =>
        new Promise((resolve) => {
          release = () => resolve(event)
        }),
    })
    const captured = errata.capture(new Error("a"))
    const closed = errata.close()
    release()
    expect(await captured).toMatch(/^[0-9a-f]{32}$/)
    await closed
  })
})

describe("ignoreErrors", () => {
  const make = instances()
  class Expected extends Error {}

  it("leaves out errors by text, pattern and class", async () => {
    const { events, options } = collecting()
    const errata = await make({
      ...options,
      ignoreErrors: ["RangeError: empty", /^cold|Error: cold/g, Expected],
    })
    const ignored = [new RangeError("empty tin"), new Error("cold"), new Error("cold"), new Expected("x")]
    for (const error of ignored) expect(await errata.capture(error)).toMatch(/^[0-9a-f]{32}$/)
    await errata.captureMessage("RangeError: empty")
    for (const error of [new RangeError("full"), new Error("empty tin"), "cold!"]) await errata.capture(error)
    expect(events.map(messageOf)).toEqual(["full", "empty tin", "cold!"])
  })
})

describe("sampleRate", () => {
  const make = instances()

  it("keeps that share of errors, and every fatal one", async () => {
    const draws = [0.1, 0.5, 0.24, 0.25, 0.9]
    const control = new CaptureControl({ sampleRate: 0.25 }, () => draws.shift()!)
    const reasons = Array.from({ length: 5 }, (_, i) => control.leftOut(new Error(`${i}`)))
    expect(reasons).toEqual([null, "sampled", null, "sampled", "sampled"])

    const { events, options } = collecting()
    const errata = await make({ ...options, sampleRate: 0 })
    for (let i = 0; i < 20; i++) await errata.capture(new Error("usual"))
    await errata.capture(new Error("last"), { severity: "fatal" })
    expect(events.map(messageOf)).toEqual(["last"])
  })
})

describe("maxRepeatsPerSecond", () => {
  it("limits the reports of a loop, and logs once", async () => {
    const lines: Array<string> = []
    const errata = await createErrata({ storage: memory(), log: ({ message }) => lines.push(message) })
    vi.spyOn(performance, "now").mockReturnValue(1_000)
    try {
      for (let i = 0; i < 5_000; i++) void errata.capture(new Error("in a loop"))
      await errata.capture(new Error("in a loop"), { severity: "fatal" })
      await errata.capture(new Error("of another kind"))
    } finally {
      vi.restoreAllMocks()
    }
    await errata.flush()
    const { groups } = await errata.groups.list(errata.project.id)
    expect(groups.map(({ reports_count }) => reports_count).sort()).toEqual([1, 1, 10])
    await errata.close()
    expect(lines).toEqual([
      "An error was not reported: it repeats too often. The option maxRepeatsPerSecond has the limit",
      "Further errors that were not reported: 4989",
    ])
  })
})

describe("the release and the environment", () => {
  it("come from the first variable that is set", () => {
    expect(releaseOf({})).toBeUndefined()
    expect(releaseOf({ GITHUB_SHA: "b", SENTRY_RELEASE: " ", VERCEL_GIT_COMMIT_SHA: "a" })).toBe("a")
    expect(releaseOf({ ERRATA_RELEASE: "tea@1", SENTRY_RELEASE: "tea@2" })).toBe("tea@1")
    expect(environmentOf({ NODE_ENV: "production" })).toBe("production")
    expect(environmentOf({ NODE_ENV: "production", SENTRY_ENVIRONMENT: "staging" })).toBe("staging")
    expect(environmentOf({ ERRATA_ENVIRONMENT: "canary", SENTRY_ENVIRONMENT: "staging" })).toBe("canary")
  })

  it("are those of the process unless the options have them", async () => {
    vi.stubEnv("ERRATA_RELEASE", "tea@7")
    vi.stubEnv("ERRATA_ENVIRONMENT", "kitchen")
    try {
      const { events, options } = collecting()
      const usual = await createErrata({ storage: memory(), ...options })
      const own = await createErrata({ storage: memory(), ...options, release: "a", environment: "b" })
      for (const errata of [usual, own]) {
        await errata.capture(new Error("a"))
        await errata.close()
      }
      expect(events.map(({ environment, release }) => [release, environment])).toEqual([
        ["tea@7", "kitchen"],
        ["a", "b"],
      ])
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe("wrong options", () => {
  it.each<[string, unknown]>([
    ["sampleRate", 2],
    ["sampleRate", "1"],
    ["maxRepeatsPerSecond", 0],
    ["maxRepeatsPerSecond", 1.5],
    ["ignoreErrors", "one"],
    ["ignoreErrors", [7]],
    ["beforeCapture", true],
  ])("%s cannot be %j", async (name, value) => {
    expect(await failureOf(createErrata({ storage: memory(), [name]: value }))).toMatchObject({
      code: "StartFailed",
      message: expect.stringContaining(`the option ${name} must be`),
    })
  })
})
