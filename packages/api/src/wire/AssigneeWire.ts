import { expect } from "vitest"
import * as Given from "./Given.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const assigneeWire: WireFile = {
  name: "Assignee",
  cases: [
    wireCase("can be anybody with access to the project, and can be removed", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      const assignee = async () => (await member.get(group.path)).assignee_id
      await member.put(`${group.path}/assignee`, { user_id: member.id, assignee: { user_id: 1 } })
      expect(await assignee()).toBe(member.id)
      await member.put(`${group.path}/assignee`, { user_id: admin.id })
      await member.put(`${group.path}/assignee`, { user_id: admin.id })
      expect(await assignee()).toBe(admin.id)
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 2, resolved: false, muted: false })
      await member.delete(`${group.path}/assignee`)
      await member.delete(`${group.path}/assignee`)
      expect(await assignee()).toBeNull()
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 3 })
    }),

    wireCase("cannot be unknown, inactive, or without access", async (wire) => {
      const { admin, stranger } = wire
      const { person } = await wire.leaver()
      const group = await Given.group(wire, await Given.project(wire))
      const refused = (body?: unknown) => admin.refused("PUT", `${group.path}/assignee`, { body }, "user_id")
      for (const user_id of [
        stranger.id,
        person.id,
        999_999_999,
        0,
        -1,
        1.5,
        "1",
        null,
        true,
        [],
        {},
        1e300,
      ]) {
        await refused({ user_id })
      }
      for (const body of [{}, undefined, { assignee: { user_id: admin.id } }]) await refused(body)
      // Unknown users and users without access cause the same response.
      const told = (user_id: number) =>
        admin.expect(422, "PUT", `${group.path}/assignee`, { body: { user_id } })
      expect(await told(stranger.id)).toEqual(await told(999_999_999))
      expect(await admin.get(group.path)).toMatchObject({ assignee_id: null, notes_count: 0 })
    }),

    wireCase(
      "see the names of all people who share a project with them, and of people who left",
      async (wire) => {
        const { admin, member, stranger } = wire
        await Given.project(wire, [member])
        await Given.project(wire, [stranger])
        const { person, projectId } = await wire.leaver()
        const peopleOf = async (someone: typeof admin): Promise<ReadonlyArray<number>> => {
          const { people } = await someone.get("/people")
          for (const one of people) expect(Object.keys(one).sort()).toEqual(["id", "name"])
          return people.map(({ id }: { id: number }) => id)
        }
        const all = [admin.id, member.id, stranger.id, person.id]
        expect(await peopleOf(admin)).toEqual(expect.arrayContaining(all))
        await admin.post(`/projects/${projectId}/users`, { user_id: member.id })
        expect(await peopleOf(member)).toEqual(expect.arrayContaining([admin.id, member.id, person.id]))
        expect(await peopleOf(stranger)).not.toContain(person.id)
      },
    ),
  ],
}
