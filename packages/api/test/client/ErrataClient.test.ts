import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { ErrataClient } from "../../src/client/index.js"
import { type FakeServer, html, json, noContent, problem, startFakeServer } from "../support/FakeServer.js"
import { groupList } from "../support/groupList.js"
import { group, project } from "../support/samples.js"
import { apiKey, using } from "./clients.js"

describe("ErrataClient", () => {
  let server: FakeServer
  beforeAll(async () => {
    server = await startFakeServer()
  })
  afterAll(() => server.stop())

  const getProject = Effect.suspend(() => using(server.url, ({ projects }) => projects.get(1)))
  const failure = Effect.flip(getProject)

  describe("failures", () => {
    it.effect("are the contract's problems, by their tags", () =>
      Effect.gen(function* () {
        const resolve = using(server.url, ({ groups }) => groups.resolve(1, 2))
        server.answers(problem(404, { merged_into_id: 7 }))
        expect(
          yield* resolve.pipe(
            Effect.as(null),
            Effect.catchTag("NotFound", ({ merged_into_id }) => Effect.succeed(merged_into_id)),
          ),
        ).toBe(7)
        for (const [status, tag, members] of [
          [401, "Unauthorized", {}],
          [403, "Forbidden", {}],
          [404, "NotFound", {}],
          [500, "InternalServerError", { correlation_id: "abc" }],
        ] as const) {
          server.answers(problem(status, members))
          expect(yield* Effect.flip(resolve)).toMatchObject({
            _tag: tag,
            status,
            detail: "Detail",
            ...members,
          })
        }
        server.answers(problem(422, { errors: { name: ["is taken"] } }))
        expect(
          yield* using(server.url, ({ projects }) => projects.create({ name: "x" })).pipe(
            Effect.as(null),
            Effect.catchTag("ValidationFailed", ({ errors }) => Effect.succeed(errors)),
          ),
        ).toEqual({ name: ["is taken"] })
      }),
    )

    it.effect.each([
      ["a proxy's page", html(502), 502, "it is not a problem document"],
      ["a page", html(200), 200, "it has an unexpected shape"],
      ["nothing", json(200, undefined), 200, "it has an unexpected shape"],
      ["another object", json(200, { ...project(), token: 5 }), 200, "it has an unexpected shape at token"],
      ["another status of success", noContent, 204, "this operation has no response with that status"],
      [
        "a problem that the call does not have",
        problem(418),
        418,
        "this operation has no response with that status",
      ],
      ["a problem of another shape", problem(500), 500, "it has an unexpected shape at correlation_id"],
      [
        "a problem of another status",
        problem(404, { status: 403 }),
        404,
        "it has an unexpected shape at status",
      ],
      ["JSON that is no problem", json(404, { error: "no" }), 404, "it is not a problem document"],
      [
        "a redirection",
        html(301, { location: "https://user:pass@other.example/a?b=c" }),
        301,
        "it redirects to https://other.example. Check the baseUrl",
      ],
      ["a redirection to nowhere", html(302, { location: "/there" }), 302, "it is not a response of the API"],
    ] as const)("describe %s", ([, answer, status, detail]) =>
      Effect.gen(function* () {
        server.answers(answer)
        expect(yield* failure).toMatchObject({
          _tag: "UnexpectedAnswer",
          request: "GET /api/service/v1/projects/1",
          status,
          detail,
        })
        expect(server.asked.length).toBe(1)
      }),
    )

    it.effect("describe a page if no content was expected", () =>
      Effect.gen(function* () {
        server.answers(html(200))
        expect(yield* Effect.flip(using(server.url, ({ groups }) => groups.resolve(1, 2)))).toMatchObject({
          _tag: "UnexpectedAnswer",
          status: 200,
          contentType: "text/html",
        })
      }),
    )

    it.effect("say that the connection was refused", () =>
      Effect.gen(function* () {
        const gone = yield* Effect.promise(startFakeServer)
        yield* Effect.promise(gone.stop)
        const error = yield* Effect.flip(using(gone.url, ({ projects }) => projects.create({ name: "x" })))
        expect(error._tag).toBe("ConnectionFailed")
        expect(String(error)).toContain("POST /api/service/v1/projects received no response: ")
        expect(String(error)).toContain("ECONNREFUSED")
      }),
    )
  })

  describe("an invalid call", () => {
    it.effect("fails with NotFound for an impossible id, without a request", () =>
      Effect.gen(function* () {
        server.answers(noContent)
        for (const id of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15, Number.MAX_SAFE_INTEGER]) {
          expect(yield* Effect.flip(using(server.url, ({ groups }) => groups.resolve(1, id)))).toMatchObject({
            _tag: "NotFound",
            status: 404,
          })
        }
        for (const id of ["", ".", ".."]) {
          expect(
            yield* Effect.flip(using(server.url, ({ reports }) => reports.findByEventId(1, id))),
          ).toMatchObject({ _tag: "NotFound" })
        }
        expect(server.asked.length).toBe(0)
      }),
    )

    it.effect("fails with the server's validation messages, without a request", () =>
      Effect.gen(function* () {
        server.answers(noContent)
        expect(yield* Effect.flip(using(server.url, ({ groups }) => groups.bulkMute(1, [])))).toMatchObject({
          _tag: "ValidationFailed",
          errors: { group_ids: ["can't be empty"] },
        })
        expect(
          yield* Effect.flip(using(server.url, ({ groups }) => groups.list(1, { query: "x".repeat(1_001) }))),
        ).toMatchObject({
          _tag: "ValidationFailed",
          errors: { query: ["is too long (maximum is 1000 characters)"] },
        })
        expect(yield* Effect.flip(using(server.url, ({ members }) => members.add(1, 0)))).toMatchObject({
          _tag: "ValidationFailed",
          errors: { user_id: ["must be a positive integer"] },
        })
        expect(server.asked.length).toBe(0)
      }),
    )
  })

  it.effect("encodes ids in the path", () =>
    Effect.gen(function* () {
      server.answers(problem(404))
      yield* Effect.flip(using(server.url, ({ reports }) => reports.findByEventId(1, "../2?a#b /ü")))
      expect(server.asked[0]!.url).toBe("/api/service/v1/projects/1/reports/..%2F2%3Fa%23b%20%2F%C3%BC")
    }),
  )

  it.effect("reads numbers up to the largest safe integer", () =>
    Effect.gen(function* () {
      server.answers(json(200, { ...project(), reports_count: Number.MAX_SAFE_INTEGER }))
      expect((yield* getProject).reports_count).toBe(9007199254740991)
      server.answers((response) => response.end('{"id": 9007199254740993}'))
      expect(yield* failure).toMatchObject({
        _tag: "UnexpectedAnswer",
        detail: expect.stringContaining("id"),
      })
    }),
  )

  it.effect("omits undefined query parameters", () =>
    Effect.gen(function* () {
      server.answers(groupList(0))
      const query: Record<string, undefined> = { query: undefined, limit: undefined }
      yield* using(server.url, ({ groups }) => groups.list(1, query as object))
      expect(server.asked[0]!.url).toBe("/api/service/v1/projects/1/groups")
      yield* using(server.url, ({ groups }) => Stream.runDrain(groups.stream(1, query as object)))
      expect(server.asked[1]!.url).toBe("/api/service/v1/projects/1/groups?limit=100")
    }),
  )

  it.effect("uses the path of the base URL and the service name", () =>
    Effect.gen(function* () {
      server.answers(json(200, project()))
      yield* using(`${server.url}/errors/`, ({ projects }) => projects.get(1), { serviceName: "acme" })
      expect(server.asked[0]!.url).toBe("/errors/api/acme/v1/projects/1")
    }),
  )

  it.effect("trims its key, and dies of an invalid key or URL", () =>
    Effect.gen(function* () {
      server.answers(json(200, project()))
      yield* using(server.url, ({ projects }) => projects.get(1), { apiKey: Redacted.make(`${apiKey}\n`) })
      expect(server.asked[0]!.headers["authorization"]).toBe(`Bearer ${apiKey}`)

      const split = yield* Effect.exit(
        using(server.url, ({ projects }) => projects.get(1), { apiKey: Redacted.make(`${apiKey}\nx: y`) }),
      )
      expect(Exit.isFailure(split) && Cause.hasDies(split.cause)).toBe(true)
      expect(String(split)).not.toContain(apiKey)
      const url = yield* Effect.exit(using(`ftp://u:${apiKey}@h`, ({ projects }) => projects.get(1)))
      expect(Exit.isFailure(url) && Cause.hasDies(url.cause)).toBe(true)
      expect(String(url)).not.toContain(apiKey)
    }),
  )

  it.effect("works with an HttpClient that fails on error statuses", () =>
    Effect.gen(function* () {
      server.answers(problem(404))
      const strict = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, HttpClient.filterStatusOk),
      ).pipe(Layer.provide(FetchHttpClient.layer))
      expect(
        yield* ErrataClient.pipe(
          Effect.flatMap(({ projects }) => projects.get(1)),
          Effect.flip,
          Effect.provide(ErrataClient.layer({ baseUrl: server.url, apiKey: Redacted.make(apiKey) })),
          Effect.provide(strict),
        ),
      ).toMatchObject({ _tag: "NotFound" })
    }),
  )

  it.effect("hides the key if an HttpClient's error contains the request", () =>
    Effect.gen(function* () {
      const leaky = Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({
                request,
                cause: new Error(`could not send ${JSON.stringify(Object.entries(request.headers))}`),
              }),
            }),
          ),
        ),
      )
      const error = yield* ErrataClient.pipe(
        Effect.flatMap(({ projects }) => projects.create({ name: "x" })),
        Effect.flip,
        Effect.provide(ErrataClient.layer({ baseUrl: server.url, apiKey: Redacted.make(apiKey) })),
        Effect.provide(leaky),
      )
      expect(error).toMatchObject({ _tag: "ConnectionFailed" })
      expect(String(error)).toContain("could not send")
      expect(String(error) + JSON.stringify(error)).not.toContain(apiKey)
    }),
  )

  describe("stream", () => {
    const ids = (count: number, query: object = {}) => {
      server.answers(groupList(count))
      return using(server.url, ({ groups }) =>
        Effect.map(Stream.runCollect(groups.stream(1, query)), (all) => all.map(({ id }) => id)),
      )
    }
    const downFrom = (count: number) => Array.from({ length: count }, (_, index) => count - index)

    it.effect.each([
      [0, 1],
      [1, 1],
      [99, 1],
      [100, 1],
      [101, 2],
      [200, 2],
      [201, 3],
    ] as const)("%s", ([count, requests]) =>
      Effect.gen(function* () {
        expect(yield* ids(count)).toEqual(downFrom(count))
        expect(server.asked.length).toBe(requests)
      }),
    )

    it.effect("sends its filter and page size with every page, and starts at the cursor", () =>
      Effect.gen(function* () {
        expect(yield* ids(10, { query: "is:muted", limit: 3, cursor: 9 })).toEqual(downFrom(8))
        expect(server.asked.map(({ url }) => url.split("?")[1])).toEqual([
          "query=is%3Amuted&limit=3&cursor=9",
          "query=is%3Amuted&limit=3&cursor=6",
          "query=is%3Amuted&limit=3&cursor=3",
        ])
      }),
    )

    it.effect("requests no further page when enough items were taken", () =>
      Effect.gen(function* () {
        server.answers(groupList(1_000))
        const first = yield* using(server.url, ({ groups }) =>
          Stream.runCollect(Stream.take(groups.stream(1), 100)),
        )
        expect(first.length).toBe(100)
        expect(server.asked.length).toBe(1)
      }),
    )

    it.effect("fails with the page that fails, after the ones before it", () =>
      Effect.gen(function* () {
        server.answers(json(200, { groups: [group(2)], next_cursor: 2, has_more: true }), problem(403))
        const seen: Array<number> = []
        const error = yield* Effect.flip(
          using(server.url, ({ groups }) =>
            Stream.runForEach(groups.stream(1), ({ id }) => Effect.sync(() => seen.push(id))),
          ),
        )
        expect(error).toMatchObject({ _tag: "Forbidden" })
        expect(seen).toEqual([2])
      }),
    )

    it.effect("ends if the server repeats a page or returns no cursor", () =>
      Effect.gen(function* () {
        for (const next_cursor of [2, null]) {
          server.answers(json(200, { groups: [group(2)], next_cursor, has_more: true }))
          expect(
            yield* Effect.flip(using(server.url, ({ groups }) => Stream.runDrain(groups.stream(1)))),
          ).toMatchObject({ _tag: "UnexpectedAnswer" })
        }
      }),
    )
  })

  it.effect("answers timestamps as DateTime", () =>
    Effect.gen(function* () {
      server.answers(json(200, project()))
      expect(DateTime.formatIso((yield* getProject).created_at)).toBe("2026-01-02T03:04:05.678Z")
    }),
  )
})
