import { type AttemptResult, DeliveryStore, type WebhookEvent, WebhookId } from "@errata/core"
import { DateTime, Duration, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const now = DateTime.makeUnsafe(Date.UTC(2026, 0, 2, 3, 4, 5, 678))

describe.each(["node", "web"] as const)("DeliveryHandlers (%s)", (transport) => {
  let errata: TestInstance
  let webhookId: number
  let path: string
  let ids: ReadonlyArray<number>

  const newWebhook = async (projectId: number): Promise<number> => {
    const body = { url: "https://receiver.example.test/errata", events: ["group.created"] }
    return (await errata.api(`/projects/${projectId}/webhooks`, { method: "POST", body })).json.id
  }

  /** Puts a delivery into the storage, as sending leaves it. */
  const deliver = (event: WebhookEvent, result: AttemptResult | null): Promise<number> =>
    errata.run(
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        const projectId = errata.mine.id
        const to = WebhookId.make(webhookId)
        const requestBody = JSON.stringify({ event })
        const [id] = yield* deliveries.insert(
          [{ projectId, webhookId: to, groupId: null, event, resendOf: null, requestBody }],
          now,
        )
        if (result !== null) {
          const [delivery] = yield* deliveries.lease({
            limit: 1,
            perWebhook: 1,
            exceptions: [],
            duration: Duration.minutes(1),
          })
          yield* deliveries.settle([{ delivery: delivery!, result }])
        }
        return id!
      }),
    )

  beforeAll(async () => {
    errata = await start({ transport })
    webhookId = await newWebhook(errata.mine.id)
    path = `/projects/${errata.mine.id}/webhooks/${webhookId}/deliveries`
    ids = [
      await deliver("group.created", {
        status: "succeeded",
        responseStatus: 204,
        error: null,
        durationMs: 12,
        pause: null,
      }),
      await deliver("group.resolved", {
        status: "failed",
        responseStatus: 500,
        error: "the receiver responded with 500",
        durationMs: 7,
        pause: null,
      }),
      await deliver("group.created", null),
    ]
  })
  afterAll(() => errata.stop())

  const list = async (query: string): Promise<ReadonlyArray<number>> =>
    (await errata.api(`${path}${query}`)).json.deliveries.map(({ id }: { id: number }) => id)

  it("answers all of a delivery, in lists and alone", async () => {
    const pending = {
      id: ids[2],
      webhook_id: webhookId,
      event: "group.created",
      success: false,
      status: "pending",
      attempts: 0,
      response_status: null,
      error: null,
      duration_ms: null,
      request_body: '{"event":"group.created"}',
      next_attempt_at: "2026-01-02T03:04:05.678Z",
      created_at: "2026-01-02T03:04:05.678Z",
      completed_at: null,
    }
    const failed = {
      ...pending,
      id: ids[1],
      event: "group.resolved",
      status: "failed",
      attempts: 1,
      response_status: 500,
      error: "the receiver responded with 500",
      duration_ms: 7,
      request_body: '{"event":"group.resolved"}',
      next_attempt_at: null,
      completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    }
    const succeeded = {
      ...failed,
      id: ids[0],
      event: "group.created",
      success: true,
      status: "succeeded",
      response_status: 204,
      error: null,
      duration_ms: 12,
      request_body: '{"event":"group.created"}',
    }
    const all = [pending, failed, succeeded]
    for (const key of [undefined, memberKey]) {
      const answer = await errata.api(path, key === undefined ? {} : { key })
      expect([answer.status, answer.json]).toEqual([
        200,
        { deliveries: all, next_cursor: null, has_more: false },
      ])
    }
    for (const delivery of all) expect((await errata.api(`${path}/${delivery.id}`)).json).toEqual(delivery)
  })

  it("narrows by event and by success", async () => {
    expect(await list("?event=group.created")).toEqual([ids[2], ids[0]])
    expect(await list("?event=group.muted")).toEqual([])
    expect(await list("?success=true")).toEqual([ids[0]])
    expect(await list("?success=false")).toEqual([ids[2], ids[1]])
    expect(await list("?success=false&event=group.resolved")).toEqual([ids[1]])
  })

  it("pages through what is left after narrowing", async () => {
    const first = (await errata.api(`${path}?success=false&limit=1`)).json
    expect([first.next_cursor, first.has_more]).toEqual([ids[2], true])
    expect(await list(`?success=false&limit=1&cursor=${first.next_cursor}`)).toEqual([ids[1]])
  })

  it.each([
    ["event=group.exploded", "event"],
    ["event=", "event"],
    ["success=maybe", "success"],
    ["success=1", "success"],
    ["limit=0", "limit"],
    ["cursor=x", "cursor"],
  ])("refuses ?%s", async (query, field) => {
    const answer = await errata.api(`${path}?${query}`)
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]])
  })

  it("finds deliveries of their own webhook and project only", async () => {
    const sibling = await newWebhook(errata.mine.id)
    const foreign = await newWebhook(errata.theirs.id)
    const at = (projectId: number, id: number) => `/projects/${projectId}/webhooks/${id}/deliveries`
    expect((await errata.api(at(errata.mine.id, sibling))).json.deliveries).toEqual([])
    expect((await errata.api(`${at(errata.mine.id, sibling)}/${ids[0]}`)).status).toBe(404)
    for (const [projectId, id] of [
      [errata.theirs.id, webhookId],
      [errata.mine.id, foreign],
      [errata.mine.id, 999_999],
    ] as const) {
      expect((await errata.api(at(projectId, id))).status).toBe(404)
      expect((await errata.api(`${at(projectId, id)}/${ids[0]}`)).status).toBe(404)
    }
    for (const id of ["999999", "0", "abc"]) expect((await errata.api(`${path}/${id}`)).status).toBe(404)
    expect((await errata.api(at(errata.theirs.id, foreign), { key: memberKey })).status).toBe(404)
  })

  it("loses them with their webhook", async () => {
    const deleted = await errata.api(`/projects/${errata.mine.id}/webhooks/${webhookId}`, {
      method: "DELETE",
    })
    expect(deleted.status).toBe(204)
    expect((await errata.api(path)).status).toBe(404)
    expect((await errata.api(`${path}/${ids[0]}`)).status).toBe(404)
  })
})
