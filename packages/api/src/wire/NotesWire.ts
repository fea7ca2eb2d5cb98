import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const notesWire: WireFile = {
  name: "Notes",
  cases: [
    wireCase("are written and listed newest first, and counted", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const group = await Given.group(wire, project)
      const path = `${group.path}/notes`
      expect(await member.get(path)).toEqual({ notes: [], next_cursor: null, has_more: false })
      const content = ` lines\n\nand "quotes", ünïcode 🦆 <b>&amp;</b> `
      const first = await member.post(path, { content, automated: true, user: null, id: 1 }, 201)
      expect(Object.keys(first).sort()).toEqual([
        "automated",
        "content",
        "created_at",
        "group_id",
        "id",
        "user",
      ])
      expect(first).toMatchObject({
        content,
        group_id: group.id,
        automated: false,
        user: { id: member.id, email_address: member.emailAddress },
      })
      expect(Object.keys(first.user).sort()).toEqual(["email_address", "id", "name"])
      const second = await admin.post(path, { content: "x".repeat(10_000) }, 201)
      expect((await member.get(path)).notes).toEqual([second, first])
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 2 })
    }),

    wireCase("reject content that is missing, blank or too long", async (wire) => {
      const group = await Given.group(wire, await Given.project(wire))
      const refused = (body?: unknown) =>
        wire.admin.refused("POST", `${group.path}/notes`, { body }, "content")
      for (const content of ["", "  \n\t", 5, null, true, [], {}, "x".repeat(10_001), "a\0b", "\udc00"]) {
        await refused({ content })
      }
      for (const body of [{}, undefined, { note: { content: "wrapped" } }]) await refused(body)
      expect(await wire.admin.get(group.path)).toMatchObject({ notes_count: 0 })
    }),

    wireCase("are deleted by their author or an admin only", async (wire) => {
      const { admin, member, stranger } = wire
      const project = await Given.project(wire, [member, stranger])
      const group = await Given.group(wire, project)
      const path = `${group.path}/notes`
      const write = async (person: typeof admin) => (await person.post(path, { content: "mine" }, 201)).id
      const [first, second, third] = [await write(member), await write(member), await write(admin)]
      await stranger.delete(`${path}/${first}`, undefined, 403)
      await member.delete(`${path}/${third}`, undefined, 403)
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 3 })
      await member.delete(`${path}/${first}`)
      await admin.delete(`${path}/${second}`)
      await member.delete(`${path}/${first}`, undefined, 404)
      expect((await admin.get(path)).notes.map(({ id }: Json) => id)).toEqual([third])
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 1 })
    }),

    wireCase("are found on their own group only", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const [one, two] = await Given.groups(wire, project, 2)
      const { id } = await admin.post(`${one.path}/notes`, { content: "here" }, 201)
      expect((await admin.get(`${two.path}/notes`)).notes).toEqual([])
      await admin.delete(`${two.path}/notes/${id}`, undefined, 404)
      await admin.delete(`${(await Given.project(wire)).path}/groups/${one.id}/notes/${id}`, undefined, 404)
      expect((await admin.get(`${one.path}/notes`)).notes).toHaveLength(1)
    }),

    wireCase("count once under concurrent deletions", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      const { id } = await admin.post(`${group.path}/notes`, { content: "once" }, 201)
      await admin.post(`${group.path}/notes`, { content: "stays" }, 201)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => admin.send("DELETE", `${group.path}/notes/${id}`)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
      expect(await admin.get(group.path)).toMatchObject({ notes_count: 1 })
    }),

    wireCase("are added automatically when a group is changed", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const [group, source] = await Given.groups(wire, project, 2)
      const authors: Array<number> = []
      for (const [person, method, action, body] of [
        [member, "POST", "resolve"],
        [admin, "DELETE", "resolve"],
        [member, "POST", "mute"],
        [admin, "DELETE", "mute"],
        [member, "PUT", "assignee", { user_id: admin.id }],
        [admin, "DELETE", "assignee"],
      ] as const) {
        await person.expect(204, method, `${group.path}/${action}`, body === undefined ? {} : { body })
        authors.unshift(person.id)
      }
      await member.post(`${group.path}/bulk_merge`, { group_ids: [source.id] }, 200)
      authors.unshift(member.id)
      const all = await Given.notesOn(wire, group)
      expect(all.map(({ user }) => user.id)).toEqual(authors)
      for (const note of all) {
        expect(note.automated).toBe(true)
        expect(note.content.trim()).not.toBe("")
      }
    }),
  ],
}
