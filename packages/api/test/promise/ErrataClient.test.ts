import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { realTime } from "../../src/promise/Caller.js"
import { makeClient } from "../../src/promise/ErrataClient.js"
import {
  ConflictError,
  ConnectionFailedError,
  createErrataClient,
  ErrataApiError,
  ErrataError,
  ForbiddenError,
  type Group,
  type GroupDetail,
  InternalServerError,
  NotFoundError,
  type Project,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnexpectedAnswerError,
  ValidationError,
} from "../../src/promise/index.js"
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
import { apiKey, clientOf, failureOf } from "./clients.js"

describe("createErrataClient", () => {
  let server: FakeServer
  beforeAll(async () => {
    server = await startFakeServer()
  })
  afterAll(() => server.stop())

  const failure = (errata = clientOf(server.url).errata) => failureOf(errata.projects.get(1))

  it("answers the JSON as it is", async () => {
    const answer = { ...project(), added_later: [1] }
    server.answers(json(200, answer))
    const { errata } = clientOf(server.url)
    expect(await errata.projects.get(1)).toEqual(answer)
    server.answers(noContent)
    expect(await errata.projects.remove(1)).toBeUndefined()
  })

  it("has the types of the documented JSON", () => {
    const { errata } = clientOf(server.url)
    expectTypeOf(errata.projects.get).returns.resolves.toEqualTypeOf<{
      readonly [K in keyof Project]: Project[K]
    }>()
    expectTypeOf<Awaited<ReturnType<typeof errata.groups.get>>>().toExtend<GroupDetail>()
    expectTypeOf<Group["last_occurred_at"]>().toEqualTypeOf<string>()
    expectTypeOf<Group["resolved_at"]>().toEqualTypeOf<string | null>()
    expectTypeOf(errata.groups.resolve).returns.resolves.toEqualTypeOf<void>()
  })

  it("throws for an invalid URL and for a key that no header can carry", () => {
    expect(() => createErrataClient({ baseUrl: "errata.example.com", apiKey })).toThrow(TypeError)
    expect(() => createErrataClient({ baseUrl: `https://u:${apiKey}@h`, apiKey })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(apiKey) }),
    )
    expect(() => createErrataClient({ baseUrl: server.url, apiKey: `${apiKey}\nx: y` })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(apiKey) }),
    )
    const noKey = { baseUrl: server.url } as { baseUrl: string; apiKey: string }
    expect(() => createErrataClient(noKey)).toThrow(TypeError)
  })

  it("uses the path of the base URL and the service name, and trims its key", async () => {
    server.answers(json(200, project()))
    const { errata } = clientOf(`${server.url}/errors/`, { serviceName: "acme", apiKey: `${apiKey}\n` })
    await errata.projects.get(1)
    expect(server.asked[0]).toMatchObject({
      url: "/errors/api/acme/v1/projects/1",
      headers: { authorization: `Bearer ${apiKey}` },
    })
  })

  describe("with tokens from a function", () => {
    const tokens = (...given: ReadonlyArray<string>) => {
      let asked = 0
      const authorization = async () => given[Math.min(asked++, given.length - 1)]!
      return { errata: clientOf(server.url, { authorization }).errata, asked: () => asked }
    }
    const sent = () => server.asked.map(({ headers }) => headers["authorization"])

    it("requests one token for all calls until the server rejects it", async () => {
      server.answers(json(200, project()))
      const { asked, errata } = tokens("first", "second")
      await Promise.all([errata.projects.get(1), errata.projects.get(1)])
      await errata.projects.get(1)
      expect(asked()).toBe(1)
      expect(sent()).toEqual(["Bearer first", "Bearer first", "Bearer first"])
    })

    it("requests a new token after a 401, and repeats the call, for every method", async () => {
      server.answers(problem(401), json(201, project()))
      const { asked, errata } = tokens("first", "second")
      expect(await errata.projects.create({ name: "web" })).toEqual(project())
      expect(asked()).toBe(2)
      expect(sent()).toEqual(["Bearer first", "Bearer second"])
    })

    it("fails if the next token is rejected too, or is the same", async () => {
      server.answers(problem(401))
      expect(await failure(tokens("first", "second", "third").errata)).toBeInstanceOf(UnauthorizedError)
      expect(sent()).toEqual(["Bearer first", "Bearer second"])
      server.answers(problem(401))
      expect(await failure(tokens("only").errata)).toBeInstanceOf(UnauthorizedError)
      expect(sent()).toEqual(["Bearer only"])
    })

    it("fails with the error of the function, and calls it again for the next call", async () => {
      server.answers(json(200, project()))
      const reason = new Error("signed out")
      let asked = 0
      const authorization = async () => {
        if (asked++ === 0) throw reason
        return "token"
      }
      const { errata } = clientOf(server.url, { authorization })
      expect(await failure(errata)).toBe(reason)
      expect(await errata.projects.get(1)).toEqual(project())
    })
  })

  it("uses the fetch that it is given", async () => {
    const asked: Array<string> = []
    const { errata } = clientOf("https://errata.example.com", {
      fetch: async (url) => {
        asked.push(String(url))
        return Response.json(project(5))
      },
    })
    expect((await errata.projects.get(5)).id).toBe(5)
    expect(asked).toEqual(["https://errata.example.com/api/service/v1/projects/5"])
  })

  it("omits undefined values, and escapes ids in the path", async () => {
    server.answers(problem(404))
    const { errata } = clientOf(server.url)
    await failureOf(errata.groups.mute(1, 2, undefined))
    await failureOf(errata.reports.findByEventId(1, "../2?a#b /ü"))
    await failureOf(errata.groups.list(1, { query: undefined } as object).page())
    expect(server.asked.map(({ body, url }) => [url, body])).toEqual([
      ["/api/service/v1/projects/1/groups/2/mute", "{}"],
      ["/api/service/v1/projects/1/reports/..%2F2%3Fa%23b%20%2F%C3%BC", ""],
      ["/api/service/v1/projects/1/groups", ""],
    ])
    for (const id of ["", ".", ".."]) {
      expect(await failureOf(errata.reports.findByEventId(1, id))).toBeInstanceOf(NotFoundError)
    }
    expect(server.asked.length).toBe(3)
  })

  describe("failures", () => {
    it.each([
      [400, ErrataApiError, "BadRequest"],
      [401, UnauthorizedError, "Unauthorized"],
      [403, ForbiddenError, "Forbidden"],
      [404, NotFoundError, "NotFound"],
      [405, ErrataApiError, "MethodNotAllowed"],
      [409, ConflictError, "Conflict"],
      [413, ErrataApiError, "ContentTooLarge"],
      [415, ErrataApiError, "UnsupportedMediaType"],
      [422, ValidationError, "ValidationFailed"],
      [429, TooManyRequestsError, "TooManyRequests"],
      [500, InternalServerError, "InternalServerError"],
      [503, ServiceUnavailableError, "ServiceUnavailable"],
      // From a newer server.
      [418, ErrataApiError, "Problem"],
    ])("%s is an error of its class", async (status, Class, code) => {
      server.answers(problem(status, {}, { "retry-after": "0" }))
      const error = await failure()
      expect(error).toBeInstanceOf(Class)
      expect(error).toBeInstanceOf(ErrataError)
      expect(error).toMatchObject({
        code,
        status,
        problem: { title: "Title", detail: "Detail" },
        request: "GET /api/service/v1/projects/1",
        message: `GET /api/service/v1/projects/1 received status ${status} Title: Detail`,
        retryAfter: "0",
      })
    })

    it("have the additional fields of the problem", async () => {
      server.answers(problem(422, { errors: { name: ["is taken"] } }))
      expect(await failure()).toMatchObject({ errors: { name: ["is taken"] } })
      server.answers(problem(404, { merged_into_id: 7 }))
      expect(await failure()).toMatchObject({ mergedIntoId: 7 })
      server.answers(problem(404))
      expect(await failure()).toMatchObject({ mergedIntoId: null })
      server.answers(problem(500, { correlation_id: "abc" }))
      expect(await failure()).toMatchObject({ correlationId: "abc" })
    })

    it.each([
      ["a proxy's page", html(502), 502, "it is not a problem document"],
      ["a page", html(200), 200, "it is not a JSON object"],
      ["a list", json(200, []), 200, "it is not a JSON object"],
      ["another status of success", noContent, 204, "this operation has no response with that status"],
      ["a problem of another status", problem(404, { status: 403 }), 404, "it is not a problem document"],
      [
        "a redirection",
        html(308, { location: "https://user:pass@other.example/a?b=c" }),
        308,
        "it redirects to https://other.example. Check the baseUrl",
      ],
    ])("describe %s", async (_, answer, status, detail) => {
      server.answers(answer)
      const error = await failure()
      expect(error).toBeInstanceOf(UnexpectedAnswerError)
      expect(error).toMatchObject({
        code: "UnexpectedAnswer",
        status,
        message: expect.stringMatching(
          new RegExp(`^GET /api/service/v1/projects/1 received status ${status} \\(`),
        ),
      })
      expect(String(error)).toContain(detail)
      expect(server.asked.length).toBe(1)
    })

    it("say that the connection was refused", async () => {
      const gone = await startFakeServer()
      await gone.stop()
      const error = await failureOf(clientOf(gone.url).errata.projects.create({ name: "x" }))
      expect(error).toBeInstanceOf(ConnectionFailedError)
      expect(String(error)).toContain("ECONNREFUSED")
    })

    it("do not contain the key", async () => {
      const { errata } = clientOf(server.url, {
        fetch: async (_, init) => {
          throw new Error(`could not send ${JSON.stringify(init?.headers)}`)
        },
      })
      const errors = [await failureOf(errata.projects.create({ name: "x" }))]
      for (const answer of [problem(403), html(200), hangUp, breakOff(201)]) {
        server.answers(answer)
        errors.push(await failureOf(clientOf(server.url).errata.projects.create({ name: "x" })))
      }
      expect(String(errors[0])).toContain("could not send")
      for (const error of errors) {
        expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain(apiKey)
      }
      expect(inspect(errata, { depth: 20, showHidden: true })).not.toContain(apiKey)
    })
  })

  describe("retries", () => {
    it("wait as Retry-After says, else back off", async () => {
      const dates = { date: "Fri, 02 Jan 2026 03:04:05 GMT", "retry-after": "Fri, 02 Jan 2026 03:04:14 GMT" }
      server.answers(problem(503, {}, { "retry-after": "5" }), problem(429, {}, dates), html(503), noContent)
      const { errata, waits } = clientOf(server.url)
      await errata.groups.resolve(1, 2)
      expect(waits).toEqual([5_000, 9_000, 1_500])
      expect(server.asked.length).toBe(4)
    })

    it("are as many as configured", async () => {
      server.answers(problem(503, {}, { "retry-after": "1" }))
      for (const [retries, times] of [
        [undefined, 3],
        [1, 1],
        [0, 0],
        [{ times: 2 }, 2],
        [{ maxTotalWait: 1_500 }, 1],
      ] as const) {
        const { errata, waits } = clientOf(server.url, { retries })
        await failure(errata)
        expect(waits).toEqual(Array(times).fill(1_000))
      }
    })

    it("follow transport errors if the method is idempotent", async () => {
      server.answers(hangUp, breakOff(), json(200, project()))
      const { errata, waits } = clientOf(server.url)
      expect((await errata.projects.get(1)).id).toBe(1)
      expect(waits).toEqual([375, 750])

      server.answers(hangUp)
      expect(await failureOf(errata.groups.resolve(1, 2))).toMatchObject({
        code: "ConnectionFailed",
        reason: "transport",
      })
      expect(server.asked.length).toBe(1)
    })

    it("do not follow a timeout", async () => {
      const stuck = (response: import("node:http").ServerResponse) => {
        response.writeHead(200)
        response.write('{"id":')
      }
      for (const slow of [silence, stuck]) {
        server.answers(slow)
        const told = failure(clientOf(server.url, { timeout: 1500 }).errata)
        await server.askedTimes(1)
        expect(await told).toMatchObject({ code: "ConnectionFailed", reason: "timeout" })
        expect(server.asked.length).toBe(1)
      }
    })
  })

  describe("signals", () => {
    it("end a call if the given fetch ignores them, and so do timeouts", async () => {
      const fetch = () => new Promise<Response>(() => {})
      const signal = AbortSignal.timeout(10)
      expect(await failureOf(clientOf(server.url, { fetch }).errata.projects.get(1, { signal }))).toBe(
        signal.reason,
      )
      expect(await failure(clientOf(server.url, { fetch, timeout: 10 }).errata)).toMatchObject({
        reason: "timeout",
      })
    })

    it("end a call with their reason", async () => {
      const reason = new Error("enough")
      const controller = new AbortController()
      const closed = new Promise<void>((resolve) => {
        server.answers((response) => response.on("close", () => resolve()))
      })
      const call = failureOf(
        clientOf(server.url).errata.groups.unresolve(1, 2, { signal: controller.signal }),
      )
      await server.askedTimes(1)
      controller.abort(reason)
      expect(await call).toBe(reason)
      await closed
    })

    it("end a wait between retries", async () => {
      server.answers(problem(503, {}, { "retry-after": "20" }))
      const controller = new AbortController()
      const errata = makeClient(
        { baseUrl: server.url, apiKey },
        {
          ...realTime,
          sleep: (millis, signal) => {
            const sleeping = realTime.sleep(millis, signal)
            controller.abort()
            return sleeping
          },
        },
      )
      expect(await failureOf(errata.projects.get(1, { signal: controller.signal }))).toMatchObject({
        name: "AbortError",
      })
      expect(await failureOf(realTime.sleep(20_000, controller.signal))).toMatchObject({ name: "AbortError" })
      expect(server.asked.length).toBe(1)
    })

    it("make no request if already aborted", async () => {
      server.answers(json(200, project()))
      const signal = AbortSignal.abort()
      const { errata } = clientOf(server.url)
      expect(await failureOf(errata.projects.get(1, { signal }))).toMatchObject({ name: "AbortError" })
      expect(await failureOf(errata.projects.list({}, { signal }).page())).toMatchObject({
        name: "AbortError",
      })
      expect(server.asked.length).toBe(0)
    })

    it("have no listeners left after the call", async () => {
      server.answers(problem(503, {}, { "retry-after": "0" }), json(200, project()))
      const { signal } = new AbortController()
      let listeners = 0
      const add = signal.addEventListener.bind(signal)
      const remove = signal.removeEventListener.bind(signal)
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        listeners++
        add(...args)
      }
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        listeners--
        remove(...args)
      }
      await createErrataClient({ baseUrl: server.url, apiKey }).projects.get(1, { signal })
      expect(listeners).toBe(0)
    })
  })
})
