import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import type { Wire } from "./Wire.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

/** The oldest group was the last to occur, and the one between has the most reports. */
const given = async (wire: Wire) => {
  const project = await Given.project(wire, [wire.member])
  const at = (hours: number) => ({ timestamp: Given.fromNow(-hours * Given.hour) })
  const often = word("Often")
  const groups = await Given.groups(wire, project, [
    Given.failure(at(1)),
    Given.failure({ ...at(9), user: { id: "a" } }, often),
    Given.failure(at(5)),
  ])
  for (let i = 0; i < 2; i++) await Given.again(wire, project, often, { ...at(9), user: { id: `b${i}` } })
  return { project, ids: groups.map(({ id }) => id) }
}

export const groupSortWire: WireFile = {
  name: "GroupSort",
  cases: [
    wireCase("lists groups by id, by their last report or by their number of reports", async (wire) => {
      const { ids, project } = await given(wire)
      const [a, b, c] = ids
      const path = `${project.path}/groups`
      for (const [sort, expected] of [
        [undefined, [c, b, a]],
        ["newest", [c, b, a]],
        ["last_seen", [a, c, b]],
        ["reports_count", [b, c, a]],
        ["users_count", [b, c, a]],
      ] as const) {
        const query = sort === undefined ? {} : { sort }
        const { groups } = await wire.member.get(path, query)
        expect([sort, groups.map(({ id }: Json) => id)]).toEqual([sort, expected])
        const walked: Array<number> = []
        for (let cursor: number | null = null; ; ) {
          const page: Json = await wire.member.get(path, {
            ...query,
            limit: 1,
            status: "unresolved",
            ...(cursor !== null && { cursor }),
          })
          walked.push(...page.groups.map(({ id }: Json) => id))
          expect(page.has_more).toBe(page.next_cursor !== null)
          if (!page.has_more) break
          cursor = page.next_cursor
        }
        expect([sort, walked]).toEqual([sort, expected])
      }
    }),

    wireCase("adds the environment and the release of the last report to groups", async (wire) => {
      const project = await Given.project(wire, [wire.member])
      const type = word("Deployed")
      const [group, bare] = await Given.groups(wire, project, [
        Given.failure({ environment: "staging", release: "shop@1.0.0" }, type),
        Given.failure(),
      ])
      await Given.again(wire, project, type, { environment: "production", release: "shop@1.1.0" })
      for (const path of [`${project.path}/groups`, "/groups"]) {
        const query = { project_ids: `${project.id}` }
        const read = async (more: Json) => {
          const { groups } = await wire.member.get(path, path === "/groups" ? { ...query, ...more } : more)
          return groups.map(({ id, last_environment: environment, last_release_version: release }: Json) => [
            id,
            environment,
            release,
          ])
        }
        await wire.member.refused("GET", path, { query: { include: "everything" } }, "include")
        expect(await read({ include: "last_report" })).toEqual([
          [bare.id, "", ""],
          [group.id, "production", "shop@1.1.0"],
        ])
        expect(await read({})).toEqual([
          [bare.id, undefined, undefined],
          [group.id, undefined, undefined],
        ])
      }
    }),

    wireCase("sorts a page by the exact time of the last report, and pages by its hour", async (wire) => {
      const project = await Given.project(wire, [wire.member])
      const hour = Math.floor(Date.now() / Given.hour - 3) * Given.hour
      const at = (minutes: number) => ({ timestamp: new Date(hour + minutes * 60_000).toISOString() })
      const groups = await Given.groups(wire, project, [
        Given.failure(at(50)),
        Given.failure(at(10)),
        Given.failure(at(30)),
      ])
      const [a, b, c] = groups.map(({ id }) => id)
      const list = (query: Json) => wire.member.get(`${project.path}/groups`, { sort: "last_seen", ...query })
      const ids = (page: Json) => page.groups.map(({ id }: Json) => id)
      expect(ids(await list({}))).toEqual([a, c, b])
      const first = await list({ limit: 2 })
      expect(ids(first)).toEqual([c, b])
      expect(ids(await list({ limit: 2, cursor: first.next_cursor }))).toEqual([a])
    }),

    wireCase("refuses an order that it does not know", async (wire) => {
      const { path } = await Given.project(wire)
      for (const sort of ["", "id", "Newest", "last_seen,newest", "-last_seen"]) {
        await wire.admin.refused("GET", `${path}/groups`, { query: { sort } }, "sort")
      }
    }),
  ],
}
