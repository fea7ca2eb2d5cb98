import { expect } from "vitest"
import * as Given from "./Given.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const meWire: WireFile = {
  name: "The caller",
  cases: [
    wireCase("receives their user and the instance", async ({ admin, member, target }) => {
      const { can: _, ...me } = await member.get("/me")
      expect(me).toMatchObject({
        user: { id: member.id, email_address: member.emailAddress, admin: false },
        instance: { base_url: target.baseUrl, service_name: expect.any(String) },
      })
      expect(Object.keys(me.user).sort()).toEqual(["admin", "email_address", "id", "name"])
      expect(me.instance.version).toMatch(/^\d+\.\d+\.\d+/)
      expect((await admin.get("/me")).user).toMatchObject({ id: admin.id, admin: true })
    }),

    wireCase("receives the instance rules that they pass", async ({ admin, member }) => {
      const { can } = await member.get("/me")
      expect(can).toContain("projects.list")
      for (const rule of ["projects.create", "users.administer", "health.inspect"]) {
        expect(can).not.toContain(rule)
      }
      expect((await admin.get("/me")).can).toEqual(
        expect.arrayContaining([...can, "projects.create", "users.administer", "health.inspect"]),
      )
    }),

    wireCase("receives the project rules that they pass", async (wire) => {
      const { admin, member } = wire
      const { path } = await Given.project(wire, [member])
      const { can } = await member.get(`${path}/access`)
      expect(can).toEqual(expect.arrayContaining(["project.read", "groups.read", "groups.change"]))
      expect(can).not.toContain("project.administer")
      expect((await admin.get(`${path}/access`)).can).toEqual(
        expect.arrayContaining([...can, "project.administer"]),
      )
    }),
  ],
}
