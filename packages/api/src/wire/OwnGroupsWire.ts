import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const ownGroupsWire: WireFile = {
  name: "OwnGroups",
  cases: [
    wireCase("lists the groups of the caller's projects in one order", async (wire) => {
      const { admin, member } = wire
      const [first, second, foreign] = [
        await Given.project(wire, [member]),
        await Given.project(wire, [member]),
        await Given.project(wire),
      ]
      const type = word("Shared")
      const at = (hours: number) => Given.failure({ timestamp: Given.fromNow(-hours * Given.hour) }, type)
      const [a, b, c] = [
        await Given.group(wire, first, at(1)),
        await Given.group(wire, second, at(9)),
        await Given.group(wire, foreign, at(2)),
      ]
      const d = await Given.group(wire, first, at(5))
      // Events of the same type share a group.
      expect(d.id).toBe(a.id)
      const e = await Given.group(
        wire,
        second,
        Given.failure({ timestamp: Given.fromNow(-5 * Given.hour), tags: { [type]: "x" } }, `${type}Other`),
      )
      const ids = async (person: typeof member, query: Record<string, string | number>) => {
        const { groups } = await person.get("/groups", { query: type, ...query })
        return groups.map(({ id }: Json) => id)
      }
      expect(await ids(member, {})).toEqual([e.id, b.id, a.id])
      expect(await ids(member, { sort: "last_seen" })).toEqual([a.id, e.id, b.id])
      expect(await ids(member, { sort: "reports_count" })).toEqual([a.id, e.id, b.id])
      expect(await ids(member, { project_ids: `${second.id}` })).toEqual([e.id, b.id])
      expect(await ids(member, { project_ids: `${first.id},${foreign.id},999999999` })).toEqual([a.id])
      expect(await ids(member, { project_ids: `${foreign.id}` })).toEqual([])
      expect(await ids(admin, { project_ids: `${foreign.id},${first.id}` })).toEqual([c.id, a.id])
      expect(await ids(wire.stranger, {})).toEqual([])
      expect(await ids(member, { status: "resolved" })).toEqual([])
      const tagged = await member.get("/groups", { query: `${type}:x` })
      expect([tagged.groups.map(({ id }: Json) => id), tagged.hints]).toEqual([[e.id], undefined])

      const walked: Array<number> = []
      for (let cursor: number | null = null; ; ) {
        const page: Json = await member.get("/groups", {
          query: type,
          sort: "last_seen",
          limit: 1,
          ...(cursor !== null && { cursor }),
        })
        walked.push(...page.groups.map(({ id }: Json) => id))
        expect(page.has_more).toBe(page.next_cursor !== null)
        if (!page.has_more) break
        cursor = page.next_cursor
      }
      expect(walked).toEqual([a.id, e.id, b.id])
    }),

    wireCase("refuses projects and filters that it does not know", async ({ admin, member }) => {
      const many = Array.from({ length: 51 }, (_, i) => i + 1).join(",")
      for (const project_ids of ["", "0", "1,", ",1", "a", "1;2", "-1", "1.5", "1, 2", many]) {
        await admin.refused("GET", "/groups", { query: { project_ids } }, "project_ids")
      }
      await member.refused("GET", "/groups", { query: { status: "open" } }, "status")
      await member.refused("GET", "/groups", { query: { sort: "oldest" } }, "sort")
      const { hints } = await member.get("/groups", { query: "enviroment:production" })
      expect(hints).toEqual([{ token: "enviroment:production", did_you_mean: "environment:production" }])
    }),
  ],
}
