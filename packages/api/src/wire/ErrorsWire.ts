import { expect } from "vitest"
import * as Given from "./Given.js"
import { parametersOf } from "./OpenApiSchemas.js"
import { named, pathOf, routes } from "./Routes.js"
import * as Walk from "./Walk.js"
import { type WireFile, wireCase } from "./WireCase.js"

const wrongIds = ["0", "-1", "1.5", "abc", "01", "999999999999999999999999", "%20"]

/** Tested once per kind of id. */
const oddIds = [
  ...["+1", "1e3", "1a", "0x1", "007", "1%20", "null", "undefined", "9007199254740993", "%F0%9F%A6%86"],
  ...["'", "1;2", "1,2", "*", "%00", "%31x", "1%2F2", "1%3B2", "1%3F", "..%2F1", "1'--"],
]

const json = { "content-type": "application/json" }

export const errorsWire: WireFile = {
  name: "Errors",
  cases: [
    wireCase("are problem documents with a type, a title, the status and a detail", async (wire) => {
      const { admin, nobody, stranger } = wire
      const project = await Given.project(wire)
      const blank = "about:blank"
      for (const [problem, expected] of [
        [await nobody.get("/projects", {}, 401), { type: "/problems/unauthorized", title: "Unauthorized" }],
        [
          await stranger.delete(project.path, undefined, 403),
          { type: "/problems/forbidden", title: "Forbidden" },
        ],
        [await admin.get("/projects/999999999999", {}, 404), { type: blank, title: "Not Found" }],
        [
          await admin.post("/projects", {}, 422),
          { type: "/problems/validation-error", title: "Validation Error" },
        ],
        [
          await admin.expect(400, "POST", "/projects", { body: "{", headers: json }),
          { type: blank, title: "Bad Request" },
        ],
      ]) {
        expect(problem.title).toBe(expected.title)
        expect(problem.detail.trim()).not.toBe("")
        if (expected.type === blank) expect(problem.type).toBe(blank)
        else expect(new URL(problem.type, wire.apiUrl).pathname).toMatch(new RegExp(`${expected.type}$`))
      }
      expect(await nobody.get("/projects", {}, 401)).toMatchObject({ detail: "Missing API key" })
      expect(await wire.caller("errata_x").get("/projects", {}, 401)).toMatchObject({
        detail: "Invalid API key",
      })
      const { errors } = await admin.post("/projects", { name: "", timezone: "" }, 422)
      expect(Object.keys(errors).sort()).toEqual(["name", "timezone"])
      for (const messages of Object.values(errors)) expect(messages).toEqual([expect.any(String)])
    }),

    wireCase("answers 404 for unknown paths", async (wire) => {
      for (const client of [wire.admin, wire.nobody]) {
        for (const path of [
          "",
          "/nowhere",
          "/projects/1/nowhere",
          "/project",
          "/projects/1/groups/1/resolve/1",
          "/PROJECTS",
          "/users/1/2/3",
          "/mcp",
        ]) {
          for (const method of ["GET", "POST", "DELETE"]) {
            const answer = await client.sendAny(method, path)
            expect([method, path, answer.status]).toEqual([method, path, 404])
            expect(answer.json).toMatchObject({ type: "about:blank", title: "Not Found" })
          }
        }
      }
    }),

    wireCase("answers 405 with the methods that a path knows", async (wire) => {
      const { ids } = await Walk.prepare(wire, [])
      for (const template of new Set(routes.map((route) => route.template))) {
        const known = [
          ...new Set(routes.filter((route) => covers(route.template, template)).map(({ method }) => method)),
        ]
        const allowed = known.includes("GET") ? [...known, "HEAD"] : known
        const path = pathOf(template, ids)
        for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
          if (allowed.includes(method)) continue
          for (const client of [wire.admin, wire.nobody]) {
            const answer = await client.sendAny(method, path)
            const allow = answer.headers.get("allow")?.split(/,\s*/).sort()
            expect([method, template, answer.status, allow]).toEqual([
              method,
              template,
              405,
              allowed.toSorted(),
            ])
          }
        }
      }
    }),

    wireCase("answers HEAD as GET, without the body", async (wire) => {
      const { ids } = await Walk.prepare(wire, [])
      for (const { method, template } of routes) {
        if (method !== "GET") continue
        const path = pathOf(template, ids)
        const [get, head] = [await wire.admin.send("GET", path), await wire.admin.send("HEAD", path)]
        expect([template, head.status, head.text]).toEqual([template, get.status, ""])
        expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
      }
      expect((await wire.admin.send("HEAD", "/projects/999999999999")).status).toBe(404)
      expect((await wire.nobody.send("HEAD", "/projects")).status).toBe(401)
    }),

    wireCase("returns 404 for malformed ids on every route", async (wire) => {
      const ground = await Walk.prepare(wire, [wire.member])
      const before = await Walk.seen(wire, ground)
      const tried = new Set<string>()
      for (const route of routes) {
        for (const name of parametersOf(route.template)) {
          const ids = tried.has(name) ? wrongIds : [...wrongIds, ...oddIds]
          tried.add(name)
          for (const id of ids) {
            const path = pathOf(route.template, { ...ground.ids, [name]: id })
            const body = route.body?.(ground.ids)
            const answer = await wire.admin.send(route.method, path, body === undefined ? {} : { body })
            expect([route.method, path, answer.status]).toEqual([route.method, path, 404])
          }
        }
      }
      expect(await Walk.seen(wire, ground)).toEqual(before)
    }),

    wireCase("returns 404 for unknown ids on every route", async (wire) => {
      const { ids } = await Walk.prepare(wire, [wire.member])
      // Removing a user who is not a member succeeds.
      const idempotent = "DELETE /projects/{project_id}/users/{user_id}"
      for (const route of routes) {
        for (const name of parametersOf(route.template)) {
          if (named(route) === idempotent && name === "user_id") continue
          const unknown = name === "event_id" ? "0".repeat(32) : 999_999_999_999
          const path = pathOf(route.template, { ...ids, [name]: unknown })
          const body = route.body?.(ids)
          const answer = await wire.admin.send(route.method, path, body === undefined ? {} : { body })
          expect([route.method, path, answer.status]).toEqual([route.method, path, 404])
        }
      }
    }),
  ],
}

/** True if a template matches all paths of another: `/groups/{group_id}` covers `/groups/count`. */
const covers = (template: string, other: string): boolean => {
  const [segments, others] = [template.split("/"), other.split("/")]
  return (
    segments.length === others.length &&
    segments.every((segment, i) => segment.startsWith("{") || segment === others[i])
  )
}
