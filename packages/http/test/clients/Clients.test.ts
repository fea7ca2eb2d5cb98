/** Clients against a server: paging, failures, and a storage that is temporarily unavailable. */
import { ErrataClient } from "@errata/api/client"
import {
  createErrataClient,
  ForbiddenError,
  NotFoundError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
  ValidationError,
} from "@errata/api/promise"
import { Effect, Redacted, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Failing, layer as failingLayer } from "../support/BrokenStores.js"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe("clients", () => {
  let errata: TestInstance
  const failing: Failing = { mode: "work" }
  beforeAll(async () => {
    errata = await start({}, failingLayer(failing))
    for (let index = 0; index < 7; index++)
      await errata.report({ message: "m", fingerprint: [String(index)] })
  })
  afterAll(() => errata.stop())

  const promise = (apiKey = adminKey, baseUrl = errata.url) => createErrataClient({ baseUrl, apiKey })
  const effect = <A, E>(use: (errata: ErrataClient["Service"]) => Effect.Effect<A, E>, apiKey = adminKey) =>
    Effect.runPromise(
      Effect.flatMap(ErrataClient, use).pipe(
        Effect.provide(ErrataClient.layerFetch({ baseUrl: errata.url, apiKey: Redacted.make(apiKey) })),
      ),
    )
  const failure = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.fail("it did not fail"),
      (error) => error,
    )

  it.each([1, 2, 3, 6, 7, 8])("iterate a list in pages of %s", async (limit) => {
    const query = { query: "is:unresolved", limit }
    const viaPromise: Array<number> = []
    for await (const { id } of promise().groups.list(errata.mine.id, query)) viaPromise.push(id)
    const viaEffect = await effect(({ groups }) => Stream.runCollect(groups.stream(errata.mine.id, query)))
    expect(viaPromise.length).toBe(7)
    expect(viaPromise).toEqual(viaPromise.toSorted((a, b) => b - a))
    expect(viaEffect.map(({ id }) => id)).toEqual(viaPromise)
  })

  it("continue a list while groups are added", async () => {
    const ids: Array<number> = []
    for await (const { id } of promise().groups.list(errata.mine.id, { limit: 3 })) {
      if (ids.push(id) === 2) await errata.report({ message: "m", fingerprint: ["late"] })
    }
    expect(ids.length).toBe(7)
    expect(new Set(ids).size).toBe(7)
  })

  it("distinguish failures", async () => {
    const { mine, theirs } = errata
    expect(await failure(promise("errata_unknown").projects.get(mine.id))).toBeInstanceOf(UnauthorizedError)
    expect(await failure(promise(memberKey).projects.get(theirs.id))).toBeInstanceOf(NotFoundError)
    expect(await failure(promise(memberKey).users.list().page())).toBeInstanceOf(ForbiddenError)
    expect(await failure(promise().groups.get(mine.id, 999_999))).toBeInstanceOf(NotFoundError)
    for (const id of [0, -1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER, 1e21]) {
      expect(await failure(promise().groups.get(mine.id, id))).toBeInstanceOf(NotFoundError)
      expect(await effect(({ groups }) => Effect.flip(groups.get(mine.id, id)))).toMatchObject({
        _tag: "NotFound",
      })
    }
    const invalid = await failure(promise().projects.create({ name: "" }))
    expect(invalid).toBeInstanceOf(ValidationError)
    expect(invalid).toMatchObject({ errors: { name: [expect.any(String)] } })
    expect(await effect(({ projects }) => Effect.flip(projects.create({ name: "" })))).toMatchObject({
      _tag: "ValidationFailed",
      errors: (invalid as ValidationError).errors,
    })
  })

  it("return the same messages, validated by the client or the server", async () => {
    const cases = [
      { group_ids: [] },
      { group_ids: Array.from({ length: 1_001 }, (_, index) => index + 1) },
      { group_ids: [1.5] },
    ]
    for (const { group_ids } of cases) {
      const said = await failure(promise().groups.bulkResolve(errata.mine.id, group_ids, 1))
      expect(
        await effect(({ groups }) => Effect.flip(groups.bulkResolve(errata.mine.id, group_ids, 1))),
      ).toMatchObject({ _tag: "ValidationFailed", errors: (said as ValidationError).errors })
    }
  })

  it("return the target of a merged group", async () => {
    const { mine } = errata
    const page = await promise().groups.list(mine.id).page({ limit: 2 })
    const [target, source] = page.groups
    await promise().groups.bulkMerge(mine.id, target!.id, [source!.id])
    expect(await failure(promise().groups.get(mine.id, source!.id))).toMatchObject({
      mergedIntoId: target!.id,
    })
    expect(
      await effect(({ groups }) =>
        groups.get(mine.id, source!.id).pipe(
          Effect.as(null),
          Effect.catchTag("NotFound", (problem) => Effect.succeed(problem.merged_into_id)),
        ),
      ),
    ).toBe(target!.id)
  })

  it("report another service at the URL", async () => {
    const error = await failure(promise(adminKey, `${errata.url}/elsewhere`).projects.create({ name: "x" }))
    expect(error).toBeInstanceOf(NotFoundError)
    const health = await failure(
      createErrataClient({
        baseUrl: errata.url,
        apiKey: adminKey,
        fetch: (_, init) => fetch(`${errata.url}/up`, init),
      }).projects.get(1),
    )
    expect(health).toBeInstanceOf(UnexpectedAnswerError)
  })

  it("wait until the storage is available again", async () => {
    failing.mode = "unavailable"
    const waits: Array<string | null> = []
    const patient = createErrataClient({
      baseUrl: errata.url,
      apiKey: adminKey,
      fetch: async (...args) => {
        const response = await fetch(...args)
        waits.push(response.headers.get("retry-after"))
        failing.mode = "work"
        // Retries without a wait, to keep the test fast.
        const headers = new Headers(response.headers)
        if (headers.has("retry-after")) headers.set("retry-after", "0")
        return new Response(response.body, { status: response.status, headers })
      },
    })
    const page = await patient.projects.list().page()
    expect(page.projects.length).toBe(2)
    expect(waits).toEqual(["5", null])
  })

  it("fail if the storage stays unavailable", async () => {
    failing.mode = "unavailable"
    const impatient = createErrataClient({ baseUrl: errata.url, apiKey: adminKey, retries: 0 })
    expect(await failure(impatient.projects.list().page())).toBeInstanceOf(ServiceUnavailableError)
    failing.mode = "work"
  })
})
