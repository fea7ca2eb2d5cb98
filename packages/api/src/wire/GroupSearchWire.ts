import { expect } from "vitest"
import * as Given from "./Given.js"
import { finder, levels, states } from "./GroupFinder.js"
import type { Json } from "./Json.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const groupSearchWire: WireFile = {
  name: "GroupSearch",
  cases: [
    wireCase("filters by severity, one or several, negated or not", async (wire) => {
      const found = await levels(wire)
      for (const [query, names] of [
        ["is:error", "error"],
        ["is:warning", "warning"],
        ["is:info", "info"],
        ["is:debug", "debug"],
        ["is:fatal", "fatal"],
        ["!is:error", "fatal warning info debug"],
        ["is:error,warning", "error warning"],
        ["is:error, warning", "error warning"],
        ["is:fatal,error, debug", "fatal error debug"],
        ["!is:error,warning", "fatal info debug"],
        ["!is:error, warning", "fatal info debug"],
        ["severity:info", "info"],
        ["severity:info,debug", "info debug"],
        ["is:error is:unresolved", "error"],
        ["!is:fatal !is:resolved", "error warning info debug"],
        ["is:error is:resolved", ""],
      ]) {
        expect([query, await found({ query: query! })]).toEqual([query, names])
      }
    }),

    wireCase("compares the highest severity of a group", async (wire) => {
      const project = await Given.project(wire)
      const group = await Given.group(
        wire,
        project,
        Given.failure({ level: "warning", fingerprint: ["same"] }),
      )
      const found = finder(wire.admin, project, { group })
      expect(await found({ query: "is:warning" })).toBe("group")
      await Given.report(wire, project, Given.failure({ level: "fatal", fingerprint: ["same"] }))
      expect(await found({ query: "is:warning" })).toBe("")
      expect(await found({ query: "is:fatal" })).toBe("group")
    }),

    wireCase("uses the last of several filters of one type", async (wire) => {
      const state = await states(wire)
      for (const [query, names] of [
        ["is:resolved is:unresolved", "open muted"],
        ["is:unresolved is:resolved", "resolved both"],
        ["is:muted is:resolved", "resolved both"],
        ["is:resolved !is:muted", "open resolved"],
        ["is:resolved is:error", "resolved both"],
      ]) {
        expect([query, await state({ query: query! })]).toEqual([query, names])
      }
      const level = await levels(wire)
      for (const [query, names] of [
        ["is:error is:info", "info"],
        ["is:error !is:info", "fatal error warning debug"],
        ["!is:info is:error,fatal", "fatal error"],
        ["is:error is:unresolved is:info", "info"],
      ]) {
        expect([query, await level({ query: query! })]).toEqual([query, names])
      }
    }),

    wireCase("finds groups by server, environment, release, type and tags", async (wire) => {
      const project = await Given.project(wire)
      const [one, two] = await Given.groups(wire, project, [
        Given.failure(
          {
            server_name: "web-1",
            environment: "production",
            release: "shop@1.2.3",
            tags: { region: "eu west", "my.key": "a:b", quoted: 'say "hi"' },
          },
          "FirstError",
        ),
        Given.failure(
          { server_name: "web 2", environment: "staging", tags: { region: "us" } },
          "SecondError",
        ),
      ])
      const found = finder(wire.admin, project, { one, two })
      for (const [query, names] of [
        ["server_name:web-1", "one"],
        ["tags.server_name:web-1", "one"],
        ['server_name:"web 2"', "two"],
        ['tags.server_name:"web 2"', "two"],
        ["server_name:web", ""],
        ["environment:production", "one"],
        ["tags.environment:production", "one"],
        ["environment:prod", ""],
        ["release:shop@1.2.3", "one"],
        ["error_type:SecondError", "two"],
        ["error_type:Second", ""],
        ['tags.region:"eu west"', "one"],
        ["tags.region:us", "two"],
        ["tags.region:eu", ""],
        ["tags.my.key:a:b", "one"],
        ['tags.quoted:"say \\"hi\\""', "one"],
        ["tags.unheard:of", ""],
        ["tags.region:us environment:staging", "two"],
        ["tags.region:us environment:production", ""],
        ["environment:staging environment:production", "one"],
        ["server_name:nowhere tags.server_name:web-1", "one"],
        ['tags.region:us tags.region:"eu west"', "one"],
        ["tags.region:us tags.my.key:a:b", ""],
      ]) {
        expect([query, await found({ query: query! })]).toEqual([query, names])
      }
    }),

    wireCase("finds every server and environment that a group had", async (wire) => {
      const project = await Given.project(wire)
      const event = (server_name: string) => Given.failure({ server_name, fingerprint: ["same"] })
      const [first] = await Given.reports(wire, project, [event("web-1"), event("web-2")])
      const found = finder(wire.admin, project, {
        group: await Given.groupOf(wire, project, first.group_id),
      })
      for (const name of ["web-1", "web-2"])
        expect(await found({ query: `server_name:${name}` })).toBe("group")
    }),

    wireCase("finds text in type, message and culprit, mixed with filters", async (wire) => {
      const project = await Given.project(wire)
      const [teapot, kettle] = await Given.groups(wire, project, [
        Given.failure({
          environment: "kitchen",
          transaction: "brew in pantry",
          exception: { values: [{ type: "TeapotError", value: "I am a little teapot, short: and stout" }] },
        }),
        Given.failure({
          exception: { values: [{ type: "KettleError", value: "teapot boiled over 100% _x_" }] },
        }),
      ])
      const found = finder(wire.admin, project, { teapot, kettle })
      for (const [query, names] of [
        ["TeapotError", "teapot"],
        ["teapoterror", "teapot"],
        ["little", "teapot"],
        ["pantry", "teapot"],
        ["teapot", "teapot kettle"],
        ['"little teapot"', "teapot"],
        ['"teapot little"', ""],
        ["teapot stout", "teapot"],
        ["teapot stout boiled", ""],
        ["short: stout", "teapot"],
        ["teapot environment:kitchen is:unresolved", "teapot"],
        ["environment:kitchen boiled", ""],
        ["is:unresolved teapot !is:fatal", "teapot kettle"],
        ["is:resolved teapot", ""],
        ["nothing:known", ""],
        ["%%%", ""],
        ['"%%%"', ""],
        ["%", "kettle"],
        ['"%"', "kettle"],
        ["()|&!", ""],
        ["🦆", ""],
        [", teapot", "teapot"],
      ]) {
        expect([query, await found({ query: query! })]).toEqual([query, names])
      }
    }),

    wireCase("separates tokens by plus signs and by %20", async (wire) => {
      const project = await Given.project(wire)
      const group = await Given.group(wire, project, Given.failure({ environment: "a+b" }, "PlusError"))
      for (const query of [
        "is:unresolved+PlusError",
        "is:unresolved%20PlusError",
        "is%3Aunresolved+%22pluserror%22",
        "environment:a%2Bb",
        "%21is:resolved",
      ]) {
        const { groups } = await wire.admin.get(`${project.path}/groups?query=${query}`)
        expect([query, groups.map(({ id }: Json) => id)]).toEqual([query, [group.id]])
      }
    }),

    wireCase("filters by count, assignee and dates inside the query", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const [once, twice] = await Given.groups(wire, project, [
        Given.failure({ timestamp: Given.fromNow(-9 * Given.day) }),
        Given.failure({ fingerprint: ["same"] }),
      ])
      await Given.report(wire, project, Given.failure({ fingerprint: ["same"] }))
      await admin.put(`${twice.path}/assignee`, { user_id: member.id })
      const found = finder(member, project, { once, twice })
      const boundary = Given.fromNow(-5 * Given.day)
      for (const [query, names] of [
        ["reports_count:1", "once"],
        ["reports_count:2", "twice"],
        ["reports_count:>1", "twice"],
        ["reports_count:>=1", "once twice"],
        ["reports_count:<2", "once"],
        ["reports_count:<=2", "once twice"],
        ["assignee:me", "twice"],
        ["assignee:none", "once"],
        [`assignee:${member.id}`, "twice"],
        [`assignee:${admin.id}`, ""],
        [`since:${boundary}`, "twice"],
        [`until:${boundary}`, "once"],
        [`until:${boundary.slice(0, 10)}`, "once"],
      ]) {
        expect([query, await found({ query: query! })]).toEqual([query, names])
      }
      expect(await finder(admin, project, { once, twice })({ query: "assignee:me" })).toBe("")
    }),

    wireCase("reads every text up to its limit as a query", async (wire) => {
      const { path } = await Given.project(wire)
      for (const query of [
        "x".repeat(1000),
        "is:",
        '"',
        '"open',
        "!",
        ":",
        "tags.:x",
        "\\",
        "\0",
        "%",
        "_",
        "'",
        "is:unheard",
        "(a",
        "a*",
        "🦆",
        "&|!<->",
      ]) {
        const page = await wire.admin.get(`${path}/groups`, { query })
        expect([query, page.groups]).toEqual([query, []])
      }
      await wire.admin.get(`${path}/groups?unknown=1&query=%FF`)
    }),

    wireCase("finds groups by tags of the project, whatever the case of the key", async (wire) => {
      const project = await Given.project(wire)
      const [one, two] = await Given.groups(wire, project, [
        Given.failure({ environment: "staging", tags: { tenant: "acme", Zone: "eu" } }, "FirstError"),
        Given.failure({ tags: { tenant: "other" } }, "SecondError about tenant:acme plan:free"),
      ])
      const found = finder(wire.admin, project, { one, two })
      for (const [query, names] of [
        ["tenant:acme", "one"],
        ["Tenant:acme", "one"],
        ["tenant:other IS:Unresolved", "two"],
        ["zone:eu ENVIRONMENT:staging", "one"],
        ["tags.zone:eu", "one"],
        ["tenant:unheard", ""],
        ["plan:free", "two"],
        ["Is:Resolved", ""],
      ]) {
        expect([query, await found({ query: query! })]).toEqual([query, names])
      }
      const { hints } = await wire.admin.get(`${project.path}/groups`, { query: "tenant:acme plan:free" })
      expect(hints).toEqual([{ token: "plan:free", did_you_mean: null }])
    }),

    wireCase("returns hints for misspelled filters, and searches for them as text", async (wire) => {
      const project = await Given.project(wire)
      const text = "enviroment:production broke"
      const group = await Given.group(wire, project, Given.failure({}, text))
      const path = `${project.path}/groups`
      for (const [query, hints] of [
        ["enviroment:production", [["enviroment:production", "environment:production"]]],
        ["sevrity:error", [["sevrity:error", "severity:error"]]],
        ["is:foo", [["is:foo", null]]],
        [
          "broke !is:resolvd is:unresolved env:eu",
          [
            ["!is:resolvd", "!is:resolved"],
            ["env:eu", "environment:eu"],
          ],
        ],
      ] as const) {
        const page = await wire.admin.get(path, { query })
        expect(page.hints).toEqual(hints.map(([token, did_you_mean]) => ({ token, did_you_mean })))
      }
      // It is still searched for as text.
      const { groups } = await wire.admin.get(path, { query: "enviroment:production" })
      expect(groups.map(({ id }: Json) => id)).toEqual([group.id])
      for (const query of ["", "TypeError: foo", "is:unresolved environment:production"]) {
        const page = await wire.admin.get(path, { query })
        expect([query, Object.keys(page).sort()]).toEqual([query, ["groups", "has_more", "next_cursor"]])
      }
    }),
  ],
}
