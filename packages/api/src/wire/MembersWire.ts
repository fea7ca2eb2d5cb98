import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import type { Wire } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const idsOf = async ({ admin }: Wire, { path }: Json) =>
  (await admin.get(`${path}/users`, { limit: 100 })).users.map(({ id }: Json) => id)

export const membersWire: WireFile = {
  name: "Members",
  cases: [
    wireCase("are added and removed, and have access in between", async (wire) => {
      const { admin, member, stranger } = wire
      const project = await Given.project(wire)
      await member.get(project.path, {}, 404)
      expect(await idsOf(wire, project)).not.toContain(member.id)
      await admin.post(`${project.path}/users`, { user_id: member.id, role: "admin", user: {} })
      const { users } = await admin.get(`${project.path}/users`, { limit: 100 })
      const found = users.find(({ id }: Json) => id === member.id)
      expect(found).toEqual(await admin.get(`/users/${member.id}`))
      expect(found).toMatchObject({ role: "member" })
      expect(found.project_ids).toContain(project.id)
      expect(await idsOf(wire, project)).toEqual(expect.arrayContaining([admin.id]))
      expect(await idsOf(wire, project)).not.toContain(stranger.id)
      await member.get(project.path)
      await admin.delete(`${project.path}/users/${member.id}`)
      await member.get(project.path, {}, 404)
      expect(await idsOf(wire, project)).not.toContain(member.id)
      expect(await admin.get(`/users/${member.id}`)).toMatchObject({ active: true })
      await member.get("/projects")
    }),

    wireCase("see the ids and names of possible assignees", async (wire) => {
      const { admin, member, stranger } = wire
      const project = await Given.project(wire, [member])
      const { assignees } = await member.get(`${project.path}/assignees`, { limit: 100 })
      const { users } = await admin.get(`${project.path}/users`, { limit: 100 })
      expect(assignees).toEqual(users.map(({ id, name }: Json) => ({ id, name })))
      expect(assignees.map(({ id }: Json) => id)).toEqual(expect.arrayContaining([admin.id, member.id]))
      expect(assignees.map(({ id }: Json) => id)).not.toContain(stranger.id)
      await stranger.get(`${project.path}/assignees`, {}, 404)
      await member.get(`${project.path}/users`, {}, 403)
      await member.get("/projects/999999999/assignees", {}, 404)
    }),

    wireCase("are added and removed as often as one likes", async (wire) => {
      const { admin, member, stranger } = wire
      const project = await Given.project(wire)
      for (let times = 0; times < 2; times++) {
        await admin.post(`${project.path}/users`, { user_id: member.id })
        await admin.post(`${project.path}/users`, { user_id: admin.id })
      }
      expect((await idsOf(wire, project)).filter((id: number) => id === member.id)).toHaveLength(1)
      for (let times = 0; times < 2; times++) await admin.delete(`${project.path}/users/${member.id}`)
      await admin.delete(`${project.path}/users/${stranger.id}`)
      await admin.delete(`${project.path}/users/${admin.id}`)
      expect(await idsOf(wire, project)).toContain(admin.id)
    }),

    wireCase("are existing, active users", async (wire) => {
      const { admin } = wire
      const { person } = await wire.leaver()
      const project = await Given.project(wire)
      const before = await idsOf(wire, project)
      const refused = (body?: unknown) => admin.refused("POST", `${project.path}/users`, { body }, "user_id")
      for (const user_id of [person.id, 999_999_999, 0, -1, 1.5, "1", "", null, true, [], {}, 1e300]) {
        await refused({ user_id })
      }
      for (const body of [{}, undefined, { user: { user_id: wire.member.id } }]) await refused(body)
      expect(await idsOf(wire, project)).toEqual(before)
    }),
  ],
}
