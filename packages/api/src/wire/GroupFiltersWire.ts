import { expect } from "vitest"
import * as Given from "./Given.js"
import { finder, states } from "./GroupFinder.js"
import { type WireFile, wireCase } from "./WireCase.js"
import type { Query } from "./WireClient.js"

export const groupFiltersWire: WireFile = {
  name: "GroupFilters",
  cases: [
    wireCase("filters by state, with every parameter and query filter for it", async (wire) => {
      const found = await states(wire)
      const expected: Readonly<Record<string, ReadonlyArray<Query>>> = {
        "open muted": [
          { status: "unresolved" },
          { resolved: "false" },
          { resolved: "unresolved" },
          { resolved: "0" },
          { query: "is:unresolved" },
          { query: "!is:resolved" },
        ],
        "resolved both": [
          { status: "resolved" },
          { resolved: "true" },
          { resolved: "resolved" },
          { resolved: "1" },
          { query: "is:resolved" },
          { query: "!is:unresolved" },
        ],
        "muted both": [{ status: "muted" }, { query: "is:muted" }, { query: "!is:unmuted" }],
        "open resolved": [{ status: "unmuted" }, { query: "is:unmuted" }, { query: "!is:muted" }],
        "open resolved muted both": [{}, { status: "all" }, { query: "" }, { query: "  " }],
        both: [
          { status: "muted", resolved: "true" },
          { query: "is:muted", resolved: "1" },
          { query: "is:resolved", status: "muted" },
        ],
        "": [
          { status: "resolved", query: "is:unresolved" },
          { status: "unresolved", resolved: "true" },
        ],
      }
      for (const [names, queries] of Object.entries(expected)) {
        for (const query of queries) expect([query, await found(query)]).toEqual([query, names])
      }
    }),

    wireCase("filters by the last occurrence, with inclusive bounds and whole days", async (wire) => {
      const project = await Given.project(wire)
      const at = new Date(Given.fromNow(-5 * Given.day))
      const group = await Given.group(wire, project, Given.failure({ timestamp: at.toISOString() }))
      expect(group.last_occurred_at).toBe(at.toISOString())
      const shifted = (millis: number) => new Date(at.getTime() + millis).toISOString()
      const date = at.toISOString().slice(0, 10)
      const found = finder(wire.admin, project, { group })
      for (const [query, names] of [
        [{ since: at.toISOString() }, "group"],
        [{ until: at.toISOString() }, "group"],
        [{ since: shifted(1) }, ""],
        [{ until: shifted(-1) }, ""],
        [{ since: date, until: date }, "group"],
        [{ since: shifted(Given.day).slice(0, 10) }, ""],
        [{ until: shifted(-Given.day).slice(0, 10) }, ""],
        [{ since: shifted(1).replace("Z", "+01:00") }, "group"],
        [{ since: shifted(Given.hour).replace("Z", "+01:00") }, "group"],
        [{ since: "6d", until: "96h" }, "group"],
        [{ query: "since:1w until:2d" }, "group"],
        [{ since: "96h" }, ""],
        [{ query: "until:6d" }, ""],
      ] as const) {
        expect([query, await found(query)]).toEqual([query, names])
      }
      await Given.report(wire, project, Given.failure({}, group.error_type))
      expect(await found({ until: date })).toBe("")
    }),

    wireCase("counts the groups that match", async (wire) => {
      const project = await Given.project(wire, [wire.member])
      const [first] = await Given.groups(wire, project, 3)
      await wire.admin.post(`${first.path}/resolve`)
      const path = `${project.path}/groups/count`
      for (const [query, count] of [
        [{}, 3],
        [{ status: "resolved" }, 1],
        [{ query: `is:unresolved ${first.error_type}` }, 0],
        [{ since: "1h" }, 3],
        [{ until: "1h", resolved: "false" }, 0],
      ] as const) {
        expect([query, await wire.member.get(path, query)]).toEqual([query, { count, capped: false }])
      }
      await wire.admin.refused("GET", path, { query: { status: "open" } }, "status")
    }),

    wireCase("refuses a filter that it does not know", async (wire) => {
      const { path } = await Given.project(wire)
      for (const [field, values] of Object.entries({
        status: ["", "open", "Resolved", "resolved,muted", "true"],
        resolved: ["", "yes", "2", "TRUE", "all"],
        since: [
          "",
          "yesterday",
          "24",
          "1.5h",
          "2025-02-30",
          "2025-13-01",
          "1700000000",
          "2025-01-01T25:00:00Z",
        ],
        until: ["", "now", "2025-1-1", "2025-01-32"],
        query: ["x".repeat(1001)],
      })) {
        for (const value of values) {
          await wire.admin.refused("GET", `${path}/groups`, { query: { [field]: value } }, field)
        }
      }
    }),

    wireCase(
      "finds groups by the browser, the user and the number of users of their reports",
      async (wire) => {
        const project = await Given.project(wire)
        const headers = {
          "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
        }
        const user = { id: "42", email: "ann@example.com", ip_address: "10.0.0.1" }
        const group = await Given.group(wire, project, Given.failure({ request: { headers }, user }))
        await Given.group(wire, project)
        const found = async (query: string) =>
          (await wire.admin.get(`${project.path}/groups`, { query })).groups.map(
            ({ id }: { id: number }) => id,
          )
        for (const query of [
          "tags.browser:Firefox",
          "browser:Firefox os:Linux",
          "user.id:42",
          "user.email:ann@example.com user.ip:10.0.0.1",
          "users_count:1",
          "users_count:>=1",
        ]) {
          expect([query, await found(query)]).toEqual([query, [group.id]])
        }
        expect(await found("user.id:43")).toEqual([])
        expect(await wire.admin.get(group.path)).toMatchObject({
          users_count: 1,
          users_count_estimated: false,
        })
      },
    ),
  ],
}
