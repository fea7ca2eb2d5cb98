import { expect } from "vitest"
import * as Given from "./Given.js"
import { type WireFile, wireCase } from "./WireCase.js"

const hour = 60 * 60 * 1000

export const activityWire: WireFile = {
  name: "Activity",
  cases: [
    wireCase(
      "counts the reports of a project and of groups by the hour, as soon as they are recorded",
      async (wire) => {
        const { member } = wire
        const project = await Given.project(wire, [member])
        const path = `${project.path}/activity`
        const group = await Given.group(wire, project)
        const activity = await member.get(path)
        expect(activity).toMatchObject({ step: "hour", series: [{ group_id: null, total: 1 }] })
        const [series] = activity.series
        expect(series.reports).toHaveLength((Date.parse(activity.until) - Date.parse(activity.since)) / hour)
        expect(series.reports.at(-1) + series.reports.at(-2)).toBe(1)
        expect(series.new_groups).toEqual(series.reports)
        expect(Date.parse(activity.since) % hour).toBe(0)
        expect(Date.parse(activity.complete_until)).toBeLessThanOrEqual(Date.parse(activity.until))

        const ofGroups = await member.get(path, {
          group_ids: `${group.id},${group.id + 100_000}`,
          step: "day",
        })
        expect(ofGroups).toMatchObject({
          step: "day",
          series: [
            { group_id: group.id, new_groups: null, total: 1 },
            { group_id: group.id + 100_000, total: 0 },
          ],
        })
        expect(ofGroups.series[0].reports.length).toBeGreaterThanOrEqual(30)
      },
    ),

    wireCase("rounds a range out to whole steps", async (wire) => {
      const { admin } = wire
      const { path } = await Given.project(wire)
      const range = { since: "2026-01-05T07:30:00Z", until: "2026-01-05T09:00:01Z" }
      expect(await admin.get(`${path}/activity`, range)).toMatchObject({
        since: "2026-01-05T07:00:00.000Z",
        until: "2026-01-05T10:00:00.000Z",
        series: [{ group_id: null, reports: [0, 0, 0], new_groups: [0, 0, 0], total: 0 }],
      })
      expect(await admin.get(`${path}/activity`, { ...range, step: "day" })).toMatchObject({
        since: "2026-01-05T00:00:00.000Z",
        until: "2026-01-06T00:00:00.000Z",
        series: [{ reports: [0] }],
      })
    }),

    wireCase("rejects more than 100 groups, more than 744 steps, and invalid ranges", async (wire) => {
      const { admin } = wire
      const { path } = await Given.project(wire)
      const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1).join(",")
      await admin.get(`${path}/activity`, { group_ids: ids(100) })
      for (const [field, query] of [
        ["group_ids", { group_ids: ids(101) }],
        ["group_ids", { group_ids: "1,x" }],
        ["group_ids", { group_ids: "" }],
        ["step", { step: "minute" }],
        ["since", { since: "yesterday" }],
        ["range", { since: "32d" }],
        ["range", { since: "1h", until: "2h" }],
        ["range", { since: "800d", step: "day" }],
      ] as const) {
        const problem = await admin.expect(422, "GET", `${path}/activity`, { query })
        expect(Object.keys(problem.errors), JSON.stringify(query)).toEqual([field])
      }
      expect(
        (await admin.get(`${path}/activity`, { since: "743h" })).series[0].reports.length,
      ).toBeGreaterThan(742)
    }),
  ],
}
