import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe.each(["node", "web"] as const)("ProjectHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const create = (body: unknown, key?: string) =>
    errata.api("/projects", { method: "POST", body, ...(key === undefined ? {} : { key }) })

  describe("POST /projects", () => {
    it("creates a project and answers all of it", async () => {
      const answer = await create({ name: "shop", platform: "ruby", timezone: "Europe/Berlin" })
      expect(answer.status).toBe(201)
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.json).toEqual({
        id: expect.any(Number),
        name: "shop",
        platform: "ruby",
        timezone: "Europe/Berlin",
        token: expect.stringMatching(/^[0-9a-f]{32}$/),
        groups_count: 0,
        reports_count: 0,
        muted: false,
        muted_at: null,
        muted_until: null,
        muter_id: null,
        first_report_at: null,
        last_report_at: null,
        last_contact_at: null,
        created_at: timestamp,
        updated_at: timestamp,
      })
      expect((await errata.api(`/projects/${answer.json.id}`)).json).toEqual(answer.json)
    })

    it("fills in what is left out", async () => {
      const { json } = await create({ name: "defaults" })
      expect([json.platform, json.timezone]).toEqual(["other", "UTC"])
    })

    it("ignores keys that it does not know", async () => {
      const { json, status } = await create({ name: "extra", token: "mine", id: 7, nested: { name: "no" } })
      expect(status).toBe(201)
      expect(json.token).not.toBe("mine")
    })

    it("ignores wrapper keys", async () => {
      const { json, status } = await create({ project: { name: "wrapped" } })
      expect(status).toBe(422)
      expect(Object.keys(json.errors)).toEqual(["name"])
    })

    it.each([
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "  " }, "name"],
      [{ name: "mine" }, "name"],
      [{ name: "x".repeat(201) }, "name"],
      [{ name: 5 }, "name"],
      [{ name: null }, "name"],
      [{ name: ["x"] }, "name"],
      [{ name: "nul\0" }, "name"],
      [{ name: "lone \ud800" }, "name"],
      [{ name: "ok", platform: "" }, "platform"],
      [{ name: "ok", platform: "x".repeat(65) }, "platform"],
      [{ name: "ok", platform: 1 }, "platform"],
      [{ name: "ok", timezone: "Nowhere/Land" }, "timezone"],
      [{ name: "ok", timezone: "+02:00" }, "timezone"],
      [{ name: "ok", timezone: false }, "timezone"],
      [[], "base"],
      [[{ name: "x" }], "base"],
      ['"text"', "base"],
      ["5", "base"],
      ["null", "base"],
    ])("refuses %j", async (body, field) => {
      const answer = await create(body)
      expect(answer.status).toBe(422)
      expect(answer.headers.get("content-type")).toBe("application/problem+json")
      expect(answer.json.type).toMatch(/\/problems\/validation-error$/)
      expect(answer.json.title).toBe("Validation Error")
      expect(Object.keys(answer.json.errors)).toEqual([field])
      expect(answer.json.errors[field]).toEqual([expect.any(String)])
    })

    it("names all that is wrong at once", async () => {
      const { json } = await create({ name: 1, platform: 2, timezone: 3 })
      expect(Object.keys(json.errors).sort()).toEqual(["name", "platform", "timezone"])
    })

    it.each([["{"], ["{'name': 'x'}"], ["name=x"], ["\u0000"]])("answers 400 to %j", async (body) => {
      const answer = await create(body)
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ type: "about:blank", title: "Bad Request", status: 400 })
    })

    it("takes JSON of any name and without one, and nothing else", async () => {
      const post = (name: string, contentType: string | null) =>
        errata.api("/projects", {
          method: "POST",
          // A blob has no content type of its own; text would get one.
          body: JSON.stringify({ name }),
          headers: contentType === null ? {} : { "content-type": contentType },
        })
      expect((await post("type-1", "application/json; charset=utf-8")).status).toBe(201)
      expect((await post("type-2", "Application/JSON")).status).toBe(201)
      expect((await post("type-3", "application/vnd.errata+json")).status).toBe(201)
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"]) {
        const answer = await post("type-4", type)
        expect(answer.status).toBe(415)
        expect(answer.json).toMatchObject({ title: "Unsupported Media Type", status: 415 })
      }
    })

    it("takes no encoded body", async () => {
      const post = (coding: string) =>
        errata.api("/projects", {
          method: "POST",
          body: JSON.stringify({ name: `coding ${coding}` }),
          headers: { "content-encoding": coding },
        })
      expect((await post("identity")).status).toBe(201)
      expect((await post("gzip")).status).toBe(415)
    })

    it("answers 422 to no body, whatever its type is said to be", async () => {
      for (const headers of [{}, { "content-type": "text/plain" }]) {
        const answer = await errata.api("/projects", { method: "POST", headers })
        expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["name"]])
      }
    })

    it("takes a body of 1 MiB and no larger one", async () => {
      const padded = (bytes: number) => {
        const start = '{"name":"large","x":"'
        return `${start}${"x".repeat(bytes - start.length - 2)}"}`
      }
      expect((await create(padded(1024 * 1024))).status).toBe(201)
      const answer = await create(padded(1024 * 1024 + 1))
      expect(answer.status).toBe(413)
      expect(answer.json).toMatchObject({ title: "Content Too Large", status: 413 })
    })

    it("rejects deep nesting, also in keys that it ignores", async () => {
      const depth = 100_000
      const { status } = await create(`{"name":"deep","x":${"[".repeat(depth)}${"]".repeat(depth)}}`)
      expect(status).toBe(422)
    })

    it("is for admins, before anything else is looked at", async () => {
      for (const body of [{ name: "no" }, {}, "{", undefined]) {
        const answer = await create(body, memberKey)
        expect(answer.status).toBe(403)
        expect(answer.json).toMatchObject({ title: "Forbidden", status: 403 })
        expect(answer.json.type).toMatch(/\/problems\/forbidden$/)
      }
    })
  })

  describe("GET /projects", () => {
    it("answers the newest first, to members their own", async () => {
      const admin = await errata.api("/projects?limit=100")
      const ids = admin.json.projects.map(({ id }: { id: number }) => id)
      expect(ids).toEqual([...ids].sort((a, b) => b - a))
      expect(ids).toContain(errata.theirs.id)
      expect([admin.json.next_cursor, admin.json.has_more]).toEqual([null, false])
      const member = await errata.api("/projects", { key: memberKey })
      expect(member.json.projects.map(({ name }: { name: string }) => name)).toEqual(["mine"])
    })

    it("finds an exact name among those visible", async () => {
      const names = async (name: string, key?: string) =>
        (await errata.api(`/projects?name=${name}`, key === undefined ? {} : { key })).json.projects.length
      expect(await names("theirs")).toBe(1)
      expect(await names("their")).toBe(0)
      expect(await names("theirs", memberKey)).toBe(0)
      expect((await errata.api("/projects?name=%00")).status).toBe(422)
    })

    it("pages", async () => {
      const first = (await errata.api("/projects?limit=1")).json
      expect([first.projects.length, first.has_more]).toEqual([1, true])
      expect(first.next_cursor).toBe(first.projects[0].id)
      const second = (await errata.api(`/projects?limit=1&cursor=${first.next_cursor}`)).json
      expect(second.projects[0].id).toBeLessThan(first.projects[0].id)
      const last = (await errata.api("/projects?cursor=1")).json
      expect(last).toEqual({ projects: [], next_cursor: null, has_more: false })
    })
  })

  describe("GET /projects/{project_id}", () => {
    it("answers to members with the token", async () => {
      const answer = await errata.api(`/projects/${errata.mine.id}`, { key: memberKey })
      expect(answer.status).toBe(200)
      expect(answer.json.token).toBe(errata.mine.token)
    })

    it("answers alike for a project of others and for one that is not there", async () => {
      const [theirs, unknown] = await Promise.all(
        [errata.theirs.id, 999_999].map((id) => errata.api(`/projects/${id}`, { key: memberKey })),
      )
      expect([theirs!.status, theirs!.text]).toEqual([404, unknown!.text])
    })

    it.each([
      "abc",
      "0",
      "-1",
      "1.5",
      "1e3",
      "0x1",
      "01",
      "+1",
      "%201",
      "1%00",
      "%F0%9F%92%A9",
      "99999999999999999999",
      "null",
      "%zz",
    ])("finds no project %s", async (id) => {
      const answer = await errata.api(`/projects/${id}`)
      expect(answer.status).toBe(404)
      expect(answer.json).toMatchObject({ type: "about:blank", title: "Not Found", status: 404 })
    })
  })
})
