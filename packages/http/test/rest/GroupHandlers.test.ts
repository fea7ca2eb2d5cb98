import { AccessPolicy, Actor, CurrentActor, GroupId, GroupStore, ProjectId, Projects } from "@errata/core"
import { DateTime, Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { groupKeys } from "../support/groupKeys.js"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe.each(["node", "web"] as const)("GroupHandlers (%s)", (transport) => {
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
  /** A new group; its id. */
  const group = async (event: Record<string, unknown> = {}): Promise<number> => {
    const type = `Error${String.fromCharCode(65 + (serial % 26))}${"x".repeat(1 + serial++ / 26)}`
    const report = await errata.report({ exception: { values: [{ type, value: "went wrong" }] }, ...event })
    return report.group_id
  }

  const get = async (id: number) => (await errata.api(`${groups}/${id}`)).json
  const post = (id: number, action: string, body?: unknown) =>
    errata.api(`${groups}/${id}/${action}`, { method: "POST", ...(body === undefined ? {} : { body }) })
  const del = (id: number, action: string) => errata.api(`${groups}/${id}/${action}`, { method: "DELETE" })
  const ids = async (query: string): Promise<Array<number>> =>
    (await errata.api(`${groups}?limit=100&${query}`)).json.groups.map(({ id }: { id: number }) => id)

  describe("GET group", () => {
    it("answers every field of the specification", async () => {
      const id = await group({
        level: "fatal",
        transaction: "shop.checkout",
        transaction_info: { source: "route" },
      })
      const answer = await errata.api(`${groups}/${id}`, { key: memberKey })
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(Object.keys(answer.json)).toEqual([...groupKeys, "grouping"])
      expect(answer.json).toMatchObject({
        id,
        project_id: errata.mine.id,
        error_type: expect.stringMatching(/^Error/),
        error_message: "went wrong",
        culprit: "shop.checkout",
        fingerprint: expect.stringMatching(/^v2:[0-9a-f]{64}$/),
        severity: "fatal",
        occurred_at: timestamp,
        first_occurred_at: timestamp,
        last_occurred_at: timestamp,
        reports_count: 1,
        notes_count: 0,
        resolved_at: null,
        resolver_id: null,
        muted_at: null,
        muter_id: null,
        muted_until: null,
        muted_until_reports_count: null,
        project_muted_at: null,
        project_muted_until: null,
        mute_source: null,
        resolved: false,
        muted: false,
        assignee_id: null,
        created_at: timestamp,
        updated_at: timestamp,
        grouping: { algorithm: "v2", compatible_with: [] },
      })
      expect(answer.json.grouping.data).toEqual({
        method: "exception",
        type: answer.json.error_type,
        value: "went wrong",
      })
      expect(answer.json.occurred_at).toBe(answer.json.last_occurred_at)
    })

    it("answers HEAD without a body", async () => {
      const answer = await errata.api(`${groups}/${await group()}`, { method: "HEAD" })
      expect([answer.status, answer.text]).toEqual([200, ""])
      expect((await errata.api(`${groups}/999999`, { method: "HEAD" })).status).toBe(404)
    })

    it("finds nothing under wrong ids", async () => {
      const id = await group()
      for (const path of [
        `${groups}/999999`,
        `${groups}/abc`,
        `${groups}/0`,
        `${groups}/${id}.0`,
        `${groups}/-${id}`,
        `${groups}/0${id}`,
        `${groups}/123456789012345678901234567890`,
        `${groups}/${foreignGroup}`,
        `/projects/999999/groups/${id}`,
        `/projects/abc/groups/${id}`,
      ]) {
        expect([path, (await errata.api(path)).status]).toEqual([path, 404])
      }
    })

    it("names the group that took it over", async () => {
      const [target, source] = [await group(), await group()]
      await errata.run(
        Effect.gen(function* () {
          const store = yield* GroupStore
          const access = yield* AccessPolicy.AccessPolicy
          yield* access.project("groups.change", ProjectId.make(errata.mine.id))
          const found = Option.getOrThrow(yield* store.find(errata.mine.id, GroupId.make(target)))
          const merged = Option.getOrThrow(yield* store.find(errata.mine.id, GroupId.make(source)))
          const now = yield* DateTime.now
          yield* store.merge(found, [{ ...merged, mergedIntoId: found.id }], null, now)
        }).pipe(Effect.provideService(CurrentActor, Actor.System())),
      )
      for (const answer of [
        await errata.api(`${groups}/${source}`),
        await post(source, "resolve"),
        await del(source, "mute"),
        await errata.api(`${groups}/${source}/reports`),
      ]) {
        expect(answer.status).toBe(404)
        expect(answer.json).toMatchObject({ status: 404, merged_into_id: target })
      }
    })
  })

  describe("resolve", () => {
    it("sets and clears the resolution", async () => {
      const id = await group()
      const resolved = await errata.api(`${groups}/${id}/resolve`, { method: "POST", key: memberKey })
      expect([resolved.status, resolved.text, resolved.headers.get("content-type")]).toEqual([204, "", null])
      expect(await get(id)).toMatchObject({
        resolved: true,
        resolved_at: timestamp,
        resolver_id: errata.memberId,
        notes_count: 1,
      })
      expect((await post(id, "resolve")).status).toBe(204)
      expect((await get(id)).resolver_id).toBe(errata.memberId)
      const reopened = await del(id, "resolve")
      expect([reopened.status, reopened.text]).toEqual([204, ""])
      expect(await get(id)).toMatchObject({ resolved: false, resolved_at: null, resolver_id: null })
      expect((await del(id, "resolve")).status).toBe(204)
    })

    it("is undone by a new report", async () => {
      const event = { message: "comes again" }
      const { group_id: id } = await errata.report(event)
      await post(id, "resolve")
      await errata.report(event)
      expect(await get(id)).toMatchObject({ resolved: false, resolved_at: null, reports_count: 2 })
    })

    it("cares for no body, of whatever type", async () => {
      const id = await group()
      for (const [body, type] of [
        ["", "text/plain"],
        ["{", "application/json"],
        ["resolved=true", "application/x-www-form-urlencoded"],
        ['{"group":{"resolved":true}}', "application/json"],
      ] as const) {
        const answer = await errata.api(`${groups}/${id}/resolve`, {
          method: "POST",
          body,
          headers: { "content-type": type },
        })
        expect([answer.status, answer.text]).toEqual([204, ""])
      }
    })
  })

  describe("mute", () => {
    it.each([[undefined], [""], [{}], [{ unknown: 1, group: { occurrences: 5 } }]])(
      "lasts for ever with the body %j",
      async (body) => {
        const id = await group()
        const answer = await post(id, "mute", body)
        expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([204, "", null])
        expect(await get(id)).toMatchObject({
          muted: true,
          muted_at: timestamp,
          muter_id: adminId,
          muted_until: null,
          muted_until_reports_count: null,
          mute_source: "manual",
        })
      },
    )

    it("lasts for so many reports", async () => {
      const event = { message: "muted by count" }
      const { group_id: id } = await errata.report(event)
      expect((await post(id, "mute", { occurrences: 2 })).status).toBe(204)
      expect(await get(id)).toMatchObject({ muted: true, muted_until_reports_count: 3, muted_until: null })
      await errata.report(event)
      expect((await get(id)).muted).toBe(true)
      await errata.report(event)
      expect(await get(id)).toMatchObject({
        muted: false,
        muted_at: null,
        muted_until_reports_count: null,
        mute_source: null,
      })
    })

    it("lasts until a moment", async () => {
      const id = await group()
      const until = "2099-01-02T03:04:05.678Z"
      expect((await post(id, "mute", { snooze_until: until })).status).toBe(204)
      expect(await get(id)).toMatchObject({
        muted: true,
        muted_until: until,
        muted_until_reports_count: null,
      })
      expect((await post(id, "mute", { snooze_until: "2098-01-02T05:04:05+02:00" })).status).toBe(204)
      expect((await get(id)).muted_until).toBe("2098-01-02T03:04:05.000Z")
    })

    it("goes by the count where both are given", async () => {
      const id = await group()
      expect((await post(id, "mute", { occurrences: 4, snooze_until: "2001-01-01T00:00:00Z" })).status).toBe(
        204,
      )
      expect(await get(id)).toMatchObject({ muted_until: null, muted_until_reports_count: 5 })
    })

    it("reads as unmuted once its time has run out", async () => {
      const id = await group()
      await post(id, "mute", { snooze_until: "2099-01-01T00:00:00Z" })
      const past = DateTime.makeUnsafe("2020-01-01T00:00:00Z")
      await errata.run(
        Effect.gen(function* () {
          const store = yield* GroupStore
          const found = Option.getOrThrow(yield* store.find(errata.mine.id, GroupId.make(id)))
          const mute = { at: past, by: null, condition: { _tag: "Until" as const, until: past } }
          yield* store.save([{ ...found, mute }])
        }),
      )
      expect(await get(id)).toMatchObject({
        muted: false,
        mute_source: null,
        muted_until: null,
      })
      expect(await ids("query=is:muted")).not.toContain(id)
    })

    it.each([
      [{ occurrences: 0 }, "occurrences"],
      [{ occurrences: -1 }, "occurrences"],
      [{ occurrences: 1.5 }, "occurrences"],
      [{ occurrences: "5" }, "occurrences"],
      [{ occurrences: true }, "occurrences"],
      [{ occurrences: null }, "occurrences"],
      [{ occurrences: [5] }, "occurrences"],
      [{ occurrences: 1e300 }, "occurrences"],
      [{ snooze_until: "2001-01-01T00:00:00Z" }, "snooze_until"],
      [{ snooze_until: "tomorrow" }, "snooze_until"],
      [{ snooze_until: "" }, "snooze_until"],
      [{ snooze_until: "2099-02-30T00:00:00Z" }, "snooze_until"],
      [{ snooze_until: 4102444800 }, "snooze_until"],
      [{ snooze_until: null }, "snooze_until"],
      [[], "base"],
      ["5", "base"],
      ['"x"', "base"],
    ])("refuses %j and changes nothing", async (body, field) => {
      const id = await group()
      const answer = await post(id, "mute", body)
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.json.errors)).toEqual([field])
      expect((await get(id)).muted).toBe(false)
    })

    it("answers 400, 413 and 415 like every body", async () => {
      const id = await group()
      expect((await post(id, "mute", "{")).status).toBe(400)
      expect((await post(id, "mute", `{"x":"${"x".repeat(1024 * 1024)}"}`)).status).toBe(413)
      const form = await errata.api(`${groups}/${id}/mute`, {
        method: "POST",
        body: "occurrences=5",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
      expect(form.status).toBe(415)
      const empty = await errata.api(`${groups}/${id}/mute`, {
        method: "POST",
        body: "",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
      expect(empty.status).toBe(204)
    })

    it("is cleared, own and inherited", async () => {
      const id = await group()
      await post(id, "mute")
      await errata.run(
        Effect.gen(function* () {
          const access = yield* AccessPolicy.AccessPolicy
          const project = yield* access.project("project.administer", ProjectId.make(errata.mine.id))
          yield* (yield* Projects).mute(project, DateTime.makeUnsafe("2099-01-01T00:00:00Z"))
          yield* (yield* Projects).unmute(project)
        }).pipe(Effect.provideService(CurrentActor, Actor.System())),
      )
      expect(await get(id)).toMatchObject({
        muted: true,
        mute_source: "manual_and_project",
        project_muted_at: timestamp,
        project_muted_until: "2099-01-01T00:00:00.000Z",
      })
      expect((await post(id, "mute", { occurrences: 1 })).status).toBe(204)
      const answer = await errata.api(`${groups}/${id}/mute`, { method: "DELETE", key: memberKey })
      expect([answer.status, answer.text]).toEqual([204, ""])
      expect(await get(id)).toMatchObject({
        muted: false,
        mute_source: null,
        muted_at: null,
        project_muted_at: null,
        project_muted_until: null,
      })
      expect((await del(id, "mute")).status).toBe(204)
    })
  })

  it("is closed to those who are not members, whatever they ask", async () => {
    for (const [method, path] of [
      ["GET", foreign],
      ["GET", `${foreign}/${foreignGroup}`],
      ["GET", `${foreign}/999999`],
      ["POST", `${foreign}/${foreignGroup}/resolve`],
      ["DELETE", `${foreign}/${foreignGroup}/resolve`],
      ["POST", `${foreign}/${foreignGroup}/mute`],
      ["DELETE", `${foreign}/${foreignGroup}/mute`],
    ] as const) {
      const answer = await errata.api(path, { method, key: memberKey })
      expect([method, path, answer.status]).toEqual([method, path, 404])
      expect(answer.json).toMatchObject({ detail: "No such project", status: 404 })
    }
    const invalid = await errata.api(`${foreign}/${foreignGroup}/mute`, {
      method: "POST",
      key: memberKey,
      body: { occurrences: 0 },
    })
    expect(invalid.status).toBe(404)
    expect((await errata.api("/projects/999999/groups", { key: memberKey })).status).toBe(404)
    // A group of another project is none of this one's.
    expect((await errata.api(`${groups}/${foreignGroup}/resolve`, { method: "POST" })).status).toBe(404)
  })
})
