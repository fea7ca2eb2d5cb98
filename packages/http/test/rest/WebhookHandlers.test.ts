import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const url = "https://receiver.example.test/errata"
const events = ["group.created"]

describe.each(["node", "web"] as const)("WebhookHandlers (%s)", (transport) => {
  let errata: TestInstance
  let path: string
  beforeAll(async () => {
    errata = await start({ transport })
    path = `/projects/${errata.mine.id}/webhooks`
  })
  afterAll(() => errata.stop())

  const create = (body: unknown, key?: string, at = path) =>
    errata.api(at, { method: "POST", body, ...(key === undefined ? {} : { key }) })
  const update = (id: number | string, body: unknown, key?: string, at = path) =>
    errata.api(`${at}/${id}`, { method: "PATCH", body, ...(key === undefined ? {} : { key }) })
  const remove = (id: number | string, key?: string, at = path) =>
    errata.api(`${at}/${id}`, { method: "DELETE", ...(key === undefined ? {} : { key }) })
  const list = async (query = "", key?: string) =>
    (await errata.api(`${path}${query}`, key === undefined ? {} : { key })).json

  it("creates a webhook, and shows its secret this once", async () => {
    const body = { url, events: ["group.muted", "group.created", "group.muted"], secret: "mine", id: 7 }
    const answer = await create(body)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/json"])
    const { secret, ...webhook } = answer.json
    expect(webhook).toEqual({
      id: expect.any(Number),
      project_id: errata.mine.id,
      url,
      events: ["group.muted", "group.created"],
      enabled: true,
      created_at: timestamp,
      updated_at: timestamp,
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await list()).toEqual({ webhooks: [webhook], next_cursor: null, has_more: false })
    const changed = (await update(webhook.id, { enabled: false, secret: "mine" })).json
    expect(changed).toEqual({ ...webhook, enabled: false, updated_at: timestamp })
    expect(errata.logs.join("\n")).not.toContain(secret)
    expect((await remove(webhook.id)).status).toBe(204)
    expect((await remove(webhook.id)).status).toBe(404)
  })

  it.each([
    [{}, ["events", "url"]],
    [{ webhook: { url, events } }, ["events", "url"]],
    [{ url }, ["events"]],
    [{ events }, ["url"]],
    [{ url: "ftp://example.test", events: [] }, ["events", "url"]],
    [{ url: "https://user:pass@example.test", events }, ["url"]],
    [{ url: `https://example.test/${"x".repeat(2_000)}`, events }, ["url"]],
    [{ url: 5, events }, ["url"]],
    [{ url: null, events }, ["url"]],
    [{ url, events: "group.created" }, ["events"]],
    [{ url, events: ["group.exploded"] }, ["events"]],
    [{ url, events: null }, ["events"]],
    [{ url, events, enabled: "true" }, ["enabled"]],
    [{ url, events, enabled: null }, ["enabled"]],
    [[], ["base"]],
  ])("refuses %j", async (body, fields) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.json.errors).sort()).toEqual(fields)
    expect((await list()).webhooks).toEqual([])
  })

  it("changes what is given, and nothing where one of it is wrong", async () => {
    const { secret, ...webhook } = (await create({ url, events, enabled: false })).json
    expect(secret).toBeDefined()
    const refused = await update(webhook.id, { enabled: true, events: ["group.created", "nothing"] })
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ["events"]])
    expect((await list()).webhooks).toEqual([webhook])
    expect((await update(webhook.id, {})).json).toEqual({ ...webhook, updated_at: timestamp })
    const other = "http://127.0.0.1:9000/hook"
    const changed = (await update(webhook.id, { url: other, events: ["webhook.test"] })).json
    expect(changed).toEqual({ ...webhook, url: other, events: ["webhook.test"], updated_at: timestamp })
    await remove(webhook.id)
  })

  it("lets members read, and admins alone change", async () => {
    const { secret, ...webhook } = (await create({ url, events })).json
    expect((await list("", memberKey)).webhooks).toEqual([webhook])
    for (const answer of [
      await create({ url, events }, memberKey),
      await create("{", memberKey),
      await update(webhook.id, { enabled: false }, memberKey),
      await remove(webhook.id, memberKey),
    ]) {
      expect(answer.status).toBe(403)
      expect(answer.text).not.toContain(secret)
    }
    const foreign = await errata.api(`/projects/${errata.theirs.id}/webhooks`, { key: memberKey })
    expect(foreign.status).toBe(404)
    expect((await list()).webhooks).toEqual([webhook])
    await remove(webhook.id)
  })

  it("finds a webhook in its own project only", async () => {
    const { id } = (await create({ url, events })).json
    const elsewhere = `/projects/${errata.theirs.id}/webhooks`
    expect((await update(id, { enabled: false }, undefined, elsewhere)).status).toBe(404)
    expect((await remove(id, undefined, elsewhere)).status).toBe(404)
    expect((await errata.api(elsewhere)).json.webhooks).toEqual([])
    for (const unknown of ["999999", "0", "abc"]) {
      expect((await update(unknown, { enabled: false })).status).toBe(404)
      expect((await remove(unknown)).status).toBe(404)
    }
    expect((await create({ url, events }, undefined, "/projects/999999/webhooks")).status).toBe(404)
    expect((await list()).webhooks).toHaveLength(1)
    await remove(id)
  })

  it("pages", async () => {
    const ids: Array<number> = []
    for (let i = 0; i < 3; i++) ids.unshift((await create({ url, events })).json.id)
    const first = await list("?limit=2")
    expect([first.webhooks.map(({ id }: { id: number }) => id), first.has_more]).toEqual([
      ids.slice(0, 2),
      true,
    ])
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    expect(second.webhooks.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2))
    for (const id of ids) await remove(id)
  })
})
