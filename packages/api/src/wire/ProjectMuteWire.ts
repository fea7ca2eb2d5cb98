import { expect } from "vitest"
import * as Given from "./Given.js"
import { eventually, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const projectMuteWire: WireFile = {
  name: "ProjectMute",
  cases: [
    wireCase("mutes existing and new groups permanently", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const type = word("Old")
      const old = await Given.group(wire, project, Given.failure({}, type))
      await admin.post(`${project.path}/mute`)

      const muted = await admin.get(project.path)
      expect(muted).toMatchObject({ muted: true, muted_until: null, muter_id: admin.id })
      expect(muted.muted_at).not.toBeNull()
      const fresh = await Given.group(wire, project)
      for (const id of [old.id, fresh.id]) {
        const group = await Given.groupOf(wire, project, id)
        expect(group).toMatchObject({
          muted: true,
          mute_source: "project",
          muted_at: null,
          project_muted_until: null,
        })
        expect(group.project_muted_at).not.toBeNull()
      }
      await Given.again(wire, project, type)
      expect(await admin.get(old.path)).toMatchObject({ reports_count: 2, muted: true })
    }),

    wireCase("ends at its deadline", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      const far = Given.fromNow(Given.hour)
      await admin.post(`${project.path}/mute`, { snooze_until: far })
      expect(await admin.get(project.path)).toMatchObject({ muted: true, muted_until: far })
      expect(await admin.get(group.path)).toMatchObject({ muted: true, project_muted_until: far })
      const fresh = await Given.group(wire, project)
      expect(fresh).toMatchObject({ muted: true, mute_source: "project", project_muted_until: far })

      await Given.mutedBriefly(wire, project)
      for (const path of [project.path, group.path, fresh.path]) {
        await eventually(`${path} is no longer muted`, async () => {
          const { muted } = await admin.get(path)
          return muted === false ? true : undefined
        })
      }
      expect(await admin.get(group.path)).toMatchObject({ muted: false, mute_source: null })
      expect(await Given.group(wire, project)).toMatchObject({ muted: false, project_muted_at: null })
    }),

    wireCase("replaces the one before", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      await admin.post(`${project.path}/mute`, { snooze_until: Given.fromNow(Given.hour) })
      await admin.post(`${project.path}/mute`)
      expect(await admin.get(project.path)).toMatchObject({ muted: true, muted_until: null })
      expect(await admin.get(group.path)).toMatchObject({ muted: true, project_muted_until: null })
    }),

    wireCase("rejects a deadline that is invalid or in the past", async (wire) => {
      const project = await Given.project(wire)
      for (const snooze_until of [
        "",
        "soon",
        "2020-13-01",
        5,
        null,
        {},
        true,
        Given.fromNow(-Given.minute),
        "2020-01-01",
      ]) {
        await wire.admin.refused("POST", `${project.path}/mute`, { body: { snooze_until } }, "snooze_until")
      }
      expect(await wire.admin.get(project.path)).toMatchObject({ muted: false, muted_at: null })
    }),

    wireCase("mutes permanently if the body has no deadline", async (wire) => {
      for (const body of [{}, { occurrences: 5, project: { snooze_until: Given.fromNow(Given.hour) } }]) {
        const project = await Given.project(wire)
        await wire.admin.post(`${project.path}/mute`, body)
        expect(await wire.admin.get(project.path)).toMatchObject({ muted: true, muted_until: null })
      }
    }),

    wireCase("ends for new groups only; existing ones stay muted until they are unmuted", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const old = await Given.group(wire, project)
      await admin.post(`${project.path}/mute`)
      await admin.delete(`${project.path}/mute`)
      expect(await admin.get(project.path)).toMatchObject({
        muted: false,
        muted_at: null,
        muted_until: null,
        muter_id: null,
      })
      expect(await Given.group(wire, project)).toMatchObject({ muted: false, project_muted_at: null })
      expect(await admin.get(old.path)).toMatchObject({ muted: true, mute_source: "project" })
      await admin.delete(`${old.path}/mute`)
      expect(await admin.get(old.path)).toMatchObject({
        muted: false,
        project_muted_at: null,
        mute_source: null,
      })
      await admin.delete(`${project.path}/mute`)
    }),

    wireCase("is combined with a mute of the group itself", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const [both, manual] = await Given.groups(wire, project, 2)
      await member.post(`${both.path}/mute`)
      expect(await admin.get(both.path)).toMatchObject({ mute_source: "manual" })
      await admin.post(`${project.path}/mute`)
      expect(await admin.get(both.path)).toMatchObject({
        muted: true,
        mute_source: "manual_and_project",
        muter_id: member.id,
      })
      await member.post(`${manual.path}/mute`, { occurrences: 3 })
      expect(await admin.get(manual.path)).toMatchObject({
        mute_source: "manual_and_project",
        muted_until_reports_count: 4,
      })
      await member.delete(`${both.path}/mute`)
      expect(await admin.get(both.path)).toMatchObject({
        muted: false,
        mute_source: null,
        muted_at: null,
        muter_id: null,
        project_muted_at: null,
      })
    }),

    wireCase("runs out without ending a mute of the group itself", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project)
      await admin.post(`${group.path}/mute`)
      await Given.mutedBriefly(wire, project)
      const left = await eventually("the mute of the project has run out", async () => {
        const now = await admin.get(group.path)
        return now.mute_source === "manual" ? now : undefined
      })
      expect(left).toMatchObject({ muted: true })
    }),
  ],
}
