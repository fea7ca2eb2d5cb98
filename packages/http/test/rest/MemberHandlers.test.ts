import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("MemberHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const path = (project: { readonly id: number }, user = "") => `/projects/${project.id}/users${user}`
  const add = (project: { readonly id: number }, body: unknown, key?: string) =>
    errata.api(path(project), { method: "POST", body, ...(key === undefined ? {} : { key }) })
  const remove = (project: { readonly id: number }, id: number | string, key?: string) =>
    errata.api(path(project, `/${id}`), { method: "DELETE", ...(key === undefined ? {} : { key }) })
  const names = async (project: { readonly id: number }) =>
    (await errata.api(path(project))).json.users.map(({ name }: { name: string }) => name)

  it("adds and removes members, who may do so much from the next request on", async () => {
    expect(await names(errata.theirs)).toEqual(["admin"])
    const body = { user_id: errata.memberId }
    const added = await add(errata.theirs, body)
    expect([added.status, added.text]).toEqual([204, ""])
    expect((await add(errata.theirs, body)).status).toBe(204)
    expect(await names(errata.theirs)).toEqual(["member", "admin"])
    expect((await errata.api(`/projects/${errata.theirs.id}`, { key: memberKey })).status).toBe(200)
    expect((await errata.api(`/users/${errata.memberId}`)).json.project_ids).toEqual([
      errata.mine.id,
      errata.theirs.id,
    ])

    const removed = await remove(errata.theirs, errata.memberId)
    expect([removed.status, removed.text]).toEqual([204, ""])
    expect((await remove(errata.theirs, errata.memberId)).status).toBe(204)
    expect((await errata.api(`/projects/${errata.theirs.id}`, { key: memberKey })).status).toBe(404)
    expect((await errata.api(`/users/${errata.memberId}`)).json).toMatchObject({
      active: true,
      project_ids: [errata.mine.id],
    })
  })

  it("lists users in pages, as they are shown everywhere", async () => {
    const first = (await errata.api(`${path(errata.mine)}?limit=1`)).json
    expect(first.users).toEqual([(await errata.api(`/users/${errata.memberId}`)).json])
    expect([first.next_cursor, first.has_more]).toEqual([errata.memberId, true])
    const second = (await errata.api(`${path(errata.mine)}?limit=1&cursor=${first.next_cursor}`)).json
    expect(second).toMatchObject({ users: [{ role: "admin" }], next_cursor: null, has_more: false })
  })

  it.each([
    undefined,
    {},
    { user_id: null },
    { user_id: "2" },
    { user_id: 1.5 },
    { user_id: 0 },
    { user_id: 999_999 },
  ])("refuses to add %j", async (body) => {
    const answer = await add(errata.mine, body)
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["user_id"]])
  })

  it("removes nobody in peace", async () => {
    expect((await remove(errata.mine, 999_999)).status).toBe(204)
    expect((await remove(errata.mine, "abc")).status).toBe(404)
  })

  it("is for admins", async () => {
    const body = { user_id: errata.memberId }
    for (const project of [errata.mine, errata.theirs]) {
      expect((await errata.api(path(project), { key: memberKey })).status).toBe(403)
      expect((await add(project, body, memberKey)).status).toBe(403)
      expect((await remove(project, errata.memberId, memberKey)).status).toBe(403)
    }
    const none = { id: 999_999 }
    expect((await errata.api(path(none))).status).toBe(404)
    expect([(await add(none, body)).status, (await remove(none, errata.memberId)).status]).toEqual([404, 404])
  })
})
