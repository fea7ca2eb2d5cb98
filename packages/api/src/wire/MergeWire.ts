import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const mergeWire: WireFile = {
  name: "Merge",
  cases: [
    wireCase("moves the sources' reports, counts, times, severity and tags to the target", async (wire) => {
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
    }),

    wireCase("removes sources from lists, and answers 404 with the target id", async (wire) => {
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
    }),

    wireCase("sends later reports of a source to the target", async (wire) => {
      const project = await Given.project(wire)
      const type = word("Source")
      const [target, source] = await Given.groups(wire, project, [Given.failure(), Given.failure({}, type)])
      await wire.admin.post(`${target.path}/bulk_merge`, { group_ids: [source.id] }, 200)
      await wire.admin.post(`${target.path}/resolve`)
      expect(await Given.again(wire, project, type)).toMatchObject({ group_id: target.id })
      expect(await wire.admin.get(target.path)).toMatchObject({ reports_count: 3, resolved: false })
    }),

    wireCase(
      "adds the source's reports to the end of the target's mute by count, with a note",
      async (wire) => {
        const { admin } = wire
        const project = await Given.project(wire)
        const [target, source] = await Given.groups(wire, project, 2)
        await admin.post(`${target.path}/mute`, { occurrences: 3 })
        expect(await admin.get(target.path)).toMatchObject({ muted_until_reports_count: 4 })
        expect(await admin.post(`${target.path}/bulk_merge`, { group_ids: [source.id] }, 200)).toEqual({
          processed: 1,
          merged_into_id: target.id,
          muted_until_reports_count: 5,
        })
        expect(await admin.get(target.path)).toMatchObject({ muted: true, muted_until_reports_count: 5 })
        const lastNote = async () => (await Given.notesOn(wire, target))[0]?.content
        expect(await lastNote()).toBe(`Merged with group ${source.id}. Still muted, now until 5 reports`)
        const [merge] = (await admin.get(`${target.path}/merges`)).merges
        await admin.delete(`${target.path}/merges/${merge.id}`)
        expect(await admin.get(target.path)).toMatchObject({ muted_until_reports_count: 4 })
        expect(await lastNote()).toBe(`Unmerged from group ${source.id}. Still muted, now until 4 reports`)
      },
    ),

    wireCase("sends reports to the last target when a target is merged", async (wire) => {
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

    wireCase("changes nothing if a group is merged into itself or is merged already", async (wire) => {
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
    }),

    wireCase("skips groups that are unknown or of another project", async (wire) => {
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

    wireCase("can be undone: each group gets back its own data and later reports", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const types = [word("Target"), word("One"), word("Two")] as const
      const given = [{ level: "info" }, { level: "fatal", environment: "old" }, {}]
      const [target, one, two] = await Given.groups(
        wire,
        project,
        types.map((type, i) => Given.failure(given[i], type)),
      )
      await admin.post(`${one.path}/notes`, { content: "kept" }, 201)
      await admin.post(`${one.path}/resolve`)
      await admin.post(`${target.path}/bulk_merge`, { group_ids: [one.id, two.id] }, 200)
      const [merge] = (await admin.get(`${target.path}/merges`)).merges.filter(
        ({ source_id }: Json) => source_id === one.id,
      )
      expect(merge).toEqual({
        id: expect.any(Number),
        source_id: one.id,
        source_error_type: one.error_type,
        source_error_message: one.error_message,
        source_culprit: one.culprit,
        target_id: target.id,
        merged_at: expect.any(String),
        merged_by: admin.id,
      })
      const since = await Given.again(wire, project, types[1], { level: "warning" })
      expect(since).toMatchObject({ group_id: target.id })
      await admin.post(`${target.path}/notes`, { content: "the target's" }, 201)

      await member.delete(`${target.path}/merges/${merge.id}`)
      expect(await admin.get(one.path)).toMatchObject({
        reports_count: 2,
        severity: "fatal",
        first_occurred_at: one.first_occurred_at,
        last_occurred_at: since.occurred_at,
        resolved: true,
      })
      expect(await admin.get(target.path)).toMatchObject({
        reports_count: 2,
        severity: "error",
        first_occurred_at: target.first_occurred_at,
        last_occurred_at: two.last_occurred_at,
      })
      expect(await admin.get(`${project.path}/reports/${since.event_id}`)).toMatchObject({
        group_id: one.id,
      })
      const { reports } = await admin.get(`${one.path}/reports`)
      expect(reports.map(({ id }: Json) => id)).toContain(since.id)
      const tagged = await admin.get(`${project.path}/groups`, { query: "environment:old" })
      expect(tagged.groups.map(({ id }: Json) => id)).toEqual([one.id])
      const texts = async (group: Json) => (await Given.notesOn(wire, group)).map(({ content }) => content)
      expect(await texts(one)).toEqual([`Unmerged from group ${target.id}`, "Resolved", "kept"])
      expect((await texts(target)).slice(0, 2)).toEqual([`Unmerged from group ${one.id}`, "the target's"])
      for (const group of [one, target]) {
        const { notes_count } = await admin.get(group.path)
        expect(notes_count).toBe((await Given.notesOn(wire, group)).length)
      }
      const { merges } = await admin.get(`${target.path}/merges`)
      expect(merges.map(({ source_id }: Json) => source_id)).toEqual([two.id])
      expect(await admin.get(project.path)).toMatchObject({ groups_count: 2, reports_count: 4 })
      expect(await Given.again(wire, project, types[1])).toMatchObject({ group_id: one.id })
    }),

    wireCase("lists all merges below a group, and undoes each with its members", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [first, second, third] = await Given.groups(wire, project, 3)
      await admin.post(`${second.path}/bulk_merge`, { group_ids: [first.id] }, 200)
      await admin.post(`${third.path}/bulk_merge`, { group_ids: [second.id] }, 200)
      const edges = async ({ path }: Json) =>
        (await admin.get(`${path}/merges`)).merges.map(({ source_id, target_id }: Json) => [
          source_id,
          target_id,
        ])
      expect(await edges(third)).toEqual([
        [second.id, third.id],
        [first.id, second.id],
      ])
      const { merges } = await admin.get(`${third.path}/merges`)
      await admin.delete(`${third.path}/merges/${merges[0].id}`)
      expect(await edges(third)).toEqual([])
      expect(await edges(second)).toEqual([[first.id, second.id]])
      expect(await admin.get(second.path)).toMatchObject({ reports_count: 2 })
      expect((await admin.get(first.path, {}, 404)).merged_into_id).toBe(second.id)
      await admin.post(`${third.path}/bulk_merge`, { group_ids: [second.id] }, 200)
      await admin.delete(`${third.path}/merges/${merges[1].id}`)
      expect(await admin.get(third.path)).toMatchObject({ reports_count: 2 })
      expect(await admin.get(first.path)).toMatchObject({ reports_count: 1 })
      expect((await admin.get(second.path, {}, 404)).merged_into_id).toBe(third.id)
    }),

    wireCase("can be undone once, and only below the target of the merge", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [target, source, other] = await Given.groups(wire, project, 3)
      await admin.post(`${target.path}/bulk_merge`, { group_ids: [source.id] }, 200)
      const [{ id }] = (await admin.get(`${target.path}/merges`)).merges
      await admin.expect(404, "DELETE", `${other.path}/merges/${id}`)
      await admin.expect(404, "DELETE", `${target.path}/merges/${id + 1_000_000}`)
      const foreign = await Given.group(wire, await Given.project(wire))
      await admin.expect(404, "DELETE", `${foreign.path}/merges/${id}`)
      for (const [method, path] of [
        ["GET", `${source.path}/merges`],
        ["DELETE", `${source.path}/merges/${id}`],
      ] as const) {
        expect((await admin.expect(404, method, path)).merged_into_id).toBe(target.id)
      }
      await admin.delete(`${target.path}/merges/${id}`)
      await admin.expect(404, "DELETE", `${target.path}/merges/${id}`)
    }),

    wireCase("succeeds once when two requests merge in opposite directions", async (wire) => {
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
