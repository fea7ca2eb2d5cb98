import { AccessPolicy, Actor, CurrentActor, type Role, Users } from "@errata/core"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe.each(["node", "web"] as const)("UserHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  let count = 0
  /** Over the core: users are not created over the API. */
  const create = async (role: Role) => {
    const number = ++count
    const { apiKey, user } = await errata.run(
      Effect.gen(function* () {
        return yield* (yield* Users).create(yield* AccessPolicy.instance("users.administer"), {
          name: `User ${number}`,
          emailAddress: `user${number}@example.com`,
          role,
        })
      }).pipe(Effect.provideService(CurrentActor, Actor.System())),
    )
    return { id: user.id, key: Redacted.value(apiKey) }
  }
  const get = async (id: number) => (await errata.api(`/users/${id}`)).json
  const patch = (id: number, body: unknown, key = adminKey) =>
    errata.api(`/users/${id}`, { method: "PATCH", body, key })
  const remove = (id: number, key = adminKey) => errata.api(`/users/${id}`, { method: "DELETE", key })
  const liveIds = async () =>
    (await errata.api("/projects?limit=100")).json.projects
      .map(({ id }: { id: number }) => id)
      .sort((a: number, b: number) => a - b)

  it("answers a user with the projects that they have access to", async () => {
    const answer = await errata.api(`/users/${errata.memberId}`)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      id: errata.memberId,
      name: "member",
      email_address: "member@example.com",
      role: "member",
      active: true,
      project_ids: [errata.mine.id],
      created_at: timestamp,
      updated_at: timestamp,
    })
    const admin = await create("admin")
    expect((await get(admin.id)).project_ids).toEqual(await liveIds())
  })

  it("lists active users newest first, page by page", async () => {
    const a = await create("member")
    const gone = await create("member")
    const b = await create("admin")
    await remove(gone.id)
    const first = (await errata.api("/users?limit=1")).json
    expect(first.users).toEqual([await get(b.id)])
    expect([first.next_cursor, first.has_more]).toEqual([b.id, true])
    const second = (await errata.api(`/users?limit=1&cursor=${first.next_cursor}`)).json
    expect(second.users).toEqual([await get(a.id)])
    expect((await errata.api("/users?limit=0")).status).toBe(422)
  })

  it("changes roles, with the next request in force", async () => {
    const { id, key } = await create("member")
    expect((await errata.api(`/projects/${errata.theirs.id}`, { key })).status).toBe(404)
    const promoted = await patch(id, { role: "admin" })
    expect([promoted.status, promoted.json.role]).toEqual([200, "admin"])
    expect(promoted.json.project_ids).toEqual(await liveIds())
    expect((await errata.api(`/projects/${errata.theirs.id}`, { key })).status).toBe(200)
    const demoted = await patch(id, { role: "member", name: "Nobody", active: false, project_ids: [1] })
    expect(demoted.json).toMatchObject({ role: "member", active: true, project_ids: [] })
    expect(demoted.json.name).not.toBe("Nobody")
    expect((await errata.api("/users", { key })).status).toBe(403)
  })

  it.each([
    { role: "owner" },
    { role: "Admin" },
    { role: null },
    { role: 1 },
    {},
    { user: { role: "admin" } },
  ])("refuses the change %j", async (body) => {
    const answer = await patch(errata.memberId, body)
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["role"]])
    expect((await get(errata.memberId)).role).toBe("member")
  })

  it("deactivates users, who are out at once and still there to be looked at", async () => {
    const { id, key } = await create("admin")
    expect((await errata.api("/users", { key })).status).toBe(200)
    const removed = await remove(id)
    expect([removed.status, removed.text]).toEqual([204, ""])
    expect((await errata.api("/users", { key })).status).toBe(401)
    expect((await errata.api("/projects", { key })).status).toBe(401)
    expect(await get(id)).toMatchObject({ id, active: false })
    expect((await remove(id)).status).toBe(204)
    const reactivation = await patch(id, { role: "member" })
    expect([reactivation.status, Object.keys(reactivation.json.errors)]).toEqual([422, ["role"]])
  })

  it("keeps the last active admin", async () => {
    const lone = await start({ transport })
    const { users } = (await lone.api("/users")).json
    const { id } = users.find(({ role }: { role: string }) => role === "admin")
    const demotion = await lone.api(`/users/${id}`, { method: "PATCH", body: { role: "member" } })
    expect([demotion.status, Object.keys(demotion.json.errors)]).toEqual([422, ["role"]])
    expect((await lone.api(`/users/${id}`, { method: "DELETE" })).status).toBe(422)
    expect((await lone.api(`/users/${id}`)).json).toMatchObject({ role: "admin", active: true })
    await lone.stop()
  })

  it("is for admins, also about oneself and about nobody", async () => {
    for (const id of [errata.memberId, 999_999]) {
      expect((await errata.api(`/users/${id}`, { key: memberKey })).status).toBe(403)
      expect((await patch(id, { role: "admin" }, memberKey)).status).toBe(403)
      expect((await remove(id, memberKey)).status).toBe(403)
    }
    expect((await errata.api("/users", { key: memberKey })).status).toBe(403)
    expect((await errata.api("/users", { key: null })).status).toBe(401)
  })

  it.each([999_999, "abc", "0", "-1", "%00"])("finds no user %s", async (id) => {
    expect((await errata.api(`/users/${id}`)).status).toBe(404)
    expect((await errata.api(`/users/${id}`, { method: "PATCH", body: { role: "admin" } })).status).toBe(404)
    expect((await errata.api(`/users/${id}`, { method: "DELETE" })).status).toBe(404)
  })
})
