import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const rule = (fields: Json = {}): Json => ({ name: "Spikes", triggers: [{ type: "created" }], ...fields })

const defaults = {
  enabled: true,
  filter: { query: "", environments: [], severities: [] },
  receivers: { members: true, targets: "all" },
  repeat_minutes: 60,
}

const allTriggers = [
  ...[{ type: "created" }, { type: "reopened" }, { type: "assigned" }, { type: "noted" }, { type: "fatal" }],
  { type: "reports", count: 100, minutes: 5, of: "project" },
]

const wrongTriggers: ReadonlyArray<readonly [triggers: unknown, field: string]> = [
  ...[5, "created", null, {}, []].map((wrong) => [wrong, "triggers"] as const),
  [Array.from({ length: 11 }, () => ({ type: "created" })), "triggers"],
  [["created"], "triggers"],
  [[{}], "triggers"],
  [[{ type: "exploded" }], "triggers"],
  [[{ type: "users" }], "triggers.0.count"],
  [[{ type: "created" }, { type: "users", count: "5" }], "triggers.1.count"],
  [[{ type: "users", count: 0 }], "triggers.0.count"],
  [[{ type: "users", count: 1.5 }], "triggers.0.count"],
  [[{ type: "reports", count: 1, minutes: 1_441, of: "group" }], "triggers.0.minutes"],
  [[{ type: "reports", count: 1, minutes: 5, of: "instance" }], "triggers.0.of"],
  [[{ type: "rate", factor: 1 }], "triggers.0.factor"],
  [[{ type: "rate", factor: 1_001 }], "triggers.0.factor"],
  // One rule has one state of a measured condition.
  [
    [
      { type: "users", count: 5 },
      { type: "rate", factor: 5 },
    ],
    "triggers",
  ],
]

/** The name of a field without the place of an item, as in `WireClient.refused`. */
const placeless = (field: string) => field.replace(/\.\d+$/, "")

export const alertRulesWire: WireFile = {
  name: "Alert rules",
  cases: [
    wireCase("are the default rules until a project has its own", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const path = `${project.path}/alert_rules`
      const before = await member.get(path)
      expect(before.default).toBe(true)
      for (const one of before.alert_rules) expect(one.project_id).toBeNull()
      expect((await admin.get("/alert_rules")).alert_rules.map(({ id }: Json) => id)).toEqual(
        expect.arrayContaining(before.alert_rules.map(({ id }: Json) => id)),
      )
      const own = await admin.post(path, rule({ id: 1, project_id: null }), 201)
      expect(own).toMatchObject({ ...rule(), ...defaults, project_id: project.id })
      expect(own.updated_at).toBe(own.created_at)
      expect(await member.get(path)).toEqual({ default: false, alert_rules: [own] })
      expect(await member.get(`${path}/${own.id}`)).toEqual(own)
      // A default rule does not belong to the project.
      for (const { id } of before.alert_rules) await admin.get(`${path}/${id}`, {}, 404)
      await admin.delete(`${path}/${own.id}`)
      await admin.delete(`${path}/${own.id}`, undefined, 404)
      expect((await member.get(path)).default).toBe(true)
    }),

    wireCase("are stored as sent, without unknown keys", async (wire) => {
      const { admin, target } = wire
      const project = await Given.project(wire)
      const path = `${project.path}/alert_rules`
      const { field, kind } = target.receiver
      const address = { [field]: "http://127.0.0.1:9/rules" }
      const { id } = await admin.post(`${project.path}/targets`, { kind, name: "Chat", address }, 201)
      const content = {
        name: "Everything",
        enabled: false,
        triggers: allTriggers,
        filter: {
          query: 'is:unresolved "a phrase"',
          environments: ["production", "staging"],
          severities: ["error", "fatal"],
        },
        receivers: { members: false, targets: [id] },
        repeat_minutes: 0,
      }
      const padded = {
        ...content,
        triggers: content.triggers.map((one) => ({ ...one, extra: "x" })),
        filter: { ...content.filter, extra: "x" },
        receivers: { ...content.receivers, extra: "x" },
      }
      const created = await admin.post(path, padded, 201)
      const { created_at, id: ruleId, project_id, updated_at, ...kept } = created
      expect(kept).toEqual(content)
      for (const trigger of [
        { type: "users", count: 5 },
        { type: "rate", factor: 2.5 },
        { type: "reports", count: 1, minutes: 1_440, of: "group" },
      ]) {
        const changed = await admin.patch(`${path}/${ruleId}`, { triggers: [trigger] })
        expect(changed).toMatchObject({ ...content, triggers: [trigger] })
      }
      expect(await admin.patch(`${path}/${ruleId}`, { enabled: true, repeat_minutes: 10_080 })).toMatchObject(
        {
          name: "Everything",
          enabled: true,
          repeat_minutes: 10_080,
          receivers: content.receivers,
        },
      )
      // Replaced as a whole.
      expect(await admin.patch(`${path}/${ruleId}`, { filter: {}, receivers: {} })).toMatchObject({
        filter: defaults.filter,
        receivers: defaults.receivers,
      })
      expect(await admin.patch(`${path}/${ruleId}`, {})).toMatchObject({ name: "Everything" })
      await admin.patch(`${path}/999999999999`, {}, 404)
    }),

    wireCase("reject invalid input with the name of the field, and store none of it", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const other = await Given.project(wire)
      const path = `${project.path}/alert_rules`
      const { field, kind } = wire.target.receiver
      const address = { [field]: "http://127.0.0.1:9/rules" }
      const foreign = await admin.post(`${other.path}/targets`, { kind, name: "Chat", address }, 201)
      const created = await admin.post(path, rule(), 201)
      const refused = async (wrong: Json, ...fields: ReadonlyArray<string>) => {
        const named = fields.map(placeless)
        await admin.refused("POST", path, { body: rule(wrong) }, ...named)
        await admin.refused("PATCH", `${path}/${created.id}`, { body: wrong }, ...named)
        await admin.refused("POST", `${path}/dry_run`, { body: rule(wrong) }, ...named)
        await admin.refused("POST", "/alert_rules", { body: rule(wrong) }, ...named)
      }
      for (const name of ["", " ", 5, null, "x".repeat(101)]) await refused({ name }, "name")
      for (const [triggers, named] of wrongTriggers) await refused({ triggers }, named)
      for (const enabled of ["true", 1, null]) await refused({ enabled }, "enabled")
      for (const repeat_minutes of ["5", -1, 1.5, 10_081, null])
        await refused({ repeat_minutes }, "repeat_minutes")
      for (const query of [5, null, "x".repeat(10_000), "a\0", "assignee:me"]) {
        await refused({ filter: { query } }, "filter.query")
      }
      const tooMany = Array.from({ length: 21 }, (_, i) => `e${i}`)
      for (const environments of [5, null, "production", [5], [""], ["x".repeat(201)], tooMany]) {
        await refused({ filter: { environments } }, "filter.environments")
      }
      for (const severities of ["error", ["bad"], [5], null]) {
        await refused({ filter: { severities } }, "filter.severities")
      }
      for (const members of ["true", 1, null]) await refused({ receivers: { members } }, "receivers.members")
      const ids = Array.from({ length: 101 }, (_, i) => i + 1)
      for (const targets of ["some", 5, null, [0], ["7"], [1.5], ids, [foreign.id], [999_999_999_999]]) {
        await refused({ receivers: { targets } }, "receivers.targets")
      }
      for (const whole of [5, "all", null, []]) {
        await refused({ filter: whole }, "filter")
        await refused({ receivers: whole }, "receivers")
      }
      for (const body of [{}, undefined, { rule: rule() }]) {
        await admin.refused("POST", path, { body }, "name", "triggers")
      }
      expect(await admin.get(path)).toEqual({ default: false, alert_rules: [created] })
    }),

    wireCase("of the instance are created, changed and deleted by admins only", async (wire) => {
      const { admin } = wire
      const name = word("default ")
      // Disabled: other cases rely on the default rules.
      const created = await admin.post("/alert_rules", rule({ name, enabled: false }), 201)
      expect(created).toMatchObject({ ...defaults, name, enabled: false, project_id: null })
      const path = `/alert_rules/${created.id}`
      expect(await admin.get(path)).toEqual(created)
      expect((await admin.get("/alert_rules")).alert_rules).toContainEqual(created)
      expect(await admin.patch(path, { repeat_minutes: 5 })).toMatchObject({ name, repeat_minutes: 5 })
      const project = await Given.project(wire)
      const own = await admin.post(`${project.path}/alert_rules`, rule(), 201)
      await admin.get(`/alert_rules/${own.id}`, {}, 404)
      await admin.patch(`/alert_rules/${own.id}`, {}, 404)
      await admin.delete(`/alert_rules/${own.id}`, undefined, 404)
      await admin.refused(
        "PATCH",
        path,
        { body: { receivers: { members: false, targets: [1] } } },
        "receivers.targets",
      )
      await admin.delete(path)
      await admin.get(path, {}, 404)
      await admin.delete(path, undefined, 404)
    }),

    wireCase("run dry on past reports, and store nothing", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const path = `${project.path}/alert_rules`
      const [quiet, loud] = [word("Quiet"), word("Loud")]
      const production = { environment: "production" }
      await Given.report(wire, project, Given.failure({}, quiet))
      const { group_id: id } = await Given.report(wire, project, Given.failure(production, loud))
      for (let i = 0; i < 3; i++) await Given.again(wire, project, loud, production)
      const dryRun = (fields: Json = {}) => member.post(`${path}/dry_run`, rule(fields), 200)
      const all = await dryRun()
      expect(all).toMatchObject({ count: 2, partial: false })
      expect(Date.parse(all.until) - Date.parse(all.since)).toBe(7 * Given.day)
      expect(all.matches.map(({ group }: Json) => group.error_type).sort()).toEqual([loud, quiet].sort())
      for (const { trigger } of all.matches) expect(trigger).toBe("created")
      const narrow = await dryRun({ filter: { environments: ["production"] } })
      expect(narrow).toMatchObject({ count: 1, matches: [{ group: { id, error_type: loud } }] })
      const { web_url } = await admin.get(`${project.path}/groups/${id}`)
      expect(narrow.matches[0].group.web_url).toBe(web_url)
      const many = (count: number, of: string) =>
        dryRun({ triggers: [{ type: "reports", count, minutes: 1_440, of }] })
      expect(await many(3, "group")).toMatchObject({
        count: 1,
        matches: [{ trigger: "reports", group: { id } }],
      })
      expect(await many(4, "group")).toMatchObject({ count: 0, matches: [] })
      expect(await many(4, "project")).toMatchObject({ count: 1, matches: [{ group: null }] })
      await admin.post(`${project.path}/groups/${id}/notes`, { content: "a note" }, 201)
      await admin.put(`${project.path}/groups/${id}/assignee`, { user_id: member.id })
      expect(
        await dryRun({ triggers: [{ type: "noted" }, { type: "assigned" }], repeat_minutes: 0 }),
      ).toMatchObject({ count: 2 })
      expect(await dryRun({ triggers: [{ type: "noted" }, { type: "assigned" }] })).toMatchObject({
        count: 1,
      })
      expect((await admin.get(path)).default).toBe(true)
    }),
  ],
}
