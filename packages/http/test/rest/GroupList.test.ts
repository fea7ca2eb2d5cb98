import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { groupKeys } from "../support/groupKeys.js"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("GroupHandlers: lists (%s)", (transport) => {
  let errata: TestInstance
  let groups: string

  beforeAll(async () => {
    errata = await start({ transport })
    groups = `/projects/${errata.mine.id}/groups`
  })
  afterAll(() => errata.stop())

  let serial = 0
  /** A new group; its id. */
  const group = async (event: Record<string, unknown> = {}): Promise<number> => {
    const type = `Error${String.fromCharCode(65 + (serial % 26))}${"x".repeat(1 + serial++ / 26)}`
    const report = await errata.report({ exception: { values: [{ type, value: "went wrong" }] }, ...event })
    return report.group_id
  }

  const post = (id: number, action: string) => errata.api(`${groups}/${id}/${action}`, { method: "POST" })
  const ids = async (query: string): Promise<Array<number>> =>
    (await errata.api(`${groups}?limit=100&${query}`)).json.groups.map(({ id }: { id: number }) => id)

  describe("GET groups", () => {
    it("answers list items without grouping, the newest first", async () => {
      const [older, newer] = [await group(), await group()]
      const answer = await errata.api(groups, { key: memberKey })
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.json)).toEqual(["groups", "next_cursor", "has_more"])
      expect(answer.json.groups.slice(0, 2).map(({ id }: { id: number }) => id)).toEqual([newer, older])
      for (const item of answer.json.groups) expect(Object.keys(item)).toEqual(groupKeys)
    })

    it("has 25 items unless told, and 100 at most", async () => {
      for (let i = 0; i < 4; i++) {
        await Promise.all(Array.from({ length: 26 }, () => group()))
      }
      const page = async (query: string) => (await errata.api(`${groups}?${query}`)).json
      expect((await page("")).groups).toHaveLength(25)
      expect((await page("limit=3")).groups).toHaveLength(3)
      for (const limit of ["100", "101", "5000", "99999999999999999999999"]) {
        expect((await page(`limit=${limit}`)).groups).toHaveLength(100)
      }
      const seen: Array<number> = []
      let cursor: number | null = null
      do {
        const next = await page(`limit=40${cursor === null ? "" : `&cursor=${cursor}`}`)
        seen.push(...next.groups.map(({ id }: { id: number }) => id))
        expect(next.has_more).toBe(next.next_cursor !== null)
        if (next.next_cursor !== null) expect(next.next_cursor).toBe(next.groups.at(-1).id)
        // What comes in meanwhile disturbs no page.
        await group()
        cursor = next.next_cursor
      } while (cursor !== null)
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen).toEqual([...seen].sort((a, b) => b - a))
      expect(seen.length).toBeGreaterThan(104)
      expect((await page("cursor=99999999999999999999999")).groups).toHaveLength(25)
      expect(await page("cursor=1")).toEqual({ groups: [], next_cursor: null, has_more: false })
    })

    it.each([
      ["limit=0", "limit"],
      ["limit=-1", "limit"],
      ["limit=1.5", "limit"],
      ["limit=abc", "limit"],
      ["limit=", "limit"],
      ["limit=+5", "limit"],
      ["limit=1e2", "limit"],
      ["limit=0x10", "limit"],
      ["limit=1&limit=2", "limit"],
      ["cursor=0", "cursor"],
      ["cursor=-5", "cursor"],
      ["cursor=x", "cursor"],
      ["cursor=null", "cursor"],
      ["status=open", "status"],
      ["status=", "status"],
      ["status=Resolved", "status"],
      ["resolved=yes", "resolved"],
      ["resolved=", "resolved"],
      ["resolved=2", "resolved"],
      ["since=yesterday", "since"],
      ["since=2025-02-30", "since"],
      ["since=", "since"],
      ["until=2025-13-01", "until"],
      ["until=1700000000", "until"],
      [`query=${"x".repeat(1001)}`, "query"],
    ])("refuses %s", async (query, field) => {
      const answer = await errata.api(`${groups}?${query}`)
      expect(answer.status).toBe(422)
      expect(answer.headers.get("content-type")).toBe("application/problem+json")
      expect(answer.json).toMatchObject({ title: "Validation Error", status: 422 })
      expect(Object.keys(answer.json.errors)).toEqual([field])
      expect(answer.json.errors[field]).toEqual([expect.any(String)])
    })

    it("takes a query of any text up to its limit", async () => {
      for (const query of [
        "x".repeat(1000),
        "%00",
        "tags.a:%00b",
        "is:",
        '"',
        "%FF",
        "is:muted:foo !!",
        "%5C",
      ]) {
        expect([query, (await errata.api(`${groups}?query=${query}`)).status]).toEqual([query, 200])
      }
      expect((await errata.api(`${groups}?unknown=1&groups[]=2`)).status).toBe(200)
    })

    it("filters by status, resolution and severity", async () => {
      const open = await group()
      const resolved = await group()
      const muted = await group()
      const fatal = await group({ level: "fatal" })
      await post(resolved, "resolve")
      await post(muted, "mute")
      const of = async (query: string) => {
        const found = new Set(await ids(query))
        return [open, resolved, muted, fatal].filter((id) => found.has(id))
      }
      const unresolved = [open, muted, fatal]
      for (const query of [
        "status=unresolved",
        "resolved=false",
        "resolved=unresolved",
        "resolved=0",
        "query=is:unresolved",
        "query=!is:resolved",
        "query=is:resolved+is:unresolved",
      ]) {
        expect([query, await of(query)]).toEqual([query, unresolved])
      }
      for (const query of [
        "status=resolved",
        "resolved=true",
        "resolved=resolved",
        "resolved=1",
        "query=is:resolved",
        "query=%21is:unresolved",
      ]) {
        expect([query, await of(query)]).toEqual([query, [resolved]])
      }
      expect(await of("status=all")).toEqual([open, resolved, muted, fatal])
      expect(await of("status=muted")).toEqual([muted])
      expect(await of("query=is:muted")).toEqual([muted])
      expect(await of("status=unmuted")).toEqual([open, resolved, fatal])
      expect(await of("query=is:fatal")).toEqual([fatal])
      expect(await of("query=is:fatal,%20error")).toEqual([open, resolved, muted, fatal])
      expect(await of("query=!is:fatal")).toEqual([open, resolved, muted])
      expect(await of("query=is:unresolved+is:fatal")).toEqual([fatal])
      expect(await of("status=resolved&query=is:unresolved")).toEqual([])
      expect(await of("status=unresolved&resolved=true")).toEqual([])
    })

    it("filters by server, environment, tags and text", async () => {
      const id = await group({
        server_name: "web-1",
        environment: "production",
        release: "shop@1.2.3",
        tags: { region: "eu west", server_name: "other" },
        exception: { values: [{ type: "TeapotError", value: "I am a little teapot, short: and stout" }] },
      })
      for (const query of [
        "server_name:web-1",
        "tags.server_name:web-1",
        "environment:production",
        'tags.region:"eu west"',
        "release:shop@1.2.3",
        "TeapotError",
        '"little teapot"',
        "teapot environment:production is:unresolved",
        "error_type:TeapotError",
        "reports_count:1 teapot",
        "assignee:none teapot",
      ]) {
        expect([query, await ids(`query=${encodeURIComponent(query)}`)]).toEqual([query, [id]])
      }
      for (const query of [
        "server_name:web-2 teapot",
        "environment:staging teapot",
        "tags.region:eu teapot",
        '"teapot little"',
        "assignee:me teapot",
      ]) {
        expect([query, await ids(`query=${encodeURIComponent(query)}`)]).toEqual([query, []])
      }
    })

    it("filters by when groups last occurred, bounds included", async () => {
      const day = 24 * 60 * 60 * 1000
      const at = new Date(Date.now() - 5 * day)
      const id = await group({ timestamp: at.toISOString() })
      const date = at.toISOString().slice(0, 10)
      const found = async (query: string) => (await ids(query)).includes(id)
      expect(await found(`since=${date}&until=${date}`)).toBe(true)
      expect(await found(`since=${at.toISOString()}&until=${at.toISOString()}`)).toBe(true)
      expect(await found(`since=${new Date(at.getTime() + 1).toISOString()}`)).toBe(false)
      expect(await found(`until=${new Date(at.getTime() - 1).toISOString()}`)).toBe(false)
      expect(await found(`since=${new Date(at.getTime() + day).toISOString().slice(0, 10)}`)).toBe(false)
      expect(await found(`query=since:${date}+until:${date}`)).toBe(true)
    })
  })
})
