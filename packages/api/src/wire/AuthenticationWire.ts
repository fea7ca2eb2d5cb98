import { expect } from "vitest"
import { type Ids, named, routes } from "./Routes.js"
import * as Walk from "./Walk.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const authenticationWire: WireFile = {
  name: "Authentication",
  cases: [
    wireCase("returns the same 401 on every route without a key", async (wire) => {
      const ground = await Walk.prepare(wire, [wire.member])
      const before = await Walk.seen(wire, ground)
      const bodies = new Set<string>()
      for (const route of routes) {
        for (const ids of [ground.ids, unknownIds]) {
          const answer = await Walk.take(wire.nobody, route, ids)
          expect([named(route), answer.status]).toEqual([named(route), 401])
          bodies.add(answer.text)
        }
      }
      // The response must not reveal whether the id exists.
      expect(bodies.size).toBe(1)
      expect(await Walk.seen(wire, ground)).toEqual(before)
    }),

    wireCase("returns the same 401 on every route for an unknown key", async (wire) => {
      const ground = await Walk.prepare(wire, [wire.member])
      const before = await Walk.seen(wire, ground)
      const prefix = /^[^_]*_/.exec(wire.target.admin.apiKey)?.[0] ?? ""
      const unknown = wire.caller(`${prefix}${word()}${word()}`)
      const bodies = new Set<string>()
      for (const route of routes) {
        for (const ids of [ground.ids, unknownIds]) {
          const answer = await Walk.take(unknown, route, ids)
          expect([named(route), answer.status]).toEqual([named(route), 401])
          bodies.add(answer.text)
        }
      }
      expect(bodies.size).toBe(1)
      expect(await Walk.seen(wire, ground)).toEqual(before)
    }),

    wireCase("reads the key from the Authorization header only, unchanged", async ({ nobody, target }) => {
      const { apiKey } = target.admin
      const status = async (headers: Record<string, string>, query = {}) =>
        (await nobody.send("GET", "/projects", { headers, query })).status
      expect(await status({ authorization: `Bearer ${apiKey}` })).toBe(200)
      expect(await status({ authorization: `bearer ${apiKey}` })).toBe(200)
      for (const authorization of [
        ...["", "Bearer", "Bearer ", apiKey, `Token ${apiKey}`, `Bearer: ${apiKey}`, `Bearer ${apiKey} x`],
        ...[`Bearer ${apiKey}0`, `Bearer ${apiKey.slice(0, -1)}`, `Bearer ${apiKey.toUpperCase()}`],
        ...[
          `Basic ${btoa(`admin:${apiKey}`)}`,
          `Basicx ${apiKey}`,
          `Bearer "${apiKey}`,
          "Bearer \u00e9\u00e9",
        ],
      ]) {
        expect([authorization, await status({ authorization })]).toEqual([authorization, 401])
      }
      expect(await status({ "x-api-key": apiKey, cookie: `api_key=${apiKey}` })).toBe(401)
      expect(await status({}, { api_key: apiKey, access_token: apiKey })).toBe(401)
    }),

    wireCase("answers a deactivated user's key like an unknown key, on every route", async (wire) => {
      const { person } = await wire.leaver()
      const ground = await Walk.prepare(wire, [wire.member])
      const unknown = await wire.caller(`errata_${word()}`).send("GET", "/projects")
      for (const route of routes) {
        const answer = await Walk.take(person, route, ground.ids)
        expect([named(route), answer.status, answer.text]).toEqual([named(route), 401, unknown.text])
      }
    }),
  ],
}

// internal

const unknown = 999_999_999_999
const unknownIds: Ids = {
  ...{
    project_id: unknown,
    group_id: unknown,
    report_id: unknown,
    attachment_id: unknown,
    event_id: "0".repeat(32),
    merge_id: unknown,
    note_id: unknown,
    key: "unknown",
  },
  ...{ target_id: unknown, rule_id: unknown, default_rule_id: unknown, address: "walked@example.com" },
  ...{ webhook_id: unknown, delivery_id: unknown, origin_id: unknown, app_id: unknown, user_id: unknown },
  run_id: unknown,
  dead_letter_id: unknown,
  release_id: unknown,
  bundle_id: unknown,
}
