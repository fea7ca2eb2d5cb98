import { expect } from "vitest"
import * as Given from "./Given.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const keys = [
  ...["id", "project_id", "error_type", "error_message", "culprit", "fingerprint", "severity"],
  ...["occurred_at", "first_occurred_at", "last_occurred_at", "reports_count", "users_count"],
  ...["users_count_estimated", "notes_count"],
  ...[
    "resolved_at",
    "resolver_id",
    "resolved_in_release",
    "reopened_at",
    "muted_at",
    "muter_id",
    "muted_until",
  ],
  ...["muted_until_reports_count", "muted_until_release"],
  ...["project_muted_at", "project_muted_until", "mute_source", "resolved", "muted", "assignee_id"],
  ...["issue_url", "web_url", "created_at", "updated_at"],
].sort()

export const groupsWire: WireFile = {
  name: "Groups",
  cases: [
    wireCase("have the documented fields, and their grouping in the detail only", async (wire) => {
      const project = await Given.project(wire, [wire.member])
      const type = word("Shape")
      const { path, ...detail } = await Given.group(wire, project, Given.failure({}, type))
      const { groups } = await wire.member.get(`${project.path}/groups`)
      expect(Object.keys(groups[0]).sort()).toEqual(keys)
      const { grouping, ...listed } = detail
      expect(groups).toEqual([listed])
      expect(grouping).toEqual({
        algorithm: "v2",
        compatible_with: [],
        data: { method: "exception", type, value: "it went wrong" },
      })
      expect(detail.fingerprint).toMatch(/^v2:[0-9a-f]{64}$/)
      expect(detail).toMatchObject({
        project_id: project.id,
        error_type: type,
        error_message: "it went wrong",
        severity: "error",
        reports_count: 1,
        notes_count: 0,
        resolved: false,
        resolved_at: null,
        resolver_id: null,
        reopened_at: null,
        muted: false,
        muted_at: null,
        mute_source: null,
        assignee_id: null,
        issue_url: null,
        web_url: `${wire.target.baseUrl}${path}`,
      })
      expect(path).toBe(`${project.path}/groups/${detail.id}`)
    }),

    wireCase("show their grouping method and fingerprint", async (wire) => {
      const project = await Given.project(wire)
      const [custom, message, stack] = await Given.groups(wire, project, [
        Given.failure({ fingerprint: ["one", "two"] }),
        { message: word("Disk full on ") },
        {
          exception: {
            values: [
              {
                type: "Deep",
                value: "stack",
                stacktrace: { frames: [{ module: "app.main", function: "run", in_app: true }] },
              },
            ],
          },
        },
      ])
      expect(custom.grouping.data).toEqual({ method: "custom", fingerprint: ["one", "two"] })
      expect(message.grouping.data.method).toBe("message")
      expect(stack.grouping.data.method).toBe("backtrace")
    }),

    wireCase("keep the first report's title, and the highest severity of all", async (wire) => {
      const project = await Given.project(wire)
      const event = (message: string, level: string, age: number) => ({
        ...Given.failure({ fingerprint: ["same"], level, timestamp: Given.fromNow(-age) }, "First"),
        transaction: message,
        exception: { values: [{ type: "First", value: message }] },
      })
      const [first] = await Given.reports(wire, project, [
        event("one", "warning", 3 * Given.hour),
        event("two", "fatal", Given.hour),
        event("three", "info", 2 * Given.hour),
      ])
      const group = await Given.groupOf(wire, project, first.group_id)
      expect(group).toMatchObject({
        error_type: "First",
        error_message: "one",
        culprit: first.culprit,
        severity: "fatal",
        reports_count: 3,
        occurred_at: group.last_occurred_at,
      })
      const span = Date.parse(group.last_occurred_at) - Date.parse(group.first_occurred_at)
      expect(Math.round(span / Given.hour)).toBe(2)
    }),

    wireCase("store the resolver and the time of the first resolution", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      await member.post(`${group.path}/resolve`)
      const resolved = await admin.get(group.path)
      expect(resolved).toMatchObject({
        resolved: true,
        resolver_id: member.id,
        muted: false,
        notes_count: 1,
      })
      expect(resolved.resolved_at).not.toBeNull()
      await admin.post(`${group.path}/resolve`)
      expect(await admin.get(group.path)).toEqual(resolved)
    }),

    wireCase("are reopened by hand, once", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      await member.delete(`${group.path}/resolve`)
      expect(await admin.get(group.path)).toMatchObject({ resolved: false, notes_count: 0 })
      await member.post(`${group.path}/resolve`)
      await member.delete(`${group.path}/resolve`)
      await member.delete(`${group.path}/resolve`)
      expect(await admin.get(group.path)).toMatchObject({
        resolved: false,
        resolved_at: null,
        resolver_id: null,
        notes_count: 2,
      })
    }),

    wireCase("are reopened by a new report", async (wire) => {
      const project = await Given.project(wire)
      const type = word("Back")
      const group = await Given.group(wire, project, Given.failure({}, type))
      await wire.admin.post(`${group.path}/resolve`)
      await Given.again(wire, project, type)
      expect(await wire.admin.get(group.path)).toMatchObject({
        resolved: false,
        resolved_at: null,
        resolver_id: null,
        reopened_at: expect.any(String),
        reports_count: 2,
      })
      const [note] = await Given.notesOn(wire, group)
      expect(note).toMatchObject({ automated: true, user: null })
      await wire.admin.post(`${group.path}/resolve`)
      expect(await wire.admin.get(group.path)).toMatchObject({ resolved: true, reopened_at: null })
    }),

    wireCase("are reopened by a new report while they are muted, and stay muted", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const type = word("Muted")
      const group = await Given.group(wire, project, Given.failure({}, type))
      await admin.post(`${group.path}/mute`)
      await admin.post(`${group.path}/resolve`)
      expect(await admin.get(group.path)).toMatchObject({ resolved: true, muted: true })
      await Given.again(wire, project, type)
      expect(await admin.get(group.path)).toMatchObject({
        resolved: false,
        muted: true,
        mute_source: "manual",
      })
    }),

    wireCase("have a resolution and a mute that change independently", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      for (const [method, action, resolved, muted] of [
        ["POST", "mute", false, true],
        ["POST", "resolve", true, true],
        ["DELETE", "mute", true, false],
        ["POST", "mute", true, true],
        ["DELETE", "resolve", false, true],
        ["DELETE", "mute", false, false],
      ] as const) {
        await admin.expect(204, method, `${group.path}/${action}`)
        expect(await admin.get(group.path)).toMatchObject({ resolved, muted })
      }
    }),

    wireCase("are resolved once when several people resolve them at the same time", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      const people = [admin, member, admin, member, admin, member]
      await Promise.all(people.map((person) => person.post(`${group.path}/resolve`)))
      const resolved = await admin.get(group.path)
      expect(resolved).toMatchObject({ resolved: true, notes_count: 1 })
      const notes = await Given.notesOn(wire, group)
      expect(notes.map(({ user }) => user.id)).toEqual([resolved.resolver_id])
    }),

    wireCase("are resolved whatever the body is, if it names no release", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      for (const [body, type] of [
        ['{"resolved":false,"group_ids":[1]}', "application/json"],
        ["{", "application/json"],
        ["", "text/plain"],
        ["resolved=false", "application/x-www-form-urlencoded"],
      ] as const) {
        const headers = { "content-type": type }
        await admin.expect(204, "POST", `${group.path}/resolve`, { body, headers })
        expect(await admin.get(group.path)).toMatchObject({ resolved: true })
      }
      await admin.expect(204, "DELETE", `${group.path}/resolve`, { body: "{}" })
      expect(await admin.get(group.path)).toMatchObject({ resolved: false })
    }),

    wireCase("are linked to an issue in another tool, with a note", async (wire) => {
      const { member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      const issue = `${group.path}/issue`
      const linked = async () => (await member.get(group.path)).issue_url
      const [first, second] = ["https://issues.example.com/SHOP-7", `http://i.example/${"x".repeat(1_983)}`]
      await member.put(issue, { url: first })
      await member.put(issue, { url: first })
      expect(await linked()).toBe(first)
      expect((await member.get(`${project.path}/groups`)).groups[0].issue_url).toBe(first)
      await member.put(issue, { url: second })
      expect(await linked()).toBe(second)
      await member.delete(issue)
      await member.delete(issue)
      expect(await linked()).toBeNull()
      expect(await Given.notesOn(wire, group)).toMatchObject([
        { automated: true, user: { id: member.id }, content: "Removed the link to an issue" },
        { automated: true, content: `Linked to the issue ${second}` },
        { automated: true, content: `Linked to the issue ${first}` },
      ])
    }),

    wireCase("reject an issue link that is not a web address", async (wire) => {
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      for (const url of [
        ...["", " ", 1, null, {}, [], "SHOP-7", "//issues.example.com/1", "javascript:alert(1)", "ftp://a/b"],
        ...[
          "data:text/html,x",
          "https://",
          "https://a b",
          "https://a/\n",
          `http://i.example/${"x".repeat(1_984)}`,
        ],
        "https://a/\0",
      ]) {
        await wire.admin.refused("PUT", `${group.path}/issue`, { body: { url } }, "url")
      }
      expect(await wire.admin.get(group.path)).toMatchObject({ issue_url: null, notes_count: 0 })
    }),

    wireCase(
      "are deleted by admins with the groups merged into them; the next report creates a new group with a note",
      async (wire) => {
        const { admin, member } = wire
        const project = await Given.project(wire, [member])
        const [type, other] = [word("Gone"), word("Merged")]
        const first = await Given.report(wire, project, Given.failure({ tags: { zone: "eu" } }, type))
        const source = await Given.report(wire, project, Given.failure({}, other))
        const kept = await Given.report(wire, project)
        const path = `${project.path}/groups/${first.group_id}`
        await admin.post(`${path}/bulk_merge`, { group_ids: [source.group_id] }, 200)
        await admin.post(`${path}/notes`, { content: "soon gone" }, 201)
        await member.expect(403, "DELETE", path)

        const answers = await Promise.all(Array.from({ length: 3 }, () => admin.send("DELETE", path)))
        expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404])
        for (const below of [
          "",
          "/notes",
          "/merges",
          "/reports",
          "/reports/latest",
          `/reports/${first.id}`,
        ]) {
          await admin.get(path + below, {}, 404)
        }
        await admin.get(`${project.path}/groups/${source.group_id}`, {}, 404)
        for (const { event_id } of [first, source]) {
          await admin.get(`${project.path}/reports/${event_id}`, {}, 404)
          await admin.get(`/reports/${event_id}`, {}, 404)
        }
        const listed = async () =>
          (await member.get(`${project.path}/groups`)).groups.map(({ id }: { id: number }) => id)
        expect(await listed()).toEqual([kept.group_id])
        expect(await admin.get(project.path)).toMatchObject({ groups_count: 1, reports_count: 3 })

        const again = await Given.again(wire, project, type)
        const anew = await Given.again(wire, project, other)
        expect([first, source].map(({ group_id }) => group_id)).not.toContain(again.group_id)
        expect(await listed()).toEqual([anew.group_id, again.group_id, kept.group_id])
        expect(await Given.groupOf(wire, project, again.group_id)).toMatchObject({
          reports_count: 1,
          notes_count: 1,
        })
        const earlier = `An earlier group of this error \\(number ${first.group_id}, 2 reports\\) was deleted`
        for (const { group_id } of [again, anew]) {
          const notes = await Given.notesOn(wire, { path: `${project.path}/groups/${group_id}` })
          expect(notes).toMatchObject([{ automated: true, user: null }])
          expect(notes[0]?.content).toMatch(new RegExp(`^${earlier} on \\d{4}-\\d\\d-\\d\\d by user \\d+$`))
        }
      },
    ),
  ],
}
