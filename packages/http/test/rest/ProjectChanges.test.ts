import { ProjectPurger, ReportStore } from "@errata/core"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("ProjectHandlers, changes (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  let count = 0
  const create = async () =>
    (await errata.api("/projects", { method: "POST", body: { name: `changed ${count++}` } })).json

  const send = (project: { readonly id: number; readonly token: string }) =>
    errata.fetch(`/api/${project.id}/store/?sentry_key=${project.token}`, {
      method: "POST",
      body: JSON.stringify({ message: "late" }),
    })

  describe("PATCH /projects/{project_id}", () => {
    const patch = (id: number, body: unknown, key?: string) =>
      errata.api(`/projects/${id}`, { method: "PATCH", body, ...(key === undefined ? {} : { key }) })

    it("changes name and time zone, one or both, and answers the project", async () => {
      const before = await create()
      const renamed = await patch(before.id, { name: " renamed " })
      expect(renamed.status).toBe(200)
      expect(renamed.json).toEqual({ ...before, name: "renamed", updated_at: expect.any(String) })
      const both = await patch(before.id, { name: "both", timezone: "America/Lima" })
      expect([both.json.name, both.json.timezone]).toEqual(["both", "America/Lima"])
      expect((await errata.api(`/projects/${before.id}`)).json).toEqual(both.json)
    })

    it("changes nothing else, and nothing without a body", async () => {
      const before = await create()
      const others = { token: "x", id: 1, muted: true, project: { name: "wrapped" } }
      for (const body of [undefined, {}, others]) {
        const answer = await patch(before.id, body)
        expect([answer.status, answer.json]).toEqual([200, before])
      }
    })

    it.each([
      [{ name: "" }, "name"],
      [{ name: "mine" }, "name"],
      [{ name: null }, "name"],
      [{ name: "nul\0" }, "name"],
      [{ name: "x".repeat(201), timezone: "UTC" }, "name"],
      [{ name: "fine", timezone: "Mars/Olympus" }, "timezone"],
      [{ timezone: 5 }, "timezone"],
      [[], "base"],
    ])("refuses %j and changes nothing", async (body, field) => {
      const before = await create()
      const answer = await patch(before.id, body)
      expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]])
      expect((await errata.api(`/projects/${before.id}`)).json).toEqual(before)
    })

    it("is for admins", async () => {
      expect((await patch(errata.mine.id, { name: "no" }, memberKey)).status).toBe(403)
      expect((await patch(errata.theirs.id, { name: "no" }, memberKey)).status).toBe(403)
      expect((await patch(999_999, { name: "no" })).status).toBe(404)
    })
  })

  describe("DELETE /projects/{project_id}", () => {
    const remove = (id: number, key?: string) =>
      errata.api(`/projects/${id}`, { method: "DELETE", ...(key === undefined ? {} : { key }) })

    it("hides the project at once, with all that is in it, and refuses its token", async () => {
      const project = await create()
      expect((await send(project)).status).toBe(200)
      await errata.api(`/projects/${project.id}/users`, {
        method: "POST",
        body: { user_id: errata.memberId },
      })
      const removed = await remove(project.id)
      expect([removed.status, removed.text]).toEqual([204, ""])
      for (const path of ["", "/groups", "/users", "/notification_settings", "/hosted_sourcemap_origins"]) {
        expect((await errata.api(`/projects/${project.id}${path}`)).status).toBe(404)
      }
      expect((await errata.api(`/projects/${project.id}`, { key: memberKey })).status).toBe(404)
      expect((await errata.api(`/projects?name=${encodeURIComponent(project.name)}`)).json.projects).toEqual(
        [],
      )
      const member = (await errata.api(`/users/${errata.memberId}`)).json
      expect(member.project_ids).toEqual([errata.mine.id])
      expect((await send(project)).status).toBe(403)
      expect((await remove(project.id)).status).toBe(404)
    })

    it("frees the name", async () => {
      const { id, name } = await create()
      await remove(id)
      expect((await errata.api("/projects", { method: "POST", body: { name } })).status).toBe(201)
    })

    it("purges what was there and what was accepted before", async () => {
      const project = await create()
      const sent = await send(project)
      expect(sent.status).toBe(200)
      await remove(project.id)
      await errata.record()
      const locate = () =>
        errata.run(
          Effect.flatMap(ReportStore, (reports) =>
            reports.locate([{ projectId: project.id, eventId: sent.json.id }]),
          ),
        )
      expect(await locate()).toEqual([expect.anything()])
      await errata.run(ProjectPurger.purge)
      expect(await locate()).toEqual([null])
    })

    it("is for admins", async () => {
      expect((await remove(errata.mine.id, memberKey)).status).toBe(403)
      expect((await errata.api(`/projects/${errata.mine.id}`)).status).toBe(200)
      expect((await remove(999_999)).status).toBe(404)
    })
  })

  describe("/projects/{project_id}/mute", () => {
    const mute = (id: number, body?: unknown, key?: string) =>
      errata.api(`/projects/${id}/mute`, {
        method: "POST",
        ...(body === undefined ? {} : { body }),
        ...(key === undefined ? {} : { key }),
      })
    const unmute = (id: number, key?: string) =>
      errata.api(`/projects/${id}/mute`, { method: "DELETE", ...(key === undefined ? {} : { key }) })
    const groupOf = async (project: { readonly id: number }, message: string) => {
      const report = await errata.report({ message }, project as TestInstance["mine"])
      return (await errata.api(`/projects/${project.id}/groups/${report.group_id}`)).json
    }

    it("mutes the groups there are and those to come", async () => {
      const project = await create()
      const { id } = await groupOf(project, "before")
      expect([(await mute(project.id)).status, (await mute(project.id, {})).status]).toEqual([204, 204])
      const { json } = await errata.api(`/projects/${project.id}`)
      expect(json).toMatchObject({ muted: true, muted_until: null, muter_id: expect.any(Number) })
      const before = (await errata.api(`/projects/${project.id}/groups/${id}`)).json
      expect(before).toMatchObject({ muted: true, mute_source: "project", project_muted_until: null })
      expect(await groupOf(project, "after")).toMatchObject({ muted: true, mute_source: "project" })

      expect((await unmute(project.id)).status).toBe(204)
      expect((await errata.api(`/projects/${project.id}`)).json).toMatchObject({
        muted: false,
        muted_at: null,
        muter_id: null,
      })
      expect((await errata.api(`/projects/${project.id}/groups/${id}`)).json.muted).toBe(true)
      expect((await groupOf(project, "later")).muted).toBe(false)
      expect((await unmute(project.id)).status).toBe(204)
    })

    it("mutes until a moment", async () => {
      const project = await create()
      expect((await mute(project.id, { snooze_until: "2999-01-02T03:04:05+01:00" })).status).toBe(204)
      const { json } = await errata.api(`/projects/${project.id}`)
      expect([json.muted, json.muted_until]).toEqual([true, "2999-01-02T02:04:05.000Z"])
    })

    it.each(["2001-01-01T00:00:00Z", "soon", "", null, 5])("refuses to mute until %j", async (until) => {
      const project = await create()
      const answer = await mute(project.id, { snooze_until: until })
      expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["snooze_until"]])
      expect((await errata.api(`/projects/${project.id}`)).json).toEqual(project)
    })

    it("is for admins", async () => {
      expect((await mute(errata.mine.id, undefined, memberKey)).status).toBe(403)
      expect((await unmute(errata.mine.id, memberKey)).status).toBe(403)
      expect([(await mute(999_999)).status, (await unmute(999_999)).status]).toEqual([404, 404])
    })
  })

  describe("/projects/{project_id}/notification_settings", () => {
    const path = (id: number) => `/projects/${id}/notification_settings`
    const patch = (id: number, body: unknown, key?: string) =>
      errata.api(path(id), { method: "PATCH", body, ...(key === undefined ? {} : { key }) })

    it("are read and changed", async () => {
      const project = await create()
      const settings = (only: boolean) => ({ error_and_fatal_notifications_only: only })
      expect((await errata.api(path(project.id))).json).toEqual(settings(false))
      const changed = await patch(project.id, settings(true))
      expect([changed.status, changed.json]).toEqual([200, settings(true)])
      expect((await errata.api(path(project.id))).json).toEqual(settings(true))
      expect((await patch(project.id, settings(false))).json).toEqual(settings(false))
    })

    it.each([{ error_and_fatal_notifications_only: "true" }, { error_and_fatal_notifications_only: null }])(
      "refuse %j",
      async (body) => {
        const answer = await patch(errata.mine.id, body)
        expect([answer.status, Object.keys(answer.json.errors)]).toEqual([
          422,
          ["error_and_fatal_notifications_only"],
        ])
      },
    )

    it("are for admins", async () => {
      expect((await errata.api(path(errata.mine.id), { key: memberKey })).status).toBe(403)
      const body = { error_and_fatal_notifications_only: true }
      expect((await patch(errata.mine.id, body, memberKey)).status).toBe(403)
      expect((await errata.api(path(999_999))).status).toBe(404)
    })
  })
})
