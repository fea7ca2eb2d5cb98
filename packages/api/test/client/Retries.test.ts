import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import {
  breakOff,
  type FakeServer,
  hangUp,
  html,
  json,
  noContent,
  problem,
  silence,
  startFakeServer,
} from "../support/FakeServer.js"
import { project } from "../support/samples.js"
import { asleepUntil, using } from "./clients.js"

describe("retries", () => {
  let server: FakeServer
  beforeAll(async () => {
    server = await startFakeServer()
  })
  afterAll(() => server.stop())

  /** Lets the waits pass, each of which is known beforehand. */
  const through = Effect.fnUntraced(function* (...waits: ReadonlyArray<number>) {
    let now = 0
    for (const [index, wait] of waits.entries()) {
      now += wait
      yield* asleepUntil(now)
      yield* TestClock.adjust(wait - 1)
      expect(server.asked.length).toBe(index + 1)
      yield* TestClock.adjust(1)
    }
  })

  it.effect("wait as long as Retry-After says, for every method", () =>
    Effect.gen(function* () {
      server.answers(
        problem(503, {}, { "retry-after": "5" }),
        problem(429, {}, { "retry-after": "7" }),
        noContent,
      )
      const call = yield* Effect.forkChild(using(server.url, ({ groups }) => groups.resolve(1, 2)))
      yield* through(5_000, 7_000)
      yield* Fiber.join(call)
      expect(server.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(
        Array(3).fill("POST /api/service/v1/projects/1/groups/2/resolve"),
      )
    }),
  )

  it.effect("wait until the date of Retry-After, by the server's clock", () =>
    Effect.gen(function* () {
      server.answers(
        problem(
          503,
          {},
          { date: "Fri, 02 Jan 2026 03:04:05 GMT", "retry-after": "Fri, 02 Jan 2026 03:04:14 GMT" },
        ),
        json(200, project()),
      )
      const call = yield* Effect.forkChild(using(server.url, ({ projects }) => projects.get(1)))
      yield* through(9_000)
      expect((yield* Fiber.join(call)).name).toBe("project 1")
    }),
  )

  it.effect("follow immediately if Retry-After is 0", () =>
    Effect.gen(function* () {
      server.answers(problem(429, {}, { "retry-after": "0" }), noContent)
      yield* using(server.url, ({ groups }) => groups.resolve(1, 2))
      expect(server.asked.length).toBe(2)
    }),
  )

  it.effect("back off without Retry-After, also if a proxy answers", () =>
    Effect.gen(function* () {
      server.answers(html(503), problem(503), html(503), noContent)
      const call = yield* Effect.forkChild(
        using(server.url, ({ groups }) => groups.resolve(1, 2)).pipe(halfway),
      )
      yield* through(375, 750, 1500)
      yield* Fiber.join(call)
      expect(server.asked.length).toBe(4)
    }),
  )

  it.effect("end after the configured number with the last response", () =>
    Effect.gen(function* () {
      server.answers(problem(503, {}, { "retry-after": "0" }))
      expect(yield* Effect.flip(using(server.url, ({ projects }) => projects.get(1)))).toMatchObject({
        _tag: "ServiceUnavailable",
        status: 503,
      })
      expect(server.asked.length).toBe(4)

      server.answers(problem(429, { detail: "Slow down" }, { "retry-after": "0" }))
      expect(
        yield* Effect.flip(using(server.url, ({ projects }) => projects.get(1), { retries: { times: 1 } })),
      ).toMatchObject({ _tag: "TooManyRequests", status: 429, detail: "Slow down" })
      expect(server.asked.length).toBe(2)

      server.answers(problem(503, {}, { "retry-after": "0" }))
      yield* Effect.flip(using(server.url, ({ projects }) => projects.get(1), { retries: { times: 0 } }))
      expect(server.asked.length).toBe(1)
    }),
  )

  it.effect("do not wait longer than the configured limit", () =>
    Effect.gen(function* () {
      server.answers(problem(429, {}, { "retry-after": "31" }))
      expect(yield* Effect.flip(using(server.url, ({ projects }) => projects.get(1)))).toMatchObject({
        _tag: "TooManyRequests",
      })
      server.answers(problem(429, {}, { "retry-after": "6" }))
      const call = yield* Effect.forkChild(
        Effect.exit(
          using(server.url, ({ projects }) => projects.get(1), { retries: { maxTotalWait: "11 seconds" } }),
        ),
      )
      yield* through(6_000)
      expect(Exit.isFailure(yield* Fiber.join(call))).toBe(true)
      expect(server.asked.length).toBe(2)
    }),
  )

  it.effect("follow transport errors if the method is idempotent", () =>
    Effect.gen(function* () {
      server.answers(hangUp, breakOff(), json(200, project()))
      const get = yield* Effect.forkChild(using(server.url, ({ projects }) => projects.get(1)).pipe(halfway))
      yield* through(375, 750)
      expect((yield* Fiber.join(get)).id).toBe(1)
    }),
  )

  it.effect("do not follow transport errors if the method is not idempotent", () =>
    Effect.gen(function* () {
      server.answers(hangUp)
      expect(yield* Effect.flip(using(server.url, ({ groups }) => groups.resolve(1, 2)))).toMatchObject({
        _tag: "ConnectionFailed",
        reason: "transport",
        request: "POST /api/service/v1/projects/1/groups/2/resolve",
      })
      expect(
        yield* Effect.flip(using(server.url, ({ projects }) => projects.update(1, { name: "x" }))),
      ).toMatchObject({ _tag: "ConnectionFailed" })
      expect(server.asked.length).toBe(2)
    }),
  )

  it.effect("do not follow a timeout, before the answer or in the middle of it", () =>
    Effect.gen(function* () {
      for (const slow of [silence, stuck]) {
        server.answers(slow)
        const call = yield* Effect.forkChild(
          Effect.flip(using(server.url, ({ projects }) => projects.get(1), { timeout: "3 seconds" })),
        )
        yield* Effect.promise(() => server.askedTimes(1))
        yield* TestClock.adjust("3 seconds")
        expect(yield* Fiber.join(call)).toMatchObject({
          _tag: "ConnectionFailed",
          reason: "timeout",
          detail: "no response within 3s",
        })
        expect(server.asked.length).toBe(1)
      }
    }),
  )

  it.effect("end when the calling fiber is interrupted", () =>
    Effect.gen(function* () {
      server.answers(problem(503, {}, { "retry-after": "5" }), noContent)
      const waiting = yield* Effect.forkChild(using(server.url, ({ groups }) => groups.resolve(1, 2)))
      yield* asleepUntil(5_000)
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("1 minute")
      expect(server.asked.length).toBe(1)

      const closed = new Promise<void>((resolve) => {
        server.answers((response) => response.on("close", () => resolve()))
      })
      const asking = yield* Effect.forkChild(using(server.url, ({ projects }) => projects.get(1)))
      yield* Effect.promise(() => server.askedTimes(1))
      yield* Fiber.interrupt(asking)
      yield* Effect.promise(() => closed)
    }),
  )
})

// internal

const halfway = Effect.provideService(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })

/** Sends the head and half of the body of a response, then stalls. */
const stuck = (response: { writeHead: (status: number) => unknown; write: (text: string) => unknown }) => {
  response.writeHead(200)
  response.write('{"id":')
}
