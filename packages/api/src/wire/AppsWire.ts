import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { type Person, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const find = async (person: Person, id: number): Promise<Json> =>
  (await person.get("/apps", { limit: 100 })).apps.find((app: Json) => app.id === id)

export const appsWire: WireFile = {
  name: "Apps",
  cases: [
    wireCase("are created, with projects or without", async (wire) => {
      const { admin } = wire
      const [one, two] = [await Given.project(wire), await Given.project(wire)]
      const name = word("app ")
      const body = { name: ` ${name} `, project_ids: [two.id, one.id], id: 1, app: {} }
      const app = await admin.post("/apps", body, 201)
      expect(Object.keys(app).sort()).toEqual(["created_at", "id", "name", "project_ids", "updated_at"])
      expect(app).toMatchObject({ name, created_at: app.updated_at })
      expect(app.project_ids.toSorted()).toEqual([one.id, two.id].toSorted())
      expect(await find(admin, app.id)).toEqual(app)
      expect(await admin.get(`/apps/${app.id}`)).toEqual(app)
      const empty = await admin.post("/apps", { name: word("x".repeat(180)) }, 201)
      expect(empty.project_ids).toEqual([])
      const { apps } = await admin.get("/apps", { limit: 2 })
      expect(apps.map(({ id }: Json) => id)).toEqual([empty.id, app.id])
    }),

    wireCase("reject an invalid name or invalid projects, and create nothing", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const gone = await Given.project(wire)
      await admin.delete(gone.path)
      const app = await admin.post("/apps", { name: word("app ") }, 201)
      const path = `/apps/${app.id}`
      const ok = () => ({ name: word(), project_ids: [project.id] })
      const refused = async (wrong: Json, field: string) => {
        await admin.refused("POST", "/apps", { body: { ...ok(), ...wrong } }, field)
        await admin.refused("PATCH", path, { body: { ...ok(), ...wrong } }, field)
      }
      for (const name of ["", "  ", 5, null, true, [], {}, "x".repeat(201), "a\0"])
        await refused({ name }, "name")
      for (const project_ids of [
        ...[5, "5", null, {}, ["5"], [1.5], [0], [-1], [null], [[project.id]]],
        ...[[999_999_999_999], [project.id, 999_999_999_999], [gone.id]],
        Array.from({ length: 1_001 }, (_, i) => i + 1),
      ]) {
        await refused({ project_ids }, "project_ids")
      }
      for (const body of [{}, undefined, { app: ok() }, { project_ids: [] }]) {
        await admin.refused("POST", "/apps", { body }, "name")
      }
      expect(await find(admin, app.id)).toEqual(app)
      // It is still free.
      await admin.patch(path, { project_ids: [project.id] })
    }),

    wireCase("reject a name or a project that another app has", async (wire) => {
      const { admin } = wire
      const [mine, theirs] = [await Given.project(wire), await Given.project(wire)]
      const one = await admin.post("/apps", { name: word("one "), project_ids: [mine.id] }, 201)
      const two = await admin.post("/apps", { name: word("two "), project_ids: [theirs.id] }, 201)
      await admin.refused("POST", "/apps", { body: { name: one.name } }, "name")
      await admin.refused("PATCH", `/apps/${two.id}`, { body: { name: one.name } }, "name")
      for (const project_ids of [[mine.id], [theirs.id, mine.id]]) {
        await admin.refused("POST", "/apps", { body: { name: word(), project_ids } }, "project_ids")
        await admin.refused("PATCH", `/apps/${two.id}`, { body: { project_ids } }, "project_ids")
      }
      expect(await find(admin, one.id)).toEqual(one)
      expect(await find(admin, two.id)).toEqual(two)
      expect(
        await admin.patch(`/apps/${one.id}`, { name: one.name, project_ids: [mine.id, mine.id] }),
      ).toMatchObject({
        project_ids: [mine.id],
      })
    }),

    wireCase("are renamed, and have their set of projects replaced", async (wire) => {
      const { admin } = wire
      const [one, two] = [await Given.project(wire), await Given.project(wire)]
      const app = await admin.post("/apps", { name: word("app "), project_ids: [one.id] }, 201)
      const path = `/apps/${app.id}`
      const name = word("renamed ")
      expect(await admin.patch(path, { name })).toMatchObject({ id: app.id, name, project_ids: [one.id] })
      expect(await admin.patch(path, { project_ids: [two.id], app: { name: "x" } })).toMatchObject({
        name,
        project_ids: [two.id],
      })
      expect(await admin.patch(path, {})).toMatchObject({ name, project_ids: [two.id] })
      // The first is free again.
      await admin.post("/apps", { name: word(), project_ids: [one.id] }, 201)
      expect(await admin.patch(path, { project_ids: [] })).toMatchObject({ project_ids: [] })
      expect(await find(admin, app.id)).toMatchObject({ name, project_ids: [] })
      await admin.patch("/apps/999999999", { name: word() }, 404)
    }),

    wireCase("are deleted without their projects", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const app = await admin.post("/apps", { name: word("app "), project_ids: [project.id] }, 201)
      await admin.delete(`/apps/${app.id}`)
      expect(await find(admin, app.id)).toBeUndefined()
      await admin.get(project.path)
      await admin.delete(`/apps/${app.id}`, undefined, 404)
      await admin.patch(`/apps/${app.id}`, {}, 404)
      await admin.post("/apps", { name: app.name, project_ids: [project.id] }, 201)
    }),

    wireCase("are shown to members with their own projects only", async (wire) => {
      const { admin, member, stranger } = wire
      const [mine, theirs] = [await Given.project(wire, [member]), await Given.project(wire, [stranger])]
      const both = await admin.post("/apps", { name: word("both "), project_ids: [mine.id, theirs.id] }, 201)
      const empty = await admin.post("/apps", { name: word("empty ") }, 201)
      expect(await find(member, both.id)).toEqual({ ...both, project_ids: [mine.id] })
      expect(await find(stranger, both.id)).toEqual({ ...both, project_ids: [theirs.id] })
      expect(await find(member, empty.id)).toBeUndefined()
      await admin.patch(`/apps/${both.id}`, { project_ids: [theirs.id] })
      expect(await find(member, both.id)).toBeUndefined()
      for (const body of [{ name: word() }, {}]) await member.patch(`/apps/${both.id}`, body, 403)
      await member.delete(`/apps/${both.id}`, undefined, 403)
    }),

    wireCase("claim a project only once when requests race", async (wire) => {
      const project = await Given.project(wire)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          wire.admin.send("POST", "/apps", { body: { name: word("race "), project_ids: [project.id] } }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
    }),
  ],
}
