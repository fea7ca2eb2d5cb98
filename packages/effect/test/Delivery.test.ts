import { it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { withoutClockWarning } from "../../core/test/support/clockWarning.js"
import { Errata } from "../src/index.js"

const dsn = "http://key@tracker.example.com/errors/7"

type Answer = "accept" | "hang" | "refuse" | Response

/** A server with a list of responses. It repeats the last one. */
const server = (...answers: ReadonlyArray<Answer>) => {
  const left = [...answers]
  const requests: Array<{
    readonly url: string
    readonly headers: Headers
    readonly lines: ReadonlyArray<string>
  }> = []
  const fetch: typeof globalThis.fetch = async (url, { body, headers, signal } = {}) => {
    requests.push({
      url: String(url),
      headers: new Headers(headers),
      lines: Buffer.from(body as Uint8Array)
        .toString()
        .trim()
        .split("\n"),
    })
    const answer = left.length > 1 ? left.shift()! : (left[0] ?? "accept")
    if (answer === "refuse") throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })
    if (answer === "hang") {
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)))
    }
    return answer === "accept" ? new Response("{}") : answer.clone()
  }
  const titles = () =>
    requests.map(({ lines }) => {
      return JSON.parse(lines[2]!).exception.values.at(-1).value
    })
  return { fetch, requests, titles }
}

const answer = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  new Response("{}", { status, headers })

/** A reporter to the server, the lines that it logs, and the end of its scope. */
const reporter = Effect.fnUntraced(function* (fetch: typeof globalThis.fetch, options: Errata.Options = {}) {
  const lines: Array<string> = []
  const times: Array<number> = []
  const log = Logger.make<unknown, void>(({ date, message }) => {
    lines.push(String(message))
    times.push(date.getTime())
  })
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() =>
    Effect.forkChild(Scope.close(scope, Exit.void)).pipe(
      Effect.tap(TestClock.adjust("3 seconds")),
      Effect.flatMap(Fiber.join),
    ),
  )
  const context = yield* Layer.buildWithScope(
    Errata.layer({
      dsn,
      fetch,
      processHandlers: false,
      // Tests report the same error many times.
      maxRepeatsPerSecond: Number.POSITIVE_INFINITY,
      ...options,
    }).pipe(Layer.provide(Logger.layer([withoutClockWarning(log)]))),
    scope,
  )
  const report = (message: string) => Effect.provide(Errata.capture(new Error(message)), context)
  const flush = Effect.flatMap(Errata.Client, ({ flush }) => flush("1 second")).pipe(Effect.provide(context))
  /** Requests are promises, which have their own order. */
  const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  const wait = (time: Parameters<typeof TestClock.adjust>[0]) =>
    settle.pipe(Effect.andThen(TestClock.adjust(time)), Effect.andThen(settle))
  return { report, flush, lines, times, wait, end: Scope.close(scope, Exit.void) }
})

describe("a report", () => {
  it.effect("is an envelope for the project of the DSN", () =>
    Effect.gen(function* () {
      const { fetch, requests } = server()
      const { report, wait } = yield* reporter(fetch, { release: "shop@1.4.0", environment: "production" })
      yield* report("no tea")
      yield* wait(0)
      const [{ headers, lines, url }] = requests as [(typeof requests)[0]]
      expect(url).toBe("http://tracker.example.com/errors/api/7/envelope/")
      expect(headers.get("x-sentry-auth")).toContain("sentry_key=key")
      const [header, item, event, ...others] = lines.map((line) => JSON.parse(line))
      expect(others).toEqual([])
      expect(header.event_id).toBe(event.event_id)
      expect(item).toEqual({ type: "event", length: Buffer.byteLength(lines[2]!) })
      expect(event).toMatchObject({
        release: "shop@1.4.0",
        environment: "production",
        server_name: expect.stringMatching(/./),
        exception: { values: [{ type: "Error", value: "no tea" }] },
      })
    }),
  )

  it.effect("is sent again with growing delays until it is accepted", () =>
    Effect.gen(function* () {
      const { fetch, requests, titles } = server("refuse", answer(503), answer(502), "accept")
      const { lines, report, wait } = yield* reporter(fetch)
      yield* report("no tea")
      yield* wait(0)
      expect(titles()).toHaveLength(1)
      for (const seconds of [1, 2, 4]) yield* wait(seconds * 1000)
      expect(titles()).toEqual(Array(4).fill("no tea"))
      expect(new Set(requests.map(({ lines }) => JSON.parse(lines[0]!).event_id)).size).toBe(1)
      yield* wait("1 hour")
      expect(titles()).toHaveLength(4)
      expect(lines).toEqual([])
    }),
  )

  it.effect("is sent again if the server does not respond within ten seconds", () =>
    Effect.gen(function* () {
      const { fetch, titles } = server("hang", "accept")
      const { flush, report, wait } = yield* reporter(fetch)
      yield* report("no tea")
      yield* wait("9 seconds")
      expect(titles()).toHaveLength(1)
      for (const _ of "12") yield* wait("1 second")
      expect(titles()).toEqual(["no tea", "no tea"])
      expect(yield* flush).toBe(true)
    }),
  )

  it.effect("is dropped after eight attempts, counted, and logged", () =>
    Effect.gen(function* () {
      const { fetch, requests } = server("refuse")
      const { end, lines, report, times, wait } = yield* reporter(fetch)
      for (let i = 0; i < 20; i++) yield* report(`no tea ${i}`)
      for (let i = 0; i < 60; i++) yield* wait("64 seconds")
      expect(requests).toHaveLength(20 * 8)
      yield* end
      expect(lines[0]).toBe(
        "An error was not reported: http://tracker.example.com/errors/api/7/envelope/ is unreachable: connect ECONNREFUSED",
      )
      const counts = lines.map((line) =>
        Number(/^Further errors that were not reported: (\d+)$/.exec(line)?.[1] ?? 1),
      )
      expect(counts.reduce((sum, count) => sum + count)).toBe(20)
      const starts = times.filter((_, i) => lines[i]!.startsWith("An error"))
      for (const [i, time] of starts.slice(1).entries())
        expect(time - starts[i]!).toBeGreaterThanOrEqual(10_000)
    }),
  )

  it.effect.each([
    [401, "Check the key in the DSN."],
    [404, "Check the host, the path and the project in the DSN."],
    [413, "413"],
  ] as const)("is not sent again after the response %s", ([status, advice]) =>
    Effect.gen(function* () {
      const { fetch, requests } = server(answer(status), "accept")
      const { lines, report, wait } = yield* reporter(fetch)
      yield* report("no tea")
      yield* wait("1 hour")
      expect(requests).toHaveLength(1)
      expect(lines).toEqual([expect.stringContaining(advice)])
      // The next report contains the number of lost ones.
      yield* report("no milk")
      yield* wait(0)
      expect(JSON.parse(requests[1]!.lines[3]!)).toEqual({ type: "client_report" })
      expect(JSON.parse(requests[1]!.lines[4]!)).toMatchObject({
        discarded_events: [{ reason: "send_error", category: "error", quantity: 1 }],
      })
      yield* report("no sugar")
      yield* wait(0)
      expect(requests[2]!.lines).toHaveLength(3)
    }),
  )
})

describe("a server that accepts no errors for now", () => {
  it.effect.each([
    ["by Retry-After", answer(429, { "retry-after": "30" })],
    ["by a date", answer(429, { "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" })],
    ["by a limit of errors", answer(429, { "x-sentry-rate-limits": "30:error;default:key" })],
    [
      "by a limit of everything, in a response that accepts",
      answer(200, { "x-sentry-rate-limits": "30::key" }),
    ],
    ["because it is overloaded", answer(503, { "retry-after": "30" })],
  ] as const)("receives none during that time (%s)", ([, limit]) =>
    Effect.gen(function* () {
      const { fetch, titles } = server(limit, "accept")
      const { lines, report, wait } = yield* reporter(fetch)
      yield* report("first")
      yield* wait(0)
      yield* report("second")
      yield* wait("29 seconds")
      expect(titles()).toEqual(["first"])
      yield* wait("2 seconds")
      expect(titles().slice(1).sort()).toEqual(limit.status === 200 ? ["second"] : ["first", "second"])
      expect(lines).toEqual([])
    }),
  )

  it.effect("still receives errors if the limit is for other items", () =>
    Effect.gen(function* () {
      const { fetch, titles } = server(answer(200, { "x-sentry-rate-limits": "60:transaction;session:key" }))
      const { report, wait } = yield* reporter(fetch)
      for (const name of ["first", "second"]) {
        yield* report(name)
        yield* wait(0)
      }
      expect(titles()).toEqual(["first", "second"])
    }),
  )
})

describe("the application", () => {
  it.effect("never waits: reports beyond the limit are dropped, counted, and logged once", () =>
    Effect.gen(function* () {
      const { fetch, requests } = server("hang")
      const { end, lines, report, wait } = yield* reporter(fetch)
      for (let i = 0; i < 1_100; i++) yield* report(`no tea ${i}`)
      expect(requests.length).toBeLessThanOrEqual(4)
      expect(lines).toEqual(["An error was not reported: 1000 others wait for their delivery"])
      const ended = yield* Effect.forkChild(end)
      yield* wait("3 seconds")
      yield* Effect.yieldNow
      expect(ended.pollUnsafe()).toEqual(Exit.void)
      expect(lines.slice(1)).toEqual(["Further errors that were not reported: 1099"])
    }),
  )

  it.effect("ends immediately with one more attempt if the server refuses connections", () =>
    Effect.gen(function* () {
      const { fetch, requests } = server("refuse")
      const { end, report, wait } = yield* reporter(fetch)
      yield* report("no tea")
      yield* wait(0)
      yield* end
      expect(requests).toHaveLength(2)
    }),
  )

  it.effect("ends immediately if the server accepts no errors for now", () =>
    Effect.gen(function* () {
      const { fetch, requests } = server(answer(429, { "retry-after": "3600" }))
      const { end, lines, report, wait } = yield* reporter(fetch)
      yield* report("no tea")
      yield* wait(0)
      yield* end
      expect(requests).toHaveLength(1)
      expect(lines).toEqual(["An error was not reported: The server accepts no errors at the moment"])
    }),
  )

  it.effect("delivers pending reports at its end", () =>
    Effect.gen(function* () {
      const { fetch, titles } = server()
      const { end, report } = yield* reporter(fetch)
      for (let i = 0; i < 50; i++) yield* report(`${i}`)
      yield* end
      expect(titles().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`))
      yield* report("too late")
      expect(titles()).toHaveLength(50)
    }),
  )

  it.effect("can wait for its reports", () =>
    Effect.gen(function* () {
      const { fetch } = server("hang", "accept")
      const { flush, report, wait } = yield* reporter(fetch)
      expect(yield* flush).toBe(true)
      yield* report("no tea")
      const waiting = yield* Effect.forkChild(flush)
      yield* wait("1 second")
      expect(yield* Fiber.join(waiting)).toBe(false)
    }),
  )
})

describe("a DSN", () => {
  const built = (options: Errata.Options) => Effect.exit(Effect.scoped(Layer.build(Errata.layer(options))))

  it.effect("fails the start without being shown if it is invalid", () =>
    Effect.gen(function* () {
      for (const invalid of [
        "tracker",
        "http://tracker.example.com/7",
        "ftp://secret@host/7",
        "http://secret@host/x",
        "secret%zz/7",
      ]) {
        const exit = yield* built({ dsn: invalid })
        expect([invalid, Exit.isFailure(exit)]).toEqual([invalid, true])
        expect(JSON.stringify(exit)).not.toContain("secret")
      }
    }),
  )

  it.effect("reports nothing if it is missing", () =>
    Effect.gen(function* () {
      const { fetch, requests } = server()
      const { report, wait } = yield* reporter(fetch, { dsn: "" })
      yield* report("no tea")
      yield* wait("1 second")
      expect(requests).toEqual([])
    }),
  )
})
