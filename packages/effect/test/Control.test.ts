/** The options that change or drop reports, on their way to a server. */
import { Cause, Data, Effect, Logger } from "effect"
import { describe, expect, it, vi } from "vitest"
import { Errata, type Reporter } from "../src/index.js"

class OutOfTea extends Data.TaggedError("OutOfTea")<{ readonly kettle: string }> {}

/** The events that a server got until the program and its layer had ended, and the lines of the log. */
const received = async (options: Errata.Options, program: Effect.Effect<unknown, never, Reporter>) => {
  const events: Array<{ readonly event_id: string; readonly tags: object; readonly message?: string }> = []
  const lines: Array<string> = []
  const fetch: typeof globalThis.fetch = async (_, { body } = {}) => {
    const texts = Buffer.from(body as Uint8Array)
      .toString()
      .split("\n")
    events.push(JSON.parse(texts[2]!))
    return new Response("{}")
  }
  const log = Logger.layer([Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))])
  const layer = Errata.layer({
    dsn: "http://key@tracker.example.com/7",
    fetch,
    processHandlers: false,
    ...options,
  })
  await Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(log)))
  return { events, lines }
}

const capture = (...errors: ReadonlyArray<unknown>) =>
  Effect.forEach(errors, (error) => Errata.capture(error), { discard: true })

describe("beforeCapture", () => {
  it("changes events and drops them, and the end of the program waits for it", async () => {
    const seen: Array<unknown> = []
    const { events, lines } = await received(
      {
        beforeCapture: async (event, { originalException }) => {
          seen.push(originalException)
          await new Promise((resolve) => setImmediate(resolve))
          if (event.exception?.values.at(-1)?.value === "secret") return null
          return { ...event, tags: { ...event.tags, changed: "yes" } }
        },
      },
      capture(new Error("kept"), new Error("secret")),
    )
    expect(events).toMatchObject([
      { tags: { changed: "yes" }, exception: { values: [{ type: "Error", value: "kept" }] } },
    ])
    expect(seen).toHaveLength(2)
    expect(lines).toEqual([])
  })

  it("drops the event and logs that if it fails", async () => {
    const { events, lines } = await received(
      {
        beforeCapture: () => {
          throw new TypeError("no headers")
        },
      },
      capture(new Error("a")),
    )
    expect(events).toEqual([])
    expect(lines.join()).toContain("beforeCapture failed: TypeError: no headers")
  })
})

describe("ignoreErrors", () => {
  it("leaves out texts, patterns and classes, also in causes and in the log", async () => {
    const { events } = await received(
      { ignoreErrors: ["RangeError: no", /cold/g, OutOfTea] },
      Effect.andThen(
        capture(
          new RangeError("no cups"),
          Cause.fail(new OutOfTea({ kettle: "blue" })),
          Cause.die(new OutOfTea({ kettle: "red" })),
          new Error("kept"),
        ),
        Effect.andThen(Effect.logError("cold tea"), Effect.logError("warm tea")),
      ),
    )
    expect(JSON.stringify(events)).toContain("kept")
    expect(JSON.stringify(events)).toContain("warm tea")
    expect(events).toHaveLength(2)
  })
})

describe("sampleRate and maxRepeatsPerSecond", () => {
  it("do not apply to fatal errors", async () => {
    const { events } = await received(
      { sampleRate: 0, maxRepeatsPerSecond: 0 },
      Effect.andThen(capture(new Error("usual")), Effect.logFatal("the last words")),
    )
    expect(events).toHaveLength(1)
    expect(JSON.stringify(events)).toContain("the last words")
  })

  it("limit the reports of a loop, and log once", async () => {
    const loop = Array.from({ length: 50 }, () => {
      const error = new Error("loop")
      error.stack = "Error: loop\n    at loop.js:1:1"
      return error
    })
    // However long the loop takes, it is over within the second.
    vi.spyOn(performance, "now").mockReturnValue(1_000)
    const { events, lines } = await received({ maxRepeatsPerSecond: 3 }, capture(...loop)).finally(() =>
      vi.restoreAllMocks(),
    )
    expect(events).toHaveLength(3)
    expect(lines.filter((line) => line.includes("maxRepeatsPerSecond"))).toHaveLength(1)
  })
})
