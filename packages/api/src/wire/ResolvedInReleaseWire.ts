import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { type Wire, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

/** Creates a group with one report. Returns it with a function that reports again from a release. */
const givenGroup = async (wire: Wire, release = "shop@1.0.0") => {
  const project = await Given.project(wire, [wire.member])
  const type = word("Released")
  const group = await Given.group(wire, project, Given.failure({ release }, type))
  return {
    project,
    group,
    again: (release?: string) => Given.again(wire, project, type, release === undefined ? {} : { release }),
  }
}

const contentsOn = async (wire: Wire, group: Json) =>
  (await Given.notesOn(wire, group)).map(({ content }) => content).reverse()

export const resolvedInReleaseWire: WireFile = {
  name: "ResolvedInRelease",
  cases: [
    wireCase("in the next release: only a release that is first seen later reopens", async (wire) => {
      const { admin, member } = wire
      const { again, group, project } = await givenGroup(wire)
      await Given.report(wire, project, Given.failure({ release: "elsewhere" }))
      await member.post(`${group.path}/resolve`, { in_release: "next", unknown: 1 })
      const resolved = await admin.get(group.path)
      expect(resolved).toMatchObject({
        resolved: true,
        resolver_id: member.id,
        resolved_in_release: "next",
        notes_count: 1,
      })
      await again("shop@1.0.0")
      await again()
      await again("elsewhere")
      expect(await admin.get(group.path)).toMatchObject({
        resolved: true,
        resolved_at: resolved.resolved_at,
        resolved_in_release: "next",
        reports_count: 4,
        notes_count: 1,
      })
      const { groups } = await admin.get(`${project.path}/groups`, { query: "is:resolved" })
      expect(groups).toMatchObject([{ id: group.id, resolved_in_release: "next" }])
      await again("shop@0.9.0")
      expect(await admin.get(group.path)).toMatchObject({
        resolved: false,
        resolved_at: null,
        resolved_in_release: null,
      })
      expect(await contentsOn(wire, group)).toEqual([
        "Resolved in the next release",
        "Reopened by a new report in release shop@0.9.0",
      ])
    }),

    wireCase("in a version: reports of that version or a newer one reopen", async (wire) => {
      const { admin } = wire
      const { again, group } = await givenGroup(wire)
      await admin.post(`${group.path}/resolve`, { in_release: "shop@1.2.0" })
      for (const release of ["shop@1.1.9", "shop@1.2.0-rc.1", "shop@1.0.0", "api@7.0.0"]) await again(release)
      expect(await admin.get(group.path)).toMatchObject({
        resolved: true,
        resolved_in_release: "shop@1.2.0",
      })
      await again("shop@1.10.0+7")
      expect(await admin.get(group.path)).toMatchObject({ resolved: false, resolved_in_release: null })
      expect(await contentsOn(wire, group)).toEqual([
        "Resolved in release shop@1.2.0",
        "Reopened by a new report in release shop@1.10.0+7",
      ])
    }),

    wireCase("reopens with any report without a release, which can be set later", async (wire) => {
      const { admin } = wire
      const { again, group } = await givenGroup(wire)
      for (const body of [undefined, "", {}]) {
        await admin.post(`${group.path}/resolve`, body)
        expect(await admin.get(group.path)).toMatchObject({ resolved: true, resolved_in_release: null })
      }
      await admin.post(`${group.path}/resolve`, { in_release: "4f2a9c1" })
      await admin.post(`${group.path}/resolve`)
      await admin.post(`${group.path}/resolve`, { in_release: "4f2a9c1" })
      expect(await admin.get(group.path)).toMatchObject({ resolved_in_release: "4f2a9c1", notes_count: 2 })
      await again("shop@2.0.0")
      expect(await admin.get(group.path)).toMatchObject({ resolved: true })
      await admin.delete(`${group.path}/resolve`)
      await admin.post(`${group.path}/resolve`)
      await again("shop@1.0.0")
      expect(await admin.get(group.path)).toMatchObject({ resolved: false })
    }),

    wireCase("in bulk, skips groups that are already resolved", async (wire) => {
      const { admin } = wire
      const groups = await Given.groups(wire, await Given.project(wire), 3)
      const [one, two, done] = groups
      await admin.post(`${done.path}/resolve`)
      const body = { group_ids: groups.map(({ id }) => id), in_release: "next" }
      expect(await admin.post(`${one.path}/bulk_resolve`, body, 200)).toEqual({ processed: 2 })
      for (const { path } of [one, two]) {
        expect(await admin.get(path)).toMatchObject({ resolved: true, resolved_in_release: "next" })
      }
      expect(await admin.get(done.path)).toMatchObject({ resolved_in_release: null })
      expect(await contentsOn(wire, one)).toEqual(["Resolved in the next release"])
    }),

    wireCase("a mute until the next release ends with that release", async (wire) => {
      const { admin, member } = wire
      const { again, group, project } = await givenGroup(wire)
      const other = await Given.group(wire, project, Given.failure({ release: "shop@1.0.0" }))
      await member.post(`${group.path}/mute`, { until_release: "next" })
      const body = { group_ids: [group.id, other.id], until_release: "next" }
      expect(await admin.post(`${group.path}/bulk_mute`, body, 200)).toEqual({ processed: 1 })
      for (const [{ path }, muter] of [
        [group, member],
        [other, admin],
      ] as const) {
        expect(await admin.get(path)).toMatchObject({
          muted: true,
          mute_source: "manual",
          muter_id: muter.id,
          muted_until_release: "next",
          muted_until: null,
          muted_until_reports_count: null,
        })
      }
      await again("shop@1.0.0")
      await again()
      expect(await admin.get(group.path)).toMatchObject({ muted: true, muted_until_release: "next" })
      await again("shop@1.0.1")
      expect(await admin.get(group.path)).toMatchObject({
        muted: false,
        muted_at: null,
        muted_until_release: null,
      })
      expect(await contentsOn(wire, group)).toEqual([
        "Muted until the next release",
        "Unmuted: a report of release shop@1.0.1 arrived",
      ])
      await admin.post(`${other.path}/mute`)
      expect(await admin.get(other.path)).toMatchObject({ muted: true, muted_until_release: null })
    }),

    wireCase("survives a merge and its undoing", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [target, source] = await Given.groups(wire, project, 2)
      await admin.post(`${source.path}/resolve`, { in_release: "shop@2.0.0" })
      await admin.post(`${target.path}/bulk_merge`, { group_ids: [source.id] }, 200)
      const { merges } = await admin.get(`${target.path}/merges`)
      await admin.delete(`${target.path}/merges/${merges[0].id}`)
      expect(await admin.get(source.path)).toMatchObject({ resolved_in_release: "shop@2.0.0" })
    }),

    wireCase("rejects invalid releases by field", async (wire) => {
      const { admin } = wire
      const { group } = await givenGroup(wire)
      const refused = (action: string, body: object, field: string) =>
        admin.refused("POST", `${group.path}/${action}`, { body }, field)
      for (const in_release of ["", "x".repeat(201), "a\0b", "a\nb", 1, null, ["next"], {}]) {
        await refused("resolve", { in_release }, "in_release")
        await refused("bulk_resolve", { group_ids: [group.id], in_release }, "in_release")
      }
      for (const [status, body, type] of [
        [400, '{"in_release":', "application/json"],
        [415, '{"in_release":"next"}', "application/x-www-form-urlencoded"],
        [422, '["in_release"]', "application/json"],
      ] as const) {
        const headers = { "content-type": type }
        await admin.expect(status, "POST", `${group.path}/resolve`, { body, headers })
      }
      for (const until_release of ["", "shop@1.0.0", "Next", 1, null, true]) {
        await refused("mute", { until_release }, "until_release")
        await refused("bulk_mute", { group_ids: [group.id], until_release }, "until_release")
      }
      await refused("mute", { until_release: "next", occurrences: 5 }, "until_release")
      await refused("mute", { until_release: "next", snooze_until: "7d" }, "until_release")
      expect(await admin.get(group.path)).toMatchObject({ resolved: false, muted: false, notes_count: 0 })
    }),
  ],
}
