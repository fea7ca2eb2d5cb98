import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const rows = ["POST /projects/{project_id}/groups/{group_id}/bulk_merge", "Transition merge", "Decision 4.7"]

export const mergeWire: WireFile = {
  name: "Merge",
  cases: [
    wireCase(
      "moves the sources' reports, counts, times, severity and tags to the target",
      rows,
      async (wire) => {
        const { admin, member } = wire
        const project = await Given.project(wire, [member])
        const old = Given.failure({
          level: "fatal",
          timestamp: Given.fromNow(-Given.day),
          environment: "old",
        })
        const [target, one, two] = await Given.groups(wire, project, [
          Given.failure({ level: "info" }),
          old,
          Given.failure(),
        ])
        await admin.post(`${two.path}/notes`, { content: "kept" }, 201)
        const body = { group_ids: [one.id, two.id] }
        expect(await member.post(`${target.path}/bulk_merge`, body, 200)).toEqual({
          processed: 2,
          merged_into_id: target.id,
        })

        expect(await admin.get(target.path)).toMatchObject({
          error_type: target.error_type,
          reports_count: 3,
          severity: "fatal",
          first_occurred_at: one.first_occurred_at,
          last_occurred_at: two.last_occurred_at,
        })
        const { reports } = await admin.get(`${target.path}/reports`)
        expect(reports.map(({ error_type }: Json) => error_type).sort()).toEqual(
          [target, one, two].map(({ error_type }) => error_type).sort(),
        )
        for (const report of reports) {
          expect(report.group_id).toBe(target.id)
          expect(await admin.get(`${project.path}/reports/${report.event_id}`)).toMatchObject({
            group_id: target.id,
          })
        }
        const { groups } = await admin.get(`${project.path}/groups`, { query: "environment:old" })
        expect(groups.map(({ id }: Json) => id)).toEqual([target.id])
        const notes = await Given.notesOn(wire, target)
        expect((await admin.get(target.path)).notes_count).toBe(notes.length)
        expect(notes.find(({ automated }) => automated)).toMatchObject({
          group_id: target.id,
          user: { id: member.id },
        })
        expect(await admin.get(project.path)).toMatchObject({ reports_count: 3 })
      },
    ),

    wireCase(
      "takes the sources out of every list, and tells where they went",
      [...rows, "Status 404", "Decision 4.8"],
      async (wire) => {
        const { admin } = wire
        const project = await Given.project(wire)
        const [target, source] = await Given.groups(wire, project, 2)
        await admin.post(`${target.path}/bulk_merge`, { group_ids: [source.id] }, 200)
        const { groups } = await admin.get(`${project.path}/groups`, { status: "all" })
        expect(groups.map(({ id }: Json) => id)).toEqual([target.id])
        for (const [method, path, body] of [
          ["GET", ""],
          ["POST", "/resolve"],
          ["DELETE", "/resolve"],
          ["POST", "/mute"],
          ["DELETE", "/mute"],
          ["GET", "/reports"],
          ["GET", "/notes"],
          ["POST", "/notes", { content: "too late" }],
          ["PUT", "/assignee", { user_id: admin.id }],
          ["DELETE", "/assignee"],
        ] as const) {
          const problem = await admin.expect(
            404,
            method,
            source.path + path,
            body === undefined ? {} : { body },
          )
          expect([method, path, problem.merged_into_id]).toEqual([method, path, target.id])
        }
        const body = { group_ids: [source.id, target.id] }
        expect(await admin.post(`${target.path}/bulk_resolve`, body, 200)).toEqual({ processed: 1 })
      },
    ),

    wireCase("sends later reports of a source to the target", rows, async (wire) => {
      const project = await Given.project(wire)
      const type = word("Source")
      const [target, source] = await Given.groups(wire, project, [Given.failure(), Given.failure({}, type)])
      await wire.admin.post(`${target.path}/bulk_merge`, { group_ids: [source.id] }, 200)
      await wire.admin.post(`${target.path}/resolve`)
      expect(await Given.again(wire, project, type)).toMatchObject({ group_id: target.id })
      expect(await wire.admin.get(target.path)).toMatchObject({ reports_count: 3, resolved: false })
    }),

    wireCase("goes on where a target is merged itself", rows, async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const type = word("First")
      const [first, second, third] = await Given.groups(wire, project, [
        Given.failure({}, type),
        Given.failure(),
        Given.failure(),
      ])
      await admin.post(`${second.path}/bulk_merge`, { group_ids: [first.id] }, 200)
      await admin.post(`${third.path}/bulk_merge`, { group_ids: [second.id] }, 200)
      expect(await admin.get(third.path)).toMatchObject({ reports_count: 3 })
      expect(await Given.again(wire, project, type)).toMatchObject({ group_id: third.id })
      expect((await admin.get(second.path, {}, 404)).merged_into_id).toBe(third.id)
      expect([second.id, third.id]).toContain((await admin.get(first.path, {}, 404)).merged_into_id)
    }),

    wireCase(
      "is refused as a whole into itself, and where a group is merged already",
      [...rows, "Groups 2", "Status 422"],
      async (wire) => {
        const { admin } = wire
        const project = await Given.project(wire)
        const [target, source, merged, other] = await Given.groups(wire, project, 4)
        await admin.post(`${other.path}/bulk_merge`, { group_ids: [merged.id] }, 200)
        const before = await admin.get(target.path)
        const refused = (path: string, ...group_ids: ReadonlyArray<number>) =>
          admin.send("POST", `${path}/bulk_merge`, { body: { group_ids } })
        await admin.refused(
          "POST",
          `${target.path}/bulk_merge`,
          { body: { group_ids: [target.id] } },
          "group_ids",
        )
        expect((await refused(target.path, source.id, target.id)).status).toBe(422)
        expect((await refused(target.path, source.id, merged.id)).status).toBe(422)
        expect((await refused(merged.path, source.id)).status).toBe(422)
        expect(await admin.get(target.path)).toEqual(before)
        expect(await admin.get(source.path)).toMatchObject({ reports_count: 1, notes_count: 0 })
      },
    ),

    wireCase("skips groups that are unknown or of another project", rows, async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [target, source] = await Given.groups(wire, project, 2)
      const foreign = await Given.group(wire, await Given.project(wire))
      const group_ids = [foreign.id, 999_999_999_999, source.id, source.id]
      expect(await admin.post(`${target.path}/bulk_merge`, { group_ids }, 200)).toMatchObject({
        processed: 1,
      })
      expect(await admin.get(foreign.path)).toMatchObject({ reports_count: 1 })
      const nobody = { group_ids: [foreign.id] }
      expect(await admin.post(`${target.path}/bulk_merge`, nobody, 200)).toEqual({
        processed: 0,
        merged_into_id: target.id,
      })
      await admin.post(`${project.path}/groups/${foreign.id}/bulk_merge`, { group_ids: [source.id] }, 404)
    }),

    wireCase("happens once where two ask at once for opposite ways", rows, async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [one, two] = await Given.groups(wire, project, 2)
      const answers = await Promise.all([
        admin.send("POST", `${one.path}/bulk_merge`, { body: { group_ids: [two.id] } }),
        admin.send("POST", `${two.path}/bulk_merge`, { body: { group_ids: [one.id] } }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
      const { groups } = await admin.get(`${project.path}/groups`)
      expect(groups.map(({ reports_count }: Json) => reports_count)).toEqual([2])
    }),
  ],
}
