import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe.each(["node", "web"] as const)("NoteHandlers (%s)", (transport) => {
  let errata: TestInstance
  let groups: string
  let foreign: string

  beforeAll(async () => {
    errata = await start({ transport })
    groups = `/projects/${errata.mine.id}/groups`
    const { group_id } = await errata.report({ message: "foreign" }, errata.theirs)
    foreign = `/projects/${errata.theirs.id}/groups/${group_id}/notes`
  })
  afterAll(() => errata.stop())

  let serial = 0
  const group = async (): Promise<number> =>
    (await errata.report({ fingerprint: [`notes ${serial++}`], message: "noted" })).group_id
  const create = (id: number, body: unknown, key?: string) =>
    errata.api(`${groups}/${id}/notes`, { method: "POST", body, ...(key === undefined ? {} : { key }) })
  const list = async (id: number, query = "") => (await errata.api(`${groups}/${id}/notes${query}`)).json
  const remove = (id: number, note: number | string, key?: string) =>
    errata.api(`${groups}/${id}/notes/${note}`, { method: "DELETE", ...(key === undefined ? {} : { key }) })

  it("writes a note and answers all of it", async () => {
    const id = await group()
    const answer = await create(
      id,
      { content: "  It is the cache\n", id: 1, note: { content: "no" } },
      memberKey,
    )
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/json"])
    expect(answer.json).toEqual({
      id: expect.any(Number),
      group_id: id,
      content: "  It is the cache\n",
      automated: false,
      user: { id: errata.memberId, name: "member", email_address: "member@example.com" },
      created_at: timestamp,
    })
    expect(await list(id)).toEqual({ notes: [answer.json], next_cursor: null, has_more: false })
    expect((await errata.api(`${groups}/${id}`)).json.notes_count).toBe(1)
  })

  it.each([
    [{}, "content"],
    [undefined, "content"],
    [{ note: { content: "wrapped" } }, "content"],
    [{ content: " \n" }, "content"],
    [{ content: 5 }, "content"],
    [{ content: null }, "content"],
    [{ content: ["x"] }, "content"],
    [{ content: "nul\0" }, "content"],
    [{ content: "half \ud800" }, "content"],
    [[], "base"],
  ])("refuses %j", async (body, field) => {
    const id = await group()
    const answer = await create(id, body)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.json.errors)).toEqual([field])
    expect((await list(id)).notes).toEqual([])
  })

  it("refuses what is too long", async () => {
    const id = await group()
    const answer = await create(id, { content: "x".repeat(10_001) })
    expect([answer.status, answer.json.errors]).toEqual([
      422,
      { content: ["is too long (maximum is 10000 characters)"] },
    ])
    expect((await create(id, { content: "x".repeat(10_000) })).status).toBe(201)
  })

  it("lists what people and Errata wrote, the newest first, page by page", async () => {
    const id = await group()
    const first = await create(id, { content: "first" })
    await errata.api(`${groups}/${id}/resolve`, { method: "POST", key: memberKey })
    const last = await create(id, { content: "last" })
    const page = await list(id, "?limit=2")
    expect(page).toMatchObject({
      notes: [
        { id: last.json.id, content: "last", automated: false },
        { content: "Resolved", automated: true, user: { id: errata.memberId } },
      ],
      next_cursor: page.notes[1].id,
      has_more: true,
    })
    expect(await list(id, `?limit=2&cursor=${page.next_cursor}`)).toMatchObject({
      notes: [{ id: first.json.id }],
      next_cursor: null,
      has_more: false,
    })
    expect((await errata.api(`${groups}/${id}/notes?limit=0`)).status).toBe(422)
  })

  it("lets authors and admins delete a note", async () => {
    const id = await group()
    const [mine, theirs] = [
      (await create(id, { content: "the member's" }, memberKey)).json.id,
      (await create(id, { content: "the admin's" })).json.id,
    ]
    expect((await remove(id, theirs, memberKey)).status).toBe(403)
    const answer = await remove(id, mine, memberKey)
    expect([answer.status, answer.text]).toEqual([204, ""])
    expect((await remove(id, mine, memberKey)).status).toBe(404)
    expect((await remove(id, theirs)).status).toBe(204)
    expect((await errata.api(`${groups}/${id}`)).json.notes_count).toBe(0)
  })

  it("finds no note under wrong ids", async () => {
    const id = await group()
    const other = await group()
    const note = (await create(id, { content: "here" })).json.id
    for (const answer of [
      await remove(other, note),
      await remove(id, 999_999),
      await remove(id, "abc"),
      await remove(id, 0),
      await remove(999_999, note),
      await create(999_999, { content: "nowhere" }),
      await errata.api(`${groups}/999999/notes`),
    ]) {
      expect([answer.status, answer.json.status]).toEqual([404, 404])
    }
    expect((await list(id)).notes).toHaveLength(1)
  })

  it("names the group that took the notes over", async () => {
    const [target, source] = [await group(), await group()]
    const { id } = (await create(source, { content: "moves" })).json
    await errata.api(`${groups}/${target}/bulk_merge`, { method: "POST", body: { group_ids: [source] } })
    for (const answer of [
      await errata.api(`${groups}/${source}/notes`),
      await create(source, { content: "late" }),
      await remove(source, id),
    ]) {
      expect([answer.status, answer.json.merged_into_id]).toEqual([404, target])
    }
    expect((await list(target)).notes).toMatchObject([
      { content: `Merged with group ${source}`, automated: true },
      { id, group_id: target, content: "moves" },
    ])
    expect((await remove(target, id)).status).toBe(204)
  })

  it("is closed to those who are not members, whatever they ask", async () => {
    for (const [method, path, body] of [
      ["GET", foreign, undefined],
      ["POST", foreign, { content: "" }],
      ["DELETE", `${foreign}/1`, undefined],
    ] as const) {
      const answer = await errata.api(path, { method, key: memberKey, body })
      expect([method, answer.status]).toEqual([method, 404])
    }
  })
})
