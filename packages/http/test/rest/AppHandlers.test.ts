import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe.each(["node", "web"] as const)("AppHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const create = (body: unknown, key?: string) =>
    errata.api("/apps", { method: "POST", body, ...(key === undefined ? {} : { key }) })
  const update = (id: number | string, body: unknown, key?: string) =>
    errata.api(`/apps/${id}`, { method: "PATCH", body, ...(key === undefined ? {} : { key }) })
  const remove = (id: number | string, key?: string) =>
    errata.api(`/apps/${id}`, { method: "DELETE", ...(key === undefined ? {} : { key }) })
  const newProject = async (name: string): Promise<number> =>
    (await errata.api("/projects", { method: "POST", body: { name } })).json.id

  it("creates an app and answers all of it", async () => {
    const body = {
      name: " Shop ",
      project_ids: [errata.theirs.id, errata.mine.id],
      id: 7,
      app: { name: "no" },
    }
    const answer = await create(body)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/json"])
    expect(answer.json).toEqual({
      id: expect.any(Number),
      name: "Shop",
      project_ids: [errata.mine.id, errata.theirs.id],
      created_at: timestamp,
      updated_at: timestamp,
    })
    const listed = (await errata.api("/apps")).json
    expect(listed).toEqual({ apps: [answer.json], next_cursor: null, has_more: false })
    await remove(answer.json.id)
  })

  it.each([
    [{}, "name"],
    [{ app: { name: "wrapped" } }, "name"],
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(201) }, "name"],
    [{ name: 5 }, "name"],
    [{ name: "nul\0" }, "name"],
    [{ name: "ok", project_ids: 5 }, "project_ids"],
    [{ name: "ok", project_ids: "1" }, "project_ids"],
    [{ name: "ok", project_ids: null }, "project_ids"],
    [{ name: "ok", project_ids: [999_999] }, "project_ids"],
    [{ name: "ok", project_ids: Array.from({ length: 1_001 }, (_, i) => i + 1) }, "project_ids"],
    [[], "base"],
  ])("refuses %j", async (body, field) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.json.errors)).toEqual([field])
    expect((await errata.api("/apps")).json.apps).toEqual([])
  })

  it.each([0, -1, 1.5, "1", null, true, 1e300])("takes %j for no project id", async (id) => {
    const answer = await create({ name: "ids", project_ids: [id] })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.json.errors)).toHaveLength(1)
    expect(Object.keys(answer.json.errors)[0]).toMatch(/^project_ids/)
  })

  it("lets a project be in one app, and frees it again", async () => {
    const projectId = await newProject("contested")
    const first = (await create({ name: "first", project_ids: [projectId] })).json
    const second = (await create({ name: "second" })).json
    expect(second.project_ids).toEqual([])
    const refused = await update(second.id, { name: "renamed", project_ids: [projectId] })
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      { project_ids: [`contains projects of other apps: ${projectId}`] },
    ])
    expect((await update(second.id, {})).json).toMatchObject({ name: "second", project_ids: [] })
    expect((await update(first.id, { project_ids: [] })).json.project_ids).toEqual([])
    expect((await update(second.id, { project_ids: [projectId] })).json.project_ids).toEqual([projectId])
    expect((await remove(second.id)).status).toBe(204)
    expect((await errata.api(`/projects/${projectId}`)).status).toBe(200)
    expect((await update(first.id, { project_ids: [projectId] })).json.project_ids).toEqual([projectId])
    await remove(first.id)
  })

  it("changes the name alone, or the projects alone", async () => {
    const projectId = await newProject("steady")
    const { id, ...before } = (await create({ name: "old", project_ids: [projectId] })).json
    const other = (await create({ name: "taken" })).json
    expect((await update(id, { name: "new" })).json).toMatchObject({ name: "new", project_ids: [projectId] })
    expect((await update(id, { project_ids: [] })).json).toMatchObject({ name: "new", project_ids: [] })
    const refused = await update(id, { name: "taken", project_ids: [projectId] })
    expect([refused.status, refused.json.errors]).toEqual([422, { name: ["has already been taken"] }])
    const unchanged = (await update(id, undefined)).json
    expect(unchanged).toMatchObject({ id, name: "new", project_ids: [], created_at: before.created_at })
    await Promise.all([remove(id), remove(other.id)])
  })

  it("shows members what is theirs, and lets admins alone change it", async () => {
    const shared = (await create({ name: "shared", project_ids: [errata.mine.id, errata.theirs.id] })).json
    const hidden = (await create({ name: "hidden" })).json
    const listed = (await errata.api("/apps", { key: memberKey })).json
    expect(listed.apps).toEqual([{ ...shared, project_ids: [errata.mine.id] }])
    for (const answer of [
      await create({ name: "x" }, memberKey),
      await create("{", memberKey),
      await update(shared.id, { name: "x" }, memberKey),
      await update(999_999, { name: "x" }, memberKey),
      await remove(shared.id, memberKey),
    ]) {
      expect([answer.status, answer.json.title]).toEqual([403, "Forbidden"])
    }
    expect((await errata.api("/apps")).json.apps).toEqual([hidden, shared])
    await Promise.all([remove(shared.id), remove(hidden.id)])
  })

  it("pages", async () => {
    const ids: Array<number> = []
    for (const name of ["a", "b", "c"]) ids.unshift((await create({ name })).json.id)
    const first = (await errata.api("/apps?limit=2")).json
    expect([first.apps.map(({ id }: { id: number }) => id), first.has_more]).toEqual([ids.slice(0, 2), true])
    const second = (await errata.api(`/apps?limit=2&cursor=${first.next_cursor}`)).json
    expect(second.apps.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2))
    expect([second.next_cursor, second.has_more]).toEqual([null, false])
    expect((await errata.api("/apps?limit=0")).status).toBe(422)
    for (const id of ids) await remove(id)
  })

  it.each(["999999", "0", "abc", "1.5"])("finds no app %s", async (id) => {
    expect([(await update(id, { name: "x" })).status, (await remove(id)).status]).toEqual([404, 404])
  })
})
