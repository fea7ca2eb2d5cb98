import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { eventually } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const hook = {
  url: "https://hooks.example.com/errata?team=1",
  events: ["group.resolved", "group.unresolved"],
}

const events = [
  ...["group.created", "group.resolved", "group.unresolved", "group.muted", "group.unmuted"],
  ...["group.merged", "group.assigned", "webhook.test"],
]

const wrongUrls = [
  ...[
    "",
    " ",
    "hooks.example.com",
    "/hook",
    "ftp://example.com",
    "javascript:alert(1)",
    "mailto:a@example.com",
  ],
  ...["https://user:secret@hooks.example.com", `https://hooks.example.com/${"x".repeat(2_000)}`],
  ...["https://", "http://", "file:///etc/passwd", 5, null, true, [], {}, "https://a b.example.com"],
]

const wrongEvents = [
  ...["group.resolved", 5, null, true, {}, [], [""], ["group.exploded"], ["Group.resolved"], [5], [null]],
  ["group.resolved", "unknown"],
]

export const webhooksWire: WireFile = {
  name: "Webhooks",
  cases: [
    wireCase("are created with a secret that is shown this once", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const path = `${project.path}/webhooks`
      const created = await admin.post(path, { ...hook, secret: "mine", id: 1, webhook: {} }, 201)
      const { secret, ...webhook } = created
      expect(Object.keys(webhook).sort()).toEqual(
        ["created_at", "enabled", "events", "id", "project_id", "updated_at", "url"].sort(),
      )
      expect(webhook).toMatchObject({ ...hook, enabled: true, project_id: project.id })
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
      const other = await admin.post(path, { ...hook, enabled: false, events }, 201)
      expect(other).toMatchObject({ enabled: false, events })
      expect(other.secret).not.toBe(secret)
      for (const person of [admin, member]) {
        const { webhooks } = await person.get(path)
        expect(webhooks.map(({ id }: Json) => id)).toEqual([other.id, webhook.id])
        expect(webhooks[1]).toEqual(webhook)
      }
    }),

    wireCase("reject invalid URLs, unknown events and non-boolean flags", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/webhooks`
      const { secret, ...webhook } = await admin.post(path, hook, 201)
      expect(secret).toBeDefined()
      const refused = async (wrong: Json, ...fields: ReadonlyArray<string>) => {
        await admin.refused("POST", path, { body: { ...hook, ...wrong } }, ...fields)
        await admin.refused("PATCH", `${path}/${webhook.id}`, { body: { ...hook, ...wrong } }, ...fields)
      }
      for (const url of wrongUrls) await refused({ url }, "url")
      for (const wrong of wrongEvents) await refused({ events: wrong }, "events")
      for (const enabled of ["true", "", 1, 0, null, [], {}]) await refused({ enabled }, "enabled")
      await refused({ url: 1, events: 1, enabled: 1 }, "url", "events", "enabled")
      await admin.refused("POST", path, { body: { url: hook.url } }, "events")
      await admin.refused("POST", path, { body: { events: hook.events } }, "url")
      for (const body of [{}, undefined, { webhook: hook }]) {
        await admin.refused("POST", path, { body }, "events", "url")
      }
      expect((await admin.get(path)).webhooks).toEqual([webhook])
    }),

    wireCase("are changed field by field, without their secret", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/webhooks`
      const { secret, ...webhook } = await admin.post(path, hook, 201)
      expect(secret).toBeDefined()
      const one = `${path}/${webhook.id}`
      const { updated_at, ...kept } = webhook
      expect(updated_at).toBe(webhook.created_at)
      expect(await admin.patch(one, { enabled: false })).toMatchObject({ ...kept, enabled: false })
      const url = "http://hooks.example.com:8080"
      expect(await admin.patch(one, { url, secret: "whsec" })).toMatchObject({ ...kept, url, enabled: false })
      const changed = await admin.patch(one, { events: ["group.muted", "group.muted"], webhook: { url: "" } })
      expect(changed).toMatchObject({ ...kept, url, enabled: false, events: ["group.muted"] })
      expect(await admin.patch(one, {})).toMatchObject({ url, enabled: false, events: ["group.muted"] })
      expect((await admin.get(path)).webhooks).toMatchObject([{ id: webhook.id, url, enabled: false }])
    }),

    wireCase("are deleted, and found in their own project only", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const other = await Given.project(wire)
      const { id } = await admin.post(`${project.path}/webhooks`, hook, 201)
      for (const path of [`${other.path}/webhooks/${id}`, `${project.path}/webhooks/999999999999`]) {
        await admin.patch(path, { enabled: false }, 404)
        await admin.delete(path, undefined, 404)
        await admin.get(`${path}/deliveries`, {}, 404)
      }
      expect((await admin.get(`${other.path}/webhooks`)).webhooks).toEqual([])
      expect((await admin.get(`${project.path}/webhooks`)).webhooks).toMatchObject([{ id, enabled: true }])
      await admin.delete(`${project.path}/webhooks/${id}`)
      await admin.delete(`${project.path}/webhooks/${id}`, undefined, 404)
      await admin.get(`${project.path}/webhooks/${id}/deliveries`, {}, 404)
      expect((await admin.get(`${project.path}/webhooks`)).webhooks).toEqual([])
    }),

    wireCase("list their deliveries newest first, by event and success", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      // No server listens there, and the address needs no lookup.
      const body = { url: "http://127.0.0.1:9/hook", events: ["group.resolved"] }
      const { id } = await admin.post(`${project.path}/webhooks`, body, 201)
      const path = `${project.path}/webhooks/${id}/deliveries`
      const first = await admin.post(`${project.path}/webhooks/${id}/test`, undefined, 200)
      expect(first).toMatchObject({
        webhook_id: id,
        event: "webhook.test",
        success: false,
        status: "failed",
        attempts: 1,
        response_status: null,
        next_attempt_at: null,
      })
      expect(JSON.parse(first.request_body)).toMatchObject({ event: "webhook.test", webhook_id: id })
      const second = await admin.post(`${path}/${first.id}/resend`, undefined, 200)
      const group = await Given.group(wire, project)
      await admin.post(`${group.path}/resolve`)
      const ids = async (query = {}) =>
        (await member.get(path, query)).deliveries.map((delivery: Json) => delivery.id)
      const told = await eventually("the delivery about the group", async () => {
        const found = await ids({ event: "group.resolved" })
        return found[0]
      })
      expect(await ids()).toEqual([told, second.id, first.id])
      expect(await ids({ success: false })).toEqual([told, second.id, first.id])
      expect(await ids({ success: true })).toEqual([])
      expect(await ids({ event: "webhook.test", success: false, limit: 1 })).toEqual([second.id])
      expect(await ids({ event: "webhook.test", cursor: second.id })).toEqual([first.id])
      expect(await member.get(`${path}/${first.id}`)).toEqual(first)
      const sibling = await admin.post(`${project.path}/webhooks`, hook, 201)
      await admin.get(`${project.path}/webhooks/${sibling.id}/deliveries/${first.id}`, {}, 404)
      await admin.delete(`${project.path}/webhooks/${id}`)
      await admin.get(`${path}/${first.id}`, {}, 404)
    }),

    wireCase("have no deliveries while they are disabled, and reject invalid filters", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const { id } = await admin.post(`${project.path}/webhooks`, { ...hook, enabled: false }, 201)
      const path = `${project.path}/webhooks/${id}/deliveries`
      const none = { deliveries: [], next_cursor: null, has_more: false }
      for (const query of [
        {},
        { success: true },
        { success: false },
        ...events.map((event) => ({ event })),
      ]) {
        expect(await member.get(path, query)).toEqual(none)
      }
      for (const event of ["", "group", "group.exploded"]) {
        await admin.refused("GET", path, { query: { event } }, "event")
      }
      for (const success of ["", "yes", "1", "TRUE"]) {
        await admin.refused("GET", path, { query: { success } }, "success")
      }
      await member.get(`${path}/1`, {}, 404)
    }),
  ],
}
