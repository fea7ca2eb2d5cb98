/** A client that is derived from the contract decodes every response. */

import { makeErrataApi } from "@errata/api"
import { DateTime, Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

const api = makeErrataApi()

const client = (baseUrl: string, key: string) =>
  HttpApiClient.make(api, {
    baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(key)),
  })

type Client = Effect.Success<ReturnType<typeof client>>

describe("the contract", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start()
  })
  afterAll(() => errata.stop())

  const call = <A, E>(f: (client: Client) => Effect.Effect<A, E>, key = adminKey): Promise<A> =>
    Effect.runPromise(Effect.flatMap(client(errata.url, key), f).pipe(Effect.provide(FetchHttpClient.layer)))
  const failure = <A, E>(f: (client: Client) => Effect.Effect<A, E>, key = adminKey) =>
    call((client) => Effect.flip(f(client)), key)

  it("works with the client derived from it", async () => {
    const created = await call(({ projects }) => projects.create({ payload: { name: "by client" } }))
    expect(created.created_at).toSatisfy(DateTime.isDateTime)
    const params = { project_id: errata.mine.id }
    expect((await call(({ projects }) => projects.get({ params }))).name).toBe("mine")
    expect((await call(({ projects }) => projects.list({ query: { limit: 1 } }))).has_more).toBe(true)

    const report = await errata.report({ event_id: "a".repeat(32), message: "by contract", release: "1" })
    const group = { ...params, group_id: report.group_id as number }
    expect(await call(({ groups }) => groups.resolve({ params: group, payload: {} }))).toBeUndefined()
    await call(({ groups }) => groups.mute({ params: group, payload: { occurrences: 5 } }))
    expect(await call(({ groups }) => groups.get({ params: group }))).toMatchObject({
      resolved: true,
      muted_until_reports_count: 6,
    })
    await call(({ groups }) => groups.mute({ params: group, payload: {} }))
    await call(({ groups }) => groups.unresolve({ params: group }))
    await call(({ groups }) => groups.unmute({ params: group }))
    const page = await call(({ groups }) =>
      groups.list({ params, query: { query: "contract", status: "unresolved", since: "2020-01-01" } }),
    )
    expect(page.groups.map(({ id }) => id)).toEqual([report.group_id])

    const reports = await call(({ reports }) => reports.list({ params: group, query: {} }))
    const detail = await call(({ reports: { get } }) =>
      get({ params: { ...group, report_id: reports.reports[0]!.id }, query: {} }),
    )
    expect(detail.release?.version).toBe("1")
    expect(
      await call(({ reports: { findByEventId } }) =>
        findByEventId({ params: { ...params, event_id: "a".repeat(32) }, query: {} }),
      ),
    ).toEqual(detail)
  })

  it("distinguishes failures", async () => {
    const params = { project_id: errata.theirs.id }
    expect(await failure(({ projects }) => projects.remove({ params }), memberKey)).toMatchObject({
      _tag: "Forbidden",
      status: 403,
    })
    expect(await failure(({ projects }) => projects.get({ params }), "errata_x")).toMatchObject({
      _tag: "Unauthorized",
    })
    expect(await failure(({ projects }) => projects.get({ params: { project_id: 999999 } }))).toMatchObject({
      _tag: "NotFound",
    })
    expect(await failure(({ projects }) => projects.create({ payload: { name: "" } }))).toMatchObject({
      _tag: "ValidationFailed",
      errors: { name: [expect.any(String)] },
    })
    expect(
      await failure(({ projects }) => projects.create({ payload: { name: "x".repeat(2_000_000) } })),
    ).toMatchObject({ _tag: "ContentTooLarge" })
  })
})
