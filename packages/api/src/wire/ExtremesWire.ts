/** Values at the limits of storages: the server rejects them or finds nothing, and never fails. */
import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { parametersOf } from "./OpenApiSchemas.js"
import { named, pathOf, routes } from "./Routes.js"
import * as Walk from "./Walk.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const largeIds = ["2147483648", "4294967297", "999999999999999", "9007199254740991", "9223372036854775808"]

/** The first ids beyond 32 and 64 bits, for every route. */
const overflowing = ["2147483648", "9223372036854775808"]

/** Numbers beyond 32 bits, 64 bits, or the safe integers. */
const largeNumbers = [2_147_483_648, 9_007_199_254_740_991, 9_007_199_254_740_992, 2 ** 63, 1e300]

const json = { "content-type": "application/json" }

export const extremesWire: WireFile = {
  name: "Extremes",
  cases: [
    wireCase("returns 404 for the largest ids on every route", async (wire) => {
      const { ids } = await Walk.prepare(wire, [wire.member])
      const tried = new Set<string>()
      for (const route of routes) {
        for (const name of parametersOf(route.template).filter((name) => name !== "event_id")) {
          const large = tried.has(name) ? overflowing : [...largeIds, "9".repeat(700)]
          tried.add(name)
          for (const id of large) {
            const path = pathOf(route.template, { ...ids, [name]: id })
            const body = route.body?.(ids)
            const { status } = await wire.admin.send(route.method, path, body === undefined ? {} : { body })
            const ends =
              named(route) === "DELETE /projects/{project_id}/users/{user_id}" && name === "user_id"
            expect([named(route), name, id, ends && status === 204 ? 404 : status]).toEqual([
              named(route),
              name,
              id,
              404,
            ])
          }
        }
      }
    }),

    wireCase("treats the largest ids in bodies as unknown ids", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      for (const id of largeNumbers) {
        await admin.refused("POST", `${project.path}/users`, { body: { user_id: id } }, "user_id")
        await admin.refused("PUT", `${group.path}/assignee`, { body: { user_id: id } }, "user_id")
        const app = { name: word(), project_ids: [id] }
        await admin.refused("POST", "/apps", { body: app }, "project_ids")
        for (const action of ["bulk_resolve", "bulk_mute", "bulk_merge"]) {
          const body = { group_ids: [id, -id] }
          const answer = await admin.send("POST", `${group.path}/${action}`, { body })
          if (answer.status === 200) expect(answer.json).toMatchObject({ processed: 0 })
          else expect(Object.keys(answer.json.errors).join()).toContain("group_ids")
        }
      }
    }),

    wireCase("reads numbers, ids and dates of any size in a query", async (wire) => {
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      const found = async (query: Record<string, string>) =>
        (await wire.admin.get(`${project.path}/groups`, query)).groups.map(({ id }: Json) => id)
      for (const digits of [...largeIds, "9".repeat(40)]) {
        expect([digits, await found({ query: `assignee:${digits}` })]).toEqual([digits, []])
        expect([digits, await found({ query: `reports_count:>${digits}` })]).toEqual([digits, []])
        expect([digits, await found({ cursor: digits })]).toEqual([digits, [group.id]])
        expect([digits, await found({ limit: digits })]).toEqual([digits, [group.id]])
      }
      for (const date of ["0000-01-01", "0001-01-01", "1582-10-10", "1969-12-31T23:59:59.999Z"]) {
        expect([date, await found({ since: date })]).toEqual([date, [group.id]])
        expect([date, await found({ until: date })]).toEqual([date, []])
        expect([date, await found({ query: `since:${date}` })]).toEqual([date, [group.id]])
        const reports = await wire.admin.get(`${group.path}/reports`, { until: date })
        expect([date, reports.reports]).toEqual([date, []])
      }
      for (const date of ["9999-12-31", "9999-12-31T23:59:59.999Z"]) {
        expect([date, await found({ since: date })]).toEqual([date, []])
        expect([date, await found({ until: date })]).toEqual([date, [group.id]])
        const reports = await wire.admin.get(`${group.path}/reports`, { since: date })
        expect([date, reports.reports]).toEqual([date, []])
      }
    }),

    wireCase("mutes until the last day of year 9999, and rejects later days", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      const last = "9999-12-31T23:59:59.999Z"
      for (const path of [project.path, group.path]) {
        await admin.post(`${path}/mute`, { snooze_until: last })
        expect(await admin.get(path)).toMatchObject({ muted: true, muted_until: last })
      }
      // In UTC, these have a year of five digits or a year before year 0.
      for (const beyond of ["9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00+14:00"]) {
        for (const path of [project.path, group.path]) {
          await admin.refused("POST", `${path}/mute`, { body: { snooze_until: beyond } }, "snooze_until")
        }
        await admin.refused("GET", `${project.path}/groups`, { query: { since: beyond } }, "since")
      }
      expect(await admin.get(group.path)).toMatchObject({ muted_until: last })
    }),

    wireCase("refuses parameters that are given twice, and text that cannot be stored", async (wire) => {
      const { admin } = wire
      const { path } = await Given.project(wire)
      for (const field of ["query", "status", "resolved", "since", "until"]) {
        const twice = `${path}/groups?${field}=2025-01-01&${field}=2025-01-01`
        await admin.refused("GET", twice, {}, field)
      }
      await admin.refused("GET", "/projects?name=a&name=b", {}, "name")
      for (const query of ["name=%00", "name=%ED%A0%80", "name=%FF%FE", "name=%F4%90%80%80"]) {
        expect([200, 422]).toContain((await admin.send("GET", `/projects?${query}`)).status)
      }
    }),

    wireCase("survives JSON of any depth and numbers of any length", async ({ admin }) => {
      const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
      for (const [body, statuses] of [
        [`{"ignored":${deep}}`, [400, 422]],
        [`{"name":${deep}}`, [400, 422]],
        [deep, [400, 422]],
        [`{"name":${"9".repeat(100_000)}}`, [422]],
        [`{"name":1e999}`, [422]],
        [`{${Array.from({ length: 50_000 }, (_, i) => `"${i}":0`).join()}}`, [422]],
      ] as const) {
        const { status } = await admin.send("POST", "/projects", { body, headers: json })
        expect([body.slice(0, 20), statuses.includes(status as never), status]).toEqual([
          body.slice(0, 20),
          true,
          status,
        ])
      }
    }),

    wireCase("ends a mute by occurrences once when many reports arrive at the same time", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const type = word("Burst")
      const group = await Given.group(wire, project, Given.failure({}, type))
      await admin.post(`${group.path}/mute`, { occurrences: 3 })
      await Promise.all(Array.from({ length: 12 }, () => Given.again(wire, project, type)))
      expect(await admin.get(group.path)).toMatchObject({
        reports_count: 13,
        muted: false,
        mute_source: null,
      })
      expect(await admin.get(project.path)).toMatchObject({ groups_count: 1, reports_count: 13 })
      const { reports } = await admin.get(`${group.path}/reports`)
      expect(new Set(reports.map(({ event_id }: Json) => event_id)).size).toBe(13)
    }),

    wireCase("loses no change when people act while reports arrive", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const type = word("Busy")
      const group = await Given.group(wire, project, Given.failure({}, type))
      await Promise.all([
        ...Array.from({ length: 6 }, () => Given.again(wire, project, type)),
        ...Array.from({ length: 6 }, () => admin.post(`${group.path}/notes`, { content: "x" }, 201)),
        ...Array.from({ length: 3 }, () => admin.post(`${group.path}/resolve`)),
        ...Array.from({ length: 3 }, () => admin.put(`${group.path}/assignee`, { user_id: admin.id })),
      ])
      const after = await admin.get(group.path)
      expect(after).toMatchObject({ reports_count: 7, assignee_id: admin.id })
      const notes = await Given.notesOn(wire, group)
      expect(notes).toHaveLength(after.notes_count)
      expect(notes.filter(({ automated }) => !automated)).toHaveLength(6)
    }),
  ],
}
