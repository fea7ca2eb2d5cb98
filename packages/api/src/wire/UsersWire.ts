import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const keys = ["active", "created_at", "email_address", "id", "name", "project_ids", "role", "updated_at"]

export const usersWire: WireFile = {
  name: "Users",
  cases: [
    wireCase("are listed and read with the projects that they can access", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const user = await admin.get(`/users/${member.id}`)
      expect(Object.keys(user).sort()).toEqual(keys)
      expect(user).toMatchObject({
        id: member.id,
        email_address: member.emailAddress,
        role: "member",
        active: true,
      })
      expect(user.project_ids).toContain(project.id)
      const { users } = await admin.get("/users", { limit: 100 })
      expect(users.find(({ id }: Json) => id === member.id)).toEqual(user)
      const ids = users.map(({ id }: Json) => id)
      expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a))
      await admin.get("/users/999999999", {}, 404)
    }),

    wireCase("are created by admins, with a renewable link for signing in", async (wire) => {
      const { admin, member } = wire
      const emailAddress = `${word("someone")}@example.com`
      const { mailed, sign_in_link, sign_in_link_expires_at, ...user } = await admin.post(
        "/users",
        { email_address: emailAddress, role: "member", active: false },
        201,
      )
      expect(user).toMatchObject({
        email_address: emailAddress,
        name: emailAddress,
        role: "member",
        active: true,
        project_ids: [],
      })
      const link = /\/sign_in\/link\?token=errata-link_[\w-]{43}$/
      expect(sign_in_link).toMatch(link)
      // The instances under test have no mail server.
      expect(mailed).toBe(false)
      expect(Date.parse(sign_in_link_expires_at)).toBeGreaterThan(Date.now())
      const path = `/users/${user.id}/sign_in_link`
      const other = await admin.post(path, undefined, 201)
      expect(other.sign_in_link).toMatch(link)
      expect(other.mailed).toBe(false)
      expect(other.sign_in_link).not.toBe(sign_in_link)
      await member.post(path, undefined, 403)
      await member.post("/users", { email_address: `${word()}@example.com` }, 403)
      await admin.post("/users/999999999/sign_in_link", undefined, 404)
      await admin.refused("POST", "/users", { body: { email_address: emailAddress } }, "email_address")
      for (const email_address of ["", "nobody", "a b@example.com", 1, null, undefined]) {
        await admin.refused("POST", "/users", { body: { email_address, name: "x" } }, "email_address")
      }
      const wrong = { email_address: `${word()}@example.com`, role: "owner" }
      await admin.refused("POST", "/users", { body: wrong }, "role")
      await admin.delete(`/users/${user.id}`)
      await admin.post(path, undefined, 422)
    }),

    wireCase("have one API key, which an admin can replace at once", async (wire) => {
      const { admin, member } = wire
      const { id } = await admin.post("/users", { email_address: `${word("key")}@example.com` }, 201)
      const replaced = async () =>
        wire.caller((await admin.post(`/users/${id}/api_key`, undefined, 201)).api_key)
      const first = await replaced()
      await first.get("/projects")
      const second = await replaced()
      await first.get("/projects", {}, 401)
      await second.get("/projects")
      await member.post(`/users/${id}/api_key`, undefined, 403)
      await admin.post("/users/999999999/api_key", undefined, 404)
    }),

    wireCase("have access to every project while they are admins", async (wire) => {
      const { admin, member } = wire
      const mine = await Given.project(wire, [member])
      const other = await Given.project(wire)
      const path = `/users/${member.id}`
      await member.get(other.path, {}, 404)
      try {
        const promoted = await admin.patch(path, { role: "admin", name: "ignored", active: false })
        expect(promoted).toMatchObject({ id: member.id, role: "admin", active: true })
        expect(promoted.name).not.toBe("ignored")
        expect(promoted.project_ids).toEqual(expect.arrayContaining([mine.id, other.id]))
        await member.get(other.path)
        await member.get("/users")
        const { id } = await Given.project({ ...wire, admin: member })
        expect((await admin.get(path)).project_ids).toContain(id)
        expect(await member.patch(path, { role: "admin" })).toMatchObject({ role: "admin" })
      } finally {
        await admin.patch(path, { role: "member" })
      }
      const demoted = await admin.get(path)
      expect(demoted).toMatchObject({ role: "member" })
      expect(demoted.project_ids).toContain(mine.id)
      expect(demoted.project_ids).not.toContain(other.id)
      await member.get(other.path, {}, 404)
      await member.get("/users", {}, 403)
    }),

    wireCase("have one of two roles", async (wire) => {
      const { admin, member } = wire
      const path = `/users/${member.id}`
      for (const role of ["", "owner", "Admin", "admin ", 1, null, true, [], ["admin"], {}]) {
        await admin.refused("PATCH", path, { body: { role } }, "role")
      }
      for (const body of [{}, undefined, { name: "x" }, { user: { role: "admin" } }]) {
        await admin.refused("PATCH", path, { body }, "role")
      }
      expect(await admin.get(path)).toMatchObject({ role: "member" })
      await admin.patch("/users/999999999", { role: "member" }, 404)
    }),

    wireCase("lose access immediately when they are deactivated, and leave every list", async (wire) => {
      const { admin } = wire
      const { person, projectId } = await wire.leaver()
      for (const path of ["/projects", `/projects/${projectId}`, "/apps"]) {
        await person.get(path, {}, 401)
      }
      expect(await admin.get(`/users/${person.id}`)).toMatchObject({ active: false })
      for (const path of ["/users", `/projects/${projectId}/users`]) {
        const { users } = await admin.get(path, { limit: 100 })
        expect(users.map(({ id }: Json) => id)).not.toContain(person.id)
        for (const { active } of users) expect(active).toBe(true)
      }
      // A deactivated user cannot be reactivated by a change of the role.
      await admin.delete(`/users/${person.id}`)
      await admin.refused("PATCH", `/users/${person.id}`, { body: { role: "admin" } }, "role")
      await person.get("/projects", {}, 401)
      await admin.delete("/users/999999999", undefined, 404)
    }),

    wireCase("keep at least one active admin", async ({ admin, member }) => {
      const path = `/users/${admin.id}`
      await admin.refused("PATCH", path, { body: { role: "member" } }, "role")
      expect((await admin.send("DELETE", path)).status).toBe(422)
      expect(await admin.get(path)).toMatchObject({ role: "admin", active: true })
      expect(await admin.patch(path, { role: "admin" })).toMatchObject({ role: "admin" })
      // Two admins demote each other at the same time: one must stay an admin.
      await admin.patch(`/users/${member.id}`, { role: "admin" })
      const answers = await Promise.all([
        admin.send("PATCH", path, { body: { role: "member" } }),
        admin.send("PATCH", `/users/${member.id}`, { body: { role: "member" } }),
      ])
      try {
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      } finally {
        await member.send("PATCH", path, { body: { role: "admin" } })
        await admin.send("PATCH", `/users/${member.id}`, { body: { role: "member" } })
      }
      expect(await admin.get(path)).toMatchObject({ role: "admin" })
      expect(await admin.get(`/users/${member.id}`)).toMatchObject({ role: "member" })
    }),
  ],
}
