import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe.each(["node", "web"] as const)("SourcemapOriginHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const path = (project: { readonly id: number }, id: number | string = "") =>
    `/projects/${project.id}/hosted_sourcemap_origins${id === "" ? "" : `/${id}`}`
  const create = (origin: unknown, project: { readonly id: number } = errata.mine, key?: string) =>
    errata.api(path(project), { method: "POST", body: { origin }, ...(key === undefined ? {} : { key }) })
  const remove = (id: number | string, project: { readonly id: number } = errata.mine) =>
    errata.api(path(project, id), { method: "DELETE" })

  it("creates an origin in its canonical form", async () => {
    const answer = await create("HTTPS://CDN.example.com:443/")
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.any(Number),
      origin: "https://cdn.example.com",
      created_at: timestamp,
      updated_at: timestamp,
    })
    const list = (await errata.api(path(errata.mine))).json
    expect(list).toEqual({ hosted_sourcemap_origins: [answer.json], next_cursor: null, has_more: false })
    const again = await create("https://cdn.example.com")
    expect([again.status, again.json.errors]).toEqual([422, { origin: ["has already been taken"] }])
    expect((await create("https://cdn.example.com", errata.theirs)).status).toBe(201)
  })

  it.each([
    undefined,
    null,
    5,
    "",
    "http://cdn.example.com",
    "https://cdn.example.com/maps",
    "https://cdn.example.com?a",
    "https://cdn.example.com#a",
    "https://user@cdn.example.com",
    "https://*.example.com",
    "https://192.0.2.1",
    "https://[2001:db8::1]",
    "https://localhost",
    "nul\0",
  ])("refuses %j", async (origin) => {
    const answer = await create(origin)
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["origin"]])
  })

  it("takes ten a project, in pages, and one more where one has gone", async () => {
    const project = (await errata.api("/projects", { method: "POST", body: { name: "origins" } })).json
    const ids: Array<number> = []
    for (let i = 0; i < 10; i++) ids.push((await create(`https://cdn${i}.example.com`, project)).json.id)
    const refused = await create("https://cdn10.example.com", project)
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ["origin"]])
    const page = (await errata.api(`${path(project)}?limit=9`)).json
    expect(page.hosted_sourcemap_origins.map(({ id }: { id: number }) => id)).toEqual(ids.slice(1).reverse())
    expect([page.next_cursor, page.has_more]).toEqual([ids[1], true])

    const removed = await remove(ids[0]!, project)
    expect([removed.status, removed.text]).toEqual([204, ""])
    expect((await remove(ids[0]!, project)).status).toBe(404)
    expect((await create("https://cdn10.example.com", project)).status).toBe(201)
  })

  it("finds an origin in its own project only", async () => {
    const { id } = (await create("https://own.example.com")).json
    expect((await remove(id, errata.theirs)).status).toBe(404)
    expect((await remove("abc")).status).toBe(404)
    expect((await remove(id)).status).toBe(204)
  })

  it("is for admins", async () => {
    const { id } = (await create("https://admins.example.com")).json
    expect((await errata.api(path(errata.mine), { key: memberKey })).status).toBe(403)
    expect((await create("https://members.example.com", errata.mine, memberKey)).status).toBe(403)
    const removal = await errata.api(path(errata.mine, id), { method: "DELETE", key: memberKey })
    expect(removal.status).toBe(403)
    expect((await errata.api(path({ id: 999_999 }))).status).toBe(404)
  })
})
