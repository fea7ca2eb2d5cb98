import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import * as Receiver from "./Receiver.js"
import { eventually, type Wire, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"
import { WireClient } from "./WireClient.js"

/** A target without a server. Its address needs no lookup of a name. */
const silent = ({ target: { receiver } }: Wire, fields: Json = {}): Json => ({
  kind: receiver.kind,
  name: "Chat",
  address: { [receiver.field]: "http://127.0.0.1:9/silent" },
  ...fields,
})

const quietHours = { from: "22:00", to: "07:30", timezone: "Europe/Vienna" }

/** The same caller, whose responses must not contain the secret. */
const keptFrom = ({ options }: WireClient, secret: string): WireClient =>
  new WireClient({ ...options, secrets: [...options.secrets, secret] })

export const targetsWire: WireFile = {
  name: "Targets",
  cases: [
    wireCase("can have any kind that the instance lists", async (wire) => {
      const { member, stranger, target } = wire
      const { kinds, mail } = await member.get("/notification_kinds")
      expect(typeof mail).toBe("boolean")
      expect(mail).toBe(kinds.some(({ kind }: Json) => kind === "mail"))
      const kind = kinds.find((one: Json) => one.kind === target.receiver.kind)
      expect(kind.fields).toContainEqual(
        expect.objectContaining({ name: target.receiver.field, secret: true, required: true }),
      )
      expect(await stranger.get("/notification_kinds")).toEqual({ kinds, mail })
    }),

    wireCase("are created, listed and shown without their secrets", async (wire) => {
      const { target } = wire
      const secret = word("secret")
      const [admin, member] = [keptFrom(wire.admin, secret), keptFrom(wire.member, secret)]
      const project = await Given.project(wire, [wire.member])
      const path = `${project.path}/targets`
      expect(await member.get(path)).toEqual({ targets: [] })
      const address = { [target.receiver.field]: `http://127.0.0.1:9/${secret}` }
      const body = silent(wire, { address, quiet_hours: quietHours, id: 1, secret_fields: [] })
      const created = await admin.post(path, body, 201)
      expect(created).toMatchObject({
        project_id: project.id,
        kind: target.receiver.kind,
        name: "Chat",
        enabled: true,
        address: {},
        quiet_hours: quietHours,
        failing_since: null,
        disabled_reason: null,
      })
      expect(created.secret_fields).toContain(target.receiver.field)
      const other = await admin.post(path, silent(wire, { name: "Other", enabled: false }), 201)
      expect(other).toMatchObject({ enabled: false, quiet_hours: null })
      for (const person of [admin, member]) {
        expect(await person.get(path)).toEqual({ targets: [created, other] })
        expect(await person.get(`${path}/${created.id}`)).toEqual(created)
      }
      const changed = await admin.patch(`${path}/${created.id}`, { address, name: "Renamed" })
      expect(changed).toMatchObject({ ...created, name: "Renamed", updated_at: changed.updated_at })
      // The messages do not contain it either.
      await admin.post(`${path}/${created.id}/test`, undefined, 200)
      await member.get(`${project.path}/notifications`)
    }),

    wireCase("reject invalid input with the name of the field, and store none of it", async (wire) => {
      const { admin, target } = wire
      const { field } = target.receiver
      const path = `${(await Given.project(wire)).path}/targets`
      const created = await admin.post(path, silent(wire), 201)
      const refused = async (wrong: Json, ...fields: ReadonlyArray<string>) => {
        await admin.refused("POST", path, { body: silent(wire, wrong) }, ...fields)
        const { kind: _, ...changes } = wrong
        if (Object.keys(changes).length > 0 && !("kind" in wrong)) {
          await admin.refused("PATCH", `${path}/${created.id}`, { body: changes }, ...fields)
        }
      }
      for (const name of ["", "  ", 5, null, [], "x".repeat(101), "a\0"]) await refused({ name }, "name")
      for (const kind of ["", "unknown", "members", "webhook", 5, null]) await refused({ kind }, "kind")
      for (const enabled of ["true", 1, null]) await refused({ enabled }, "enabled")
      const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`field${i}`, "x"]))
      for (const address of ["", 5, null, [], { [field]: 5 }, tooMany]) await refused({ address }, "address")
      for (const url of ["no url", "ftp://127.0.0.1/x", `http://127.0.0.1:9/${"x".repeat(4_001)}`]) {
        await refused({ address: { [field]: url } }, `address.${field}`)
      }
      await refused(
        { address: { [field]: "http://127.0.0.1:9/silent", no_such_field: "x" } },
        "address.no_such_field",
      )
      await admin.refused("POST", path, { body: silent(wire, { address: {} }) }, `address.${field}`)
      for (const quiet_hours of [
        ...[5, "", [], {}, { ...quietHours, from: "24:00" }, { ...quietHours, from: "7:00" }],
        ...[
          { ...quietHours, to: quietHours.from },
          { ...quietHours, timezone: "Mars/Olympus" },
        ],
        ...[
          { ...quietHours, timezone: 5 },
          { from: "22:00", to: "07:00" },
        ],
      ]) {
        await refused({ quiet_hours }, "quiet_hours")
      }
      for (const body of [{}, undefined, { target: silent(wire) }]) {
        await admin.refused("POST", path, { body }, "address", "kind", "name")
      }
      expect(await admin.get(path)).toEqual({ targets: [created] })
    }),

    wireCase("are changed field by field, and keep their secrets", (wire) =>
      Receiver.use(word("kept"), async ({ received, url }) => {
        const { admin, target } = wire
        const path = `${(await Given.project(wire)).path}/targets`
        const address = { [target.receiver.field]: url }
        const { id, ...created } = await admin.post(path, silent(wire, { address }), 201)
        const one = `${path}/${id}`
        expect(await admin.patch(one, { enabled: false, kind: "unknown" })).toMatchObject({
          kind: created.kind,
          name: "Chat",
          enabled: false,
        })
        expect(await admin.patch(one, { quiet_hours: quietHours })).toMatchObject({ quiet_hours: quietHours })
        expect(await admin.patch(one, { name: "Renamed" })).toMatchObject({
          name: "Renamed",
          enabled: false,
          quiet_hours: quietHours,
        })
        expect(await admin.patch(one, { quiet_hours: null, address: {} })).toMatchObject({
          name: "Renamed",
          quiet_hours: null,
        })
        const { notifications } = await admin.post(`${one}/test`, undefined, 200)
        expect(notifications).toMatchObject([{ status: "succeeded", target_id: id, target_name: "Renamed" }])
        expect(received).toHaveLength(1)
      }),
    ),

    wireCase("send one test without retries, and show its failure", async (wire) => {
      const { admin, target } = wire
      const project = await Given.project(wire)
      const path = `${project.path}/targets`
      const { id } = await admin.post(path, silent(wire), 201)
      const { notifications } = await admin.post(`${path}/${id}/test`, undefined, 200)
      expect(notifications).toMatchObject([
        {
          project_id: project.id,
          target_id: id,
          target_kind: target.receiver.kind,
          rule_id: null,
          rule_name: null,
          group_id: null,
          event: "notification.test",
          status: "failed",
          throttle: null,
          user_id: null,
          recipient: null,
          attempts: 1,
          response_status: null,
          next_attempt_at: null,
          title: null,
        },
      ])
      expect(notifications[0].error).not.toBe("")
      expect(notifications[0].reason).toContain("Chat")
      await eventually("the target that fails", async () => {
        const { failing_since } = await admin.get(`${path}/${id}`)
        return failing_since ?? undefined
      })
      await Receiver.use(
        "refusing",
        async ({ url }) => {
          await admin.patch(`${path}/${id}`, { address: { [target.receiver.field]: url } })
          const refused = await admin.post(`${path}/${id}/test`, undefined, 200)
          expect(refused.notifications).toMatchObject([{ status: "failed", response_status: 500 }])
        },
        500,
      )
    }),

    wireCase("are deleted, and found in their own project only", async (wire) => {
      const { admin } = wire
      const [project, other] = [await Given.project(wire), await Given.project(wire)]
      const { id } = await admin.post(`${project.path}/targets`, silent(wire), 201)
      const hook = { url: "https://hooks.example.com", events: ["group.created"] }
      const webhook = await admin.post(`${project.path}/webhooks`, hook, 201)
      for (const path of [
        `${other.path}/targets/${id}`,
        `${project.path}/targets/999999999999`,
        // Webhooks are no targets of rules.
        `${project.path}/targets/${webhook.id}`,
      ]) {
        await admin.get(path, {}, 404)
        await admin.patch(path, { enabled: false }, 404)
        await admin.post(`${path}/test`, undefined, 404)
        await admin.delete(path, undefined, 404)
      }
      expect((await admin.get(`${project.path}/targets`)).targets).toMatchObject([{ id, enabled: true }])
      await admin.get(`${project.path}/webhooks/${id}`, {}, 404)
      await admin.delete(`${project.path}/targets/${id}`)
      await admin.delete(`${project.path}/targets/${id}`, undefined, 404)
      expect(await admin.get(`${project.path}/targets`)).toEqual({ targets: [] })
      expect((await admin.get(`${project.path}/webhooks`)).webhooks).toHaveLength(1)
    }),
  ],
}
