/** Bulk changes, merging and assignment over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("GroupHandlers' changes (%s)", (transport) => {
  let errata: TestInstance
  let groups: string
  let foreign: string
  let foreignGroup: number
  let adminId: number

  beforeAll(async () => {
    errata = await start({ transport })
    groups = `/projects/${errata.mine.id}/groups`
    foreign = `/projects/${errata.theirs.id}/groups`
    foreignGroup = (await errata.report({ message: "foreign" }, errata.theirs)).group_id
    adminId = errata.memberId - 1
  })
  afterAll(() => errata.stop())

  let serial = 0
  const event = () => ({ fingerprint: [`changes ${serial++}`], message: "changed" })
  const group = async (): Promise<number> => (await errata.report(event())).group_id
  const get = async (id: number) => (await errata.api(`${groups}/${id}`)).json
  const call = (method: string, id: number, action: string, body?: unknown, key?: string) =>
    errata.api(`${groups}/${id}/${action}`, {
      method,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
    })

  describe.each([
    ["bulk_resolve", "resolved", "resolve"],
    ["bulk_mute", "muted", "mute"],
  ] as const)("%s", (action, flag, single) => {
    it("changes those that need it, and counts them", async () => {
      const [anchor, a, b, done] = [await group(), await group(), await group(), await group()]
      await call("POST", done, single)
      const group_ids = [a, b, a, done, 999_999, -1, 0, foreignGroup]
      const changed = await call("POST", anchor, action, { group_ids, extra: true }, memberKey)
      expect([changed.status, changed.text]).toEqual([200, '{"processed":2}'])
      for (const id of [a, b, done]) expect((await get(id))[flag]).toBe(true)
      expect((await get(anchor))[flag]).toBe(false)
      expect((await get(a)).notes_count).toBe(1)
      expect((await errata.api(`${foreign}/${foreignGroup}`)).json[flag]).toBe(false)

      expect((await call("POST", anchor, action, { group_ids })).json).toEqual({ processed: 0 })
      const undone = await call("DELETE", anchor, action, { group_ids: [a, done, anchor] }, memberKey)
      expect([undone.status, undone.json]).toEqual([200, { processed: 2 }])
      for (const [id, expected] of [
        [a, false],
        [b, true],
        [done, false],
      ] as const) {
        expect((await get(id))[flag]).toBe(expected)
      }
    })

    it("takes a thousand ids, none of which has to be known", async () => {
      const anchor = await group()
      const group_ids = Array.from({ length: 1000 }, (_, i) => 1_000_000 + i)
      expect((await call("POST", anchor, action, { group_ids })).json).toEqual({ processed: 0 })
    })
  })

  it("mutes for ever, and leaves other mutes as they are", async () => {
    const [a, b] = [await group(), await group()]
    await call("POST", b, "mute", { occurrences: 5 })
    expect((await call("POST", a, "bulk_mute", { group_ids: [a, b] })).json).toEqual({ processed: 1 })
    expect(await get(a)).toMatchObject({
      muter_id: adminId,
      muted_until: null,
      muted_until_reports_count: null,
    })
    expect((await get(b)).muted_until_reports_count).toBe(6)
  })

  describe("bulk_merge", () => {
    it("moves everything to the target", async () => {
      const [toTarget, toSource] = [event(), event()]
      const target = (await errata.report(toTarget)).group_id
      const source = (await errata.report({ ...toSource, level: "fatal" })).group_id
      await errata.report(toSource)
      const answer = await call("POST", target, "bulk_merge", { group_ids: [source, 999_999] }, memberKey)
      expect([answer.status, answer.json]).toEqual([200, { processed: 1, merged_into_id: target }])
      expect(await get(target)).toMatchObject({ reports_count: 3, severity: "fatal", notes_count: 1 })
      const gone = await errata.api(`${groups}/${source}`)
      expect([gone.status, gone.json.merged_into_id]).toEqual([404, target])
      const { json } = await errata.api(`${groups}?limit=100`)
      expect(json.groups.map(({ id }: { id: number }) => id)).not.toContain(source)
      expect((await errata.report(toSource)).group_id).toBe(target)
    })

    it("is refused as a whole", async () => {
      const [target, source, merged] = [await group(), await group(), await group()]
      await call("POST", target, "bulk_merge", { group_ids: [merged] })
      for (const [into, group_ids] of [
        [target, [source, target]],
        [target, [source, merged]],
        [merged, [source]],
      ] as const) {
        const answer = await call("POST", into, "bulk_merge", { group_ids })
        expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["group_ids"]])
      }
      expect(await get(source)).toMatchObject({ id: source, reports_count: 1 })
      expect((await get(target)).reports_count).toBe(2)
      expect((await call("POST", 999_999, "bulk_merge", { group_ids: [source] })).status).toBe(404)
    })

    it("skips groups of other projects", async () => {
      const target = await group()
      const answer = await call("POST", target, "bulk_merge", { group_ids: [foreignGroup] })
      expect([answer.status, answer.json]).toEqual([200, { processed: 0, merged_into_id: target }])
      expect((await errata.api(`${foreign}/${foreignGroup}`)).status).toBe(200)
    })
  })

  describe.each([
    ["POST", "bulk_resolve"],
    ["DELETE", "bulk_resolve"],
    ["POST", "bulk_mute"],
    ["DELETE", "bulk_mute"],
    ["POST", "bulk_merge"],
  ] as const)("%s %s", (method, action) => {
    it.each([
      [undefined],
      [{}],
      [{ group: { group_ids: [1] } }],
      [{ group_ids: null }],
      [{ group_ids: 1 }],
      [{ group_ids: "1" }],
      [{ group_ids: { 0: 1 } }],
      [{ group_ids: [] }],
      [{ group_ids: ["1"] }],
      [{ group_ids: [1.5] }],
      [{ group_ids: [null] }],
      [{ group_ids: [[1]] }],
      [{ group_ids: [1e300] }],
    ])("refuses %j", async (body) => {
      const id = await group()
      const answer = await call(method, id, action, body)
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.json.errors).map((field) => field.split(".")[0])).toEqual(["group_ids"])
    })

    it("refuses more than a thousand ids", async () => {
      const group_ids = Array.from({ length: 1001 }, (_, i) => i + 1)
      const answer = await call(method, await group(), action, { group_ids })
      expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["group_ids"]])
    })

    it("is there on groups only that are the caller's", async () => {
      const id = await group()
      const closed = await errata.api(`${foreign}/${foreignGroup}/${action}`, {
        method,
        key: memberKey,
        body: { group_ids: [] },
      })
      expect(closed.status).toBe(404)
      expect((await call(method, foreignGroup, action, { group_ids: [id] })).status).toBe(404)
      expect((await call(method, 999_999, action, { group_ids: [id] })).status).toBe(404)
      expect((await call(method, id, action, "{")).status).toBe(400)
    })
  })

  describe("assignee", () => {
    it("is set, replaced and taken away", async () => {
      const id = await group()
      const assigned = await call("PUT", id, "assignee", { user_id: errata.memberId }, memberKey)
      expect([assigned.status, assigned.text]).toEqual([204, ""])
      expect(await get(id)).toMatchObject({ assignee_id: errata.memberId, notes_count: 1 })
      expect((await call("PUT", id, "assignee", { user_id: errata.memberId })).status).toBe(204)
      expect((await call("PUT", id, "assignee", { user_id: adminId })).status).toBe(204)
      expect(await get(id)).toMatchObject({ assignee_id: adminId, notes_count: 2 })
      const { json } = await errata.api(`${groups}?query=assignee:me`)
      expect(json.groups.map((found: { id: number }) => found.id)).toEqual([id])
      const taken = await call("DELETE", id, "assignee", undefined, memberKey)
      expect([taken.status, taken.text]).toEqual([204, ""])
      expect((await call("DELETE", id, "assignee")).status).toBe(204)
      expect(await get(id)).toMatchObject({ assignee_id: null, notes_count: 3 })
    })

    it.each([
      [undefined],
      [{}],
      [{ assignee: { user_id: 1 } }],
      [{ user_id: null }],
      [{ user_id: "1" }],
      [{ user_id: 0 }],
      [{ user_id: -1 }],
      [{ user_id: 1.5 }],
      [{ user_id: 1e300 }],
      [{ user_id: 999_999 }],
    ])("refuses %j", async (body) => {
      const id = await group()
      const answer = await call("PUT", id, "assignee", body)
      expect([answer.status, Object.keys(answer.json.errors ?? {})]).toEqual([422, ["user_id"]])
      expect((await get(id)).assignee_id).toBeNull()
    })

    it("can only be who has access to the project", async () => {
      const answer = await errata.api(`${foreign}/${foreignGroup}/assignee`, {
        method: "PUT",
        body: { user_id: errata.memberId },
      })
      expect([answer.status, answer.json.errors]).toEqual([
        422,
        { user_id: ["is not an active user with access to the project"] },
      ])
    })

    it("is closed to those who are not members", async () => {
      for (const method of ["PUT", "DELETE"]) {
        const path = `${foreign}/${foreignGroup}/assignee`
        const answer = await errata.api(path, {
          method,
          key: memberKey,
          ...(method === "PUT" ? { body: {} } : {}),
        })
        expect([method, answer.status]).toEqual([method, 404])
        expect((await call(method, 999_999, "assignee", { user_id: adminId })).status).toBe(404)
      }
    })
  })
})
