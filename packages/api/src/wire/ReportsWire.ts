import { expect } from "vitest"
import { eventId, full, listed } from "./FullReport.js"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const reportsWire: WireFile = {
  name: "Reports",
  cases: [
    wireCase("have the same fields by id and in the list", async (wire) => {
      const { member } = wire
      const project = await Given.project(wire, [member])
      const report = await Given.report(wire, project, full(eventId()))
      const path = `${project.path}/groups/${report.group_id}/reports`
      expect(await member.get(`${path}/${report.id}`)).toEqual(report)
      const [item] = (await member.get(path)).reports
      expect(Object.keys(item).sort()).toEqual(listed)
      expect(report).toMatchObject(item)
      expect(report.web_url).toBe(`${wire.target.baseUrl}${path}/${report.id}`)
    }),

    wireCase("include the ids of their neighbors on request", async (wire) => {
      const { member } = wire
      const project = await Given.project(wire, [member])
      const type = word("Walked")
      const events = Array.from({ length: 3 }, () => Given.failure({}, type))
      const [oldest, middle, newest] = await Given.reports(wire, project, events)
      const path = `${project.path}/groups/${middle.group_id}/reports`
      const ends = { first_id: oldest.id, last_id: newest.id }
      const around = async (below: string) =>
        (await member.get(`${path}/${below}`, { include: "navigation" })).navigation
      expect(await around(middle.id)).toEqual({ ...ends, previous_id: oldest.id, next_id: newest.id })
      expect(await around(oldest.id)).toEqual({ ...ends, previous_id: null, next_id: middle.id })
      expect(await around("latest")).toEqual({ ...ends, previous_id: middle.id, next_id: null })
      expect(await member.get(`${path}/latest`)).toEqual(newest)
      for (const found of [`${project.path}/reports/${middle.event_id}`, `/reports/${middle.event_id}`]) {
        const { navigation, ...report } = await member.get(found, { include: "navigation" })
        expect(report).toEqual(middle)
        expect(navigation).toMatchObject({ previous_id: oldest.id, next_id: newest.id })
      }
      await member.refused("GET", `${path}/latest`, { query: { include: "everything" } }, "include")
    }),

    wireCase("are found by an event id alone, in the caller's projects", async (wire) => {
      const { admin, member, stranger } = wire
      const id = eventId()
      const [theirs, mine] = [await Given.project(wire, [stranger]), await Given.project(wire, [member])]
      const report = await Given.report(wire, mine, Given.failure({ event_id: id }))
      const other = await Given.report(wire, theirs, Given.failure({ event_id: id }))
      expect(await member.get(`/reports/${id}`)).toEqual(report)
      expect(await stranger.get(`/reports/${id}`)).toEqual(other)
      // If several reports have the id, the latest is returned.
      expect(await admin.get(`/reports/${id}`)).toEqual(other)
      await member.get(`/reports/${eventId()}`, {}, 404)
    }),

    wireCase("are found by their event id in any form of it", async (wire) => {
      const project = await Given.project(wire)
      const id = eventId()
      const report = await Given.report(wire, project, Given.failure({ event_id: id }))
      const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
      for (const form of [id, id.toUpperCase(), dashed, dashed.toUpperCase()]) {
        expect(await wire.admin.get(`${project.path}/reports/${form}`)).toEqual(report)
      }
    }),

    wireCase(
      "are not found by an event id that is invalid, missing, inaccessible or of another project",
      async (wire) => {
        const { admin, member, stranger } = wire
        const project = await Given.project(wire, [member])
        const other = await Given.project(wire, [stranger])
        const { event_id } = await Given.report(wire, project)
        await member.get(`${project.path}/reports/${event_id}`)
        for (const id of [
          "0".repeat(32),
          "x",
          event_id.slice(1),
          `${event_id}0`,
          "x".repeat(4_000),
          "%00",
          "g".repeat(32),
          event_id.replace(/^(.{7})/, "$1-"),
          `${event_id}-`,
          [...event_id].join("-"),
          event_id.replace(/^(.{8})(.{4})/, "$1-$2-"),
          "1",
          "%20",
          "-",
        ]) {
          await admin.get(`${project.path}/reports/${id}`, {}, 404)
        }
        await admin.get(`${other.path}/reports/${event_id}`, {}, 404)
        await stranger.get(`${project.path}/reports/${event_id}`, {}, 404)
        await stranger.get(`${project.path}/reports/${"0".repeat(32)}`, {}, 404)
        await admin.get(`/projects/999999999999/reports/${event_id}`, {}, 404)
      },
    ),

    wireCase("are found below their own group only", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [one, two] = await Given.groups(wire, project, 2)
      const [report] = (await admin.get(`${one.path}/reports`)).reports
      await admin.get(`${two.path}/reports/${report.id}`, {}, 404)
      await admin.get(`${one.path}/reports/999999999999`, {}, 404)
      await admin.get(`${(await Given.project(wire)).path}/groups/${one.id}/reports/${report.id}`, {}, 404)
    }),

    wireCase("are filtered by when they occurred, bounds excluded", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const times = [9, 6, 3].map((days) => Given.fromNow(-days * Given.day))
      const reports = await Given.reports(
        wire,
        project,
        times.map((timestamp) => Given.failure({ timestamp, fingerprint: ["same"] })),
      )
      const path = `${project.path}/groups/${reports[0].group_id}/reports`
      expect(reports.map(({ occurred_at }) => occurred_at)).toEqual(times)
      const [first, second, third] = times as [string, string, string]
      const found = async (query: Record<string, string>) =>
        (await admin.get(path, query)).reports.map(({ occurred_at }: Json) => occurred_at)
      expect(await found({})).toEqual([third, second, first])
      expect(await found({ since: first })).toEqual([third, second])
      expect(await found({ until: third })).toEqual([second, first])
      expect(await found({ since: first, until: third })).toEqual([second])
      expect(await found({ since: second, until: second })).toEqual([])
      expect(await found({ until: second.slice(0, 10) })).not.toContain(third)
      const after = new Date(Date.parse(second) + Given.day).toISOString().slice(0, 10)
      expect(await found({ since: after })).toEqual([third])
      expect(await found({ since: "52000w", until: "0m" })).toEqual([third, second, first])
      expect(await found({ until: "52000w" })).toEqual([])
    }),

    wireCase("reject invalid dates", async (wire) => {
      const group = await Given.group(wire, await Given.project(wire))
      for (const field of ["since", "until"]) {
        for (const value of ["", "yesterday", "2025-02-30", "1700000000", "2025"]) {
          await wire.admin.refused("GET", `${group.path}/reports`, { query: { [field]: value } }, field)
        }
      }
    }),
  ],
}
