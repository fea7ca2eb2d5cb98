import { expect } from "vitest"
import * as Given from "./Given.js"
import { eventually, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const keys = [
  "id",
  "name",
  "platform",
  "timezone",
  "token",
  "groups_count",
  "reports_count",
  "muted",
  "muted_at",
  "muted_until",
  "muter_id",
  "first_report_at",
  "last_report_at",
  "last_contact_at",
  "created_at",
  "updated_at",
].sort()

export const projectsWire: WireFile = {
  name: "Projects",
  cases: [
    wireCase("are created from a name alone, with a token and the defaults", async ({ admin }) => {
      const name = word("shop ")
      const project = await admin.post("/projects", { name }, 201)
      expect(Object.keys(project).sort()).toEqual(keys)
      expect(project).toMatchObject({
        name,
        platform: "other",
        timezone: "UTC",
        groups_count: 0,
        reports_count: 0,
        muted: false,
        muted_at: null,
        muted_until: null,
        muter_id: null,
        first_report_at: null,
        last_report_at: null,
        last_contact_at: null,
        created_at: project.updated_at,
      })
      expect(project.token).toMatch(/^[0-9a-f]{32}$/)
      expect(await admin.get(`/projects/${project.id}`)).toEqual(project)
    }),

    wireCase("keep the name, platform and timezone that they were given", async (wire) => {
      const fields = {
        name: word("ünï 🦆 "),
        platform: "p".repeat(64),
        timezone: "America/Argentina/Ushuaia",
      }
      expect(await Given.project(wire, [], fields)).toMatchObject(fields)
      const longest = { name: word() + "é".repeat(180) }
      expect(await Given.project(wire, [], longest)).toMatchObject(longest)
      const name = word("trimmed ")
      expect(await Given.project(wire, [], { name: ` ${name}\n` })).toMatchObject({ name })
    }),

    wireCase("reject an invalid name, platform or timezone, and create nothing", async ({ admin }) => {
      const name = word("refused ")
      const post = (body: unknown, ...fields: ReadonlyArray<string>) =>
        admin.refused("POST", "/projects", { body }, ...fields)
      for (const wrong of ["", " ", "\t\n", 1, true, null, [], {}, "x".repeat(201), "a\0b", "\ud800"]) {
        await post({ name: wrong }, "name")
      }
      for (const platform of ["", 1, null, ["node"], {}, "x".repeat(65), "a\0b"]) {
        await post({ name, platform }, "platform")
      }
      for (const timezone of ["", "Mars/Olympus", "utc+25", "+02:00", 1, null, [], {}]) {
        await post({ name, timezone }, "timezone")
      }
      await post({}, "name")
      await admin.refused("POST", "/projects", {}, "name")
      await post({ name: "", platform: "", timezone: "" }, "name", "platform", "timezone")
      expect((await admin.get("/projects", { name })).projects).toEqual([])
    }),

    wireCase("have unique names, which deleted projects release", async (wire) => {
      const { admin } = wire
      const one = await Given.project(wire)
      const other = await Given.project(wire)
      await admin.refused("POST", "/projects", { body: { name: one.name } }, "name")
      await admin.refused("PATCH", other.path, { body: { name: one.name } }, "name")
      expect((await admin.patch(one.path, { name: one.name })).name).toBe(one.name)
      await admin.delete(other.path)
      expect((await admin.post("/projects", { name: other.name }, 201)).id).not.toBe(other.id)
    }),

    wireCase("are created once when requests with the same name race", async ({ admin }) => {
      const name = word("race ")
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => admin.send("POST", "/projects", { body: { name } })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422])
      expect((await admin.get("/projects", { name })).projects).toHaveLength(1)
    }),

    wireCase("ignore unknown keys, and fields inside a wrapper", async ({ admin }) => {
      const name = word("flat ")
      const extra = {
        id: 1,
        token: "f".repeat(32),
        reports_count: 9,
        muted: true,
        project: { name: "wrapped" },
      }
      const created = await admin.post("/projects", { name, ...extra }, 201)
      expect(created).toMatchObject({ name, reports_count: 0, muted: false })
      expect(created.token).not.toBe(extra.token)
      await admin.refused("POST", "/projects", { body: { project: { name: word() } } }, "name")
      const path = `/projects/${created.id}`
      const patched = await admin.patch(path, {
        project: { name: "x" },
        token: extra.token,
        id: 2,
      })
      expect(patched).toMatchObject({ id: created.id, name, platform: "other", token: created.token })
    }),

    wireCase("show their first and last report and the last contact of an application", async (wire) => {
      const project = await Given.project(wire)
      const { created_at: first } = await Given.report(wire, project)
      const { created_at: last } = await Given.report(wire, project)
      const told = await eventually("the last contact", async () => {
        const now = await wire.admin.get(project.path)
        return now.last_contact_at === null ? undefined : now
      })
      expect(told).toMatchObject({ first_report_at: first, last_report_at: last })
      const quiet = await Given.project(wire)
      const { target } = wire
      const url = `${target.baseUrl}/api/${quiet.id}/envelope/?sentry_key=${quiet.token}`
      await fetch(url, { method: "POST", body: `{}\n{"type":"session"}\n{}\n` })
      await eventually("the contact without an error", async () =>
        (await wire.admin.get(quiet.path)).last_contact_at === null ? undefined : true,
      )
      expect(await wire.admin.get(quiet.path)).toMatchObject({ first_report_at: null, last_report_at: null })
    }),

    wireCase("get an example event at a member's request, marked as an example", async (wire) => {
      const { member } = wire
      const { path } = await Given.project(wire, [member])
      const sent = []
      for (let i = 0; i < 2; i++) {
        const { event_id } = await member.post(`${path}/test_event`, undefined, 202)
        sent.push(
          await eventually("the example", async () => {
            const answer = await member.send("GET", `${path}/reports/${event_id}`)
            return answer.status === 200 ? answer.json : undefined
          }),
        )
      }
      const [first, second] = sent
      expect(first).toMatchObject({
        error_type: "ExampleError",
        error_message: expect.stringContaining("example"),
        culprit: "src/cart.js in total",
        handled: true,
        tags: [{ key: "example", value: "true" }],
        sourcemap_status: "unprocessed",
      })
      expect(first.exceptions[0].frames.at(-1)).toMatchObject({
        in_app: true,
        context_line: expect.any(String),
      })
      expect(second.group_id).toBe(first.group_id)
    }),

    wireCase("get a new token, and reject the former one", async (wire) => {
      const { admin } = wire
      const { path, ...before } = await Given.project(wire)
      const rotated = await admin.post(`${path}/rotate_token`, undefined, 200)
      expect(rotated.token).toMatch(/^[0-9a-f]{32}$/)
      expect(rotated.token).not.toBe(before.token)
      const { token, updated_at } = rotated
      expect(rotated).toEqual({ ...before, token, updated_at })
      await Given.report(wire, rotated)
      await expect(Given.send(wire, before, Given.failure())).rejects.toThrow("answered with 4")
    }),

    wireCase("change their platform", async (wire) => {
      const { path } = await Given.project(wire)
      expect(await wire.admin.patch(path, { platform: "deno" })).toMatchObject({ platform: "deno" })
      for (const platform of ["", 1, null, "x".repeat(65), "a\0b"]) {
        await wire.admin.refused("PATCH", path, { body: { platform } }, "platform")
      }
      expect((await wire.admin.get(path)).platform).toBe("deno")
    }),

    wireCase("are renamed and moved to another timezone", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const { path, ...before } = project
      const name = word("renamed ")
      expect(await admin.patch(path, { name })).toMatchObject({ name, timezone: "UTC", id: project.id })
      const moved = await admin.patch(path, { timezone: "Europe/Berlin" })
      expect(moved).toEqual({ ...before, name, timezone: "Europe/Berlin", updated_at: moved.updated_at })
      expect(await admin.get(path)).toEqual(moved)
      expect(await admin.patch(path, {})).toMatchObject({ name, timezone: "Europe/Berlin" })
      expect(await admin.expect(200, "PATCH", path)).toMatchObject({ name })
    }),

    wireCase("change nothing if one field is invalid", async (wire) => {
      const { path, ...before } = await Given.project(wire)
      const patch = (body: unknown, ...fields: ReadonlyArray<string>) =>
        wire.admin.refused("PATCH", path, { body }, ...fields)
      for (const name of ["", " ", 5, null, [], "x".repeat(201), "a\0"])
        await patch({ name, timezone: "UTC" }, "name")
      for (const timezone of ["", "Nowhere", 5, null, {}]) await patch({ name: word(), timezone }, "timezone")
      expect(await wire.admin.get(path)).toEqual(before)
    }),

    wireCase(
      "are listed newest first, to members their own only, and found by their exact name",
      async (wire) => {
        const { admin, member, stranger } = wire
        const mine = await Given.project(wire, [member])
        const theirs = await Given.project(wire, [stranger])
        const ids = async (person: typeof admin, query = {}) =>
          (await person.get("/projects", { limit: 100, ...query })).projects.map(
            ({ id }: { id: number }) => id,
          )
        expect((await ids(admin)).slice(0, 2)).toEqual([theirs.id, mine.id])
        expect(await ids(member)).toContain(mine.id)
        expect(await ids(member)).not.toContain(theirs.id)
        expect(await ids(stranger)).not.toContain(mine.id)
        expect(await ids(admin, { name: mine.name })).toEqual([mine.id])
        expect(await ids(member, { name: mine.name })).toEqual([mine.id])
        expect(await ids(member, { name: theirs.name })).toEqual([])
        for (const name of [mine.name.slice(1), mine.name.toUpperCase(), `${mine.name} `, "%", ""]) {
          expect(await ids(admin, { name })).not.toContain(mine.id)
        }
        const { path, ...listed } = mine
        const [found] = (await member.get("/projects", { name: mine.name })).projects
        expect(found).toEqual({ ...listed, updated_at: found.updated_at })
        expect(await member.get(path)).toEqual(found)
      },
    ),

    wireCase("count their groups and reports", async (wire) => {
      const project = await Given.project(wire)
      const type = word("Counted")
      await Given.reports(wire, project, [Given.failure({}, type), Given.failure({}, type), Given.failure()])
      expect(await wire.admin.get(project.path)).toMatchObject({ groups_count: 2, reports_count: 3 })
    }),

    wireCase(
      "disappear immediately when they are deleted, with their groups, reports and webhooks",
      async (wire) => {
        const { admin, member } = wire
        const project = await Given.project(wire, [member])
        const group = await Given.group(wire, project)
        const hook = { url: "https://hooks.example.com", events: ["group.created"] }
        await admin.post(`${project.path}/webhooks`, hook, 201)
        const app = await admin.post("/apps", { name: word("app "), project_ids: [project.id] }, 201)

        await admin.delete(project.path)
        for (const person of [admin, member]) {
          await person.get(project.path, {}, 404)
          await person.get(group.path, {}, 404)
          await person.get(`${group.path}/reports`, {}, 404)
          await person.get(`${project.path}/webhooks`, {}, 404)
          await person.post(`${group.path}/resolve`, undefined, 404)
          expect((await person.get("/projects", { name: project.name })).projects).toEqual([])
        }
        await admin.delete(project.path, undefined, 404)
        await admin.patch(project.path, {}, 404)
        // A node may trust a token for some seconds without asking again.
        await eventually("the token is refused", async () => {
          const refused = await Given.send(wire, project, Given.failure()).catch(String)
          return refused.includes("answered with 403") ? true : undefined
        })
        expect((await admin.get(`/users/${member.id}`)).project_ids).not.toContain(project.id)
        const apps = (await admin.get("/apps", { limit: 1 })).apps
        expect(apps).toMatchObject([{ id: app.id, project_ids: [] }])
      },
    ),
  ],
}
