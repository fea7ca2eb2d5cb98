import { expect } from "vitest"
import type { Json } from "./Json.js"
import { parametersOf } from "./OpenApiSchemas.js"
import { type Ids, named, pathOf, type Route, routes } from "./Routes.js"
import * as Walk from "./Walk.js"
import { type WireFile, wireCase } from "./WireCase.js"

/** Destructive routes come last, since others need the resources. */
const byHarm = (a: Route, b: Route) => Number(a.method === "DELETE") - Number(b.method === "DELETE")

const inProject = routes.filter(({ template }) => template.includes("{project_id}"))

/** Valid ids without resources. */
const unknown = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [
      name,
      typeof id === "number" ? 999_999_999 : "f".repeat(id.length),
    ]),
  )

export const accessWire: WireFile = {
  name: "Access",
  cases: [
    wireCase("tests exactly the routes that the OpenAPI document lists", async ({ schemas }) => {
      const documented = schemas.operations.map(({ method, template }) => `${method} ${template}`)
      expect(documented.sort()).toEqual(routes.map(named).sort())
    }),

    wireCase("rejects members on admin routes before reading the body, and changes nothing", async (wire) => {
      const { member } = wire
      const ground = await Walk.prepare(wire, [member])
      const before = await Walk.seen(wire, ground)
      for (const route of routes.filter(({ access }) => access === "admins")) {
        const answer = await Walk.take(member, route, ground.ids)
        expect([named(route), answer.status]).toEqual([named(route), 403])
        if (route.body === undefined) continue
        const broken = await Walk.take(
          member,
          { ...route, body: () => ({ name: 5, role: 5, url: 5 }) },
          ground.ids,
        )
        expect([named(route), broken.status]).toEqual([named(route), 403])
        const noJson = await member.send(route.method, pathOf(route.template, ground.ids), { body: "{" })
        expect([named(route), noJson.status]).toEqual([named(route), 403])
      }
      expect(await Walk.seen(wire, ground)).toEqual(before)
    }),

    wireCase("does not reveal to members which users exist", async ({ admin, member }) => {
      for (const [method, body] of [["GET"], ["PATCH", { role: "admin" }], ["DELETE"]] as const) {
        const texts = new Set<string>()
        for (const id of [admin.id, member.id, 999_999_999]) {
          const answer = await member.send(method, `/users/${id}`, body === undefined ? {} : { body })
          expect([method, id, answer.status]).toEqual([method, id, 403])
          texts.add(answer.text)
        }
        expect([method, texts.size]).toEqual([method, 1])
      }
    }),

    wireCase("lets members use all other routes in their own projects", async (wire) => {
      const { member } = wire
      const { ids } = await Walk.prepare(wire, [member])
      const { id: note_id } = await member.post(
        `/projects/${ids["project_id"]}/groups/${ids["group_id"]}/notes`,
        { content: "theirs to delete" },
        201,
      )
      for (const route of routes.filter(({ access }) => access !== "admins").toSorted(byHarm)) {
        const answer = await Walk.take(member, route, { ...ids, note_id })
        const wanted = [200, 201, 202, 204]
        expect([named(route), wanted.includes(answer.status), answer.status]).toEqual([
          named(route),
          true,
          answer.status,
        ])
      }
    }),

    wireCase("lets admins do everything in every project", async (wire) => {
      const { ids } = await Walk.prepare(wire, [wire.member])
      const { ids: others } = await Walk.prepare(wire, [wire.member])
      const spared = new Set([
        "DELETE /users/{user_id}",
        // Other cases send the member's key.
        "POST /users/{user_id}/api_key",
        // There is no dead letter.
        "POST /dead_letters/{dead_letter_id}/retry",
        "DELETE /dead_letters/{dead_letter_id}",
        // No address is paused.
        "DELETE /paused_addresses/{address}",
        "POST /projects",
        "POST /apps",
      ])
      const last = (route: Route) =>
        ["DELETE /projects/{project_id}/groups/{group_id}", "DELETE /projects/{project_id}"].indexOf(
          named(route),
        )
      const order = routes.toSorted((a, b) => byHarm(a, b) || last(a) - last(b))
      for (const route of order.filter((route) => !spared.has(named(route)))) {
        // The app, which projects leave when they go, is another's.
        const answer = await Walk.take(wire.admin, route, { ...ids, app_id: others["app_id"]! })
        // Other cases turn retention on and off, and the report is no JavaScript.
        const wanted =
          named(route) === "POST /data_retention/runs"
            ? [202, 422]
            : route.template.endsWith("/sourcemap_retry")
              ? [422]
              : [200, 201, 202, 204]
        expect([named(route), answer.status]).toEqual([
          named(route),
          wanted.includes(answer.status) ? answer.status : wanted,
        ])
      }
    }),

    wireCase("hides projects from people without access, on every route", async (wire) => {
      const { stranger } = wire
      const ground = await Walk.prepare(wire, [wire.member])
      const own = await Walk.prepare(wire, [stranger])
      const before = await Walk.seen(wire, ground)
      const taken = async (route: Route, ids: Ids) => {
        const { status, text } = await Walk.take(stranger, route, ids)
        return [named(route), status, text] as const
      }
      for (const route of routes.filter(({ template }) => template.includes("{"))) {
        const answer = await taken(route, ground.ids)
        expect(answer.slice(0, 2)).toEqual([named(route), route.access === "admins" ? 403 : 404])
        if (route.body !== undefined) {
          const broken = { ...route, body: () => ({ group_ids: 5, user_id: 5, occurrences: 0 }) }
          expect(await taken(broken, ground.ids)).toEqual(answer)
        }
        // The response for an unknown id is the same.
        expect(answer).toEqual(await taken(route, unknown(ground.ids)))
      }
      // A mixture of ids: the project is theirs, all else another's, or unknown.
      for (const route of inProject.filter(({ template }) => parametersOf(template).length > 1)) {
        const theirs = { project_id: own.ids["project_id"]!, user_id: stranger.id }
        const answer = await taken(route, { ...ground.ids, ...theirs })
        expect(answer.slice(0, 2)).toEqual([named(route), route.access === "admins" ? 403 : 404])
        expect(answer).toEqual(await taken(route, { ...unknown(ground.ids), ...theirs }))
      }
      expect(await Walk.seen(wire, ground)).toEqual(before)
      for (const path of ["/projects", "/apps"]) {
        const answer = await stranger.send("GET", path, { query: { limit: 100 } })
        expect(answer.text).not.toContain(ground.project.token)
        expect(
          answer.json[path.slice(1)].flatMap(({ project_ids, id }: Json) => project_ids ?? [id]),
        ).not.toContain(ground.project.id)
      }
    }),

    wireCase("returns 404 for an object of one project under another, also for admins", async (wire) => {
      const ground = await Walk.prepare(wire, [wire.member])
      const other = await Walk.prepare(wire, [wire.member])
      const before = [await Walk.seen(wire, ground), await Walk.seen(wire, other)]
      const nested = inProject.filter(({ template }) =>
        parametersOf(template).some((name) => name !== "project_id" && name !== "user_id"),
      )
      for (const route of nested) {
        const names = parametersOf(route.template).filter((name) => name !== "project_id")
        // Only the innermost, only the outer one, or all of them are the other project's.
        for (const foreign of [names, names.slice(-1), names.slice(0, 1)]) {
          const ids = {
            ...ground.ids,
            ...Object.fromEntries(foreign.map((name) => [name, other.ids[name]!])),
          }
          const answer = await Walk.take(wire.admin, route, ids)
          expect([named(route), foreign, answer.status]).toEqual([named(route), foreign, 404])
        }
      }
      expect([await Walk.seen(wire, ground), await Walk.seen(wire, other)]).toEqual(before)
    }),
  ],
}
