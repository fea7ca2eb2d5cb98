import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import * as Receiver from "./Receiver.js"
import { eventually, type Wire, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

/** A project with one target and one rule, which sends to it. */
const given = async (wire: Wire, url: string, rule: Json, fields: Json = {}): Promise<Json> => {
  const { admin, member, target } = wire
  const { field, kind } = target.receiver
  const project = await Given.project(wire, [member])
  const body = { kind, name: "Chat", address: { [field]: url }, ...fields }
  const { id: targetId } = await admin.post(`${project.path}/targets`, body, 201)
  const receivers = { members: false, targets: [targetId] }
  const { id: ruleId } = await admin.post(
    `${project.path}/alert_rules`,
    { name: "Told", receivers, ...rule },
    201,
  )
  return { project, targetId, ruleId, path: `${project.path}/notifications` }
}

/** Waits until the history has this many finished notifications. Returns them, newest first. */
const done = (
  { member }: Wire,
  path: string,
  count: number,
  query: Json = {},
): Promise<ReadonlyArray<Json>> =>
  eventually(`${count} notifications in ${path}`, async () => {
    const { notifications } = await member.get(path, { limit: 100, ...query })
    return notifications.length >= count && notifications.every(({ status }: Json) => status !== "pending")
      ? notifications
      : undefined
  })

const silent = "http://127.0.0.1:9/silent"

const noted = { triggers: [{ type: "noted" }] }

/** Quiet hours around this moment. */
const quietNow = (): Json => {
  const at = (millis: number) => new Date(Date.now() + millis).toISOString().slice(11, 16)
  return { from: at(-2 * Given.hour), to: at(2 * Given.hour), timezone: "UTC" }
}

export const notificationsWire: WireFile = {
  name: "Notifications",
  cases: [
    wireCase("reach a target, and stay in the history", (wire) =>
      Receiver.use(word("hook"), async ({ received, url }) => {
        const { member, target } = wire
        const { path, project, ruleId, targetId } = await given(wire, url, {
          triggers: [{ type: "created" }],
        })
        const group = await Given.group(wire, project)
        const [notification] = await done(wire, path, 1)
        expect(notification).toMatchObject({
          project_id: project.id,
          target_id: targetId,
          target_kind: target.receiver.kind,
          target_name: "Chat",
          rule_id: ruleId,
          rule_name: "Told",
          group_id: group.id,
          event: "notification.alert",
          status: "succeeded",
          throttle: null,
          user_id: null,
          recipient: null,
          attempts: 1,
          response_status: 200,
          error: null,
          title: `${group.error_type}: ${group.error_message}`,
          next_attempt_at: null,
        })
        expect(notification?.["reason"]).not.toBe("")
        expect(received).toHaveLength(1)
        expect(JSON.stringify(received[0])).toContain(group.error_type)
        expect(await member.get(path)).toEqual({
          notifications: [notification],
          next_cursor: null,
          has_more: false,
        })
      }),
    ),

    wireCase("are listed by target, rule, group and state, page by page", async (wire) => {
      const { admin, member } = wire
      const { path, project, ruleId, targetId } = await given(wire, silent, {
        ...noted,
        repeat_minutes: 0,
      })
      const groups = await Given.groups(wire, project, 2)
      const { notifications: tested } = await admin.post(
        `${project.path}/targets/${targetId}/test`,
        undefined,
        200,
      )
      const [first] = tested
      const second = (await admin.post(`${project.path}/targets/${targetId}/test`, undefined, 200))
        .notifications[0]
      for (const { path } of groups) await admin.post(`${path}/notes`, { content: "a note" }, 201)
      const all = await eventually("the notifications about both notes", async () => {
        const { notifications } = await member.get(path)
        return notifications.length === 4 ? notifications : undefined
      })
      const ids = async (query: Json) =>
        (await member.get(path, query)).notifications.map(({ id }: Json) => id)
      const [newest, older] = all.map(({ id }: Json) => id)
      expect(await ids({})).toEqual([newest, older, second.id, first.id])
      expect(await ids({ limit: 1 })).toEqual([newest])
      expect(await ids({ limit: 2, cursor: older })).toEqual([second.id, first.id])
      expect(await ids({ target_id: targetId, status: "failed" })).toEqual([second.id, first.id])
      expect(await ids({ rule_id: ruleId })).toEqual([newest, older])
      for (const group of groups) {
        const [found] = await ids({ group_id: group.id })
        expect(all.find(({ id }: Json) => id === found)?.group_id).toBe(group.id)
      }
      for (const query of [{ target_id: 999_999_999 }, { rule_id: 999_999_999 }, { status: "throttled" }]) {
        expect(await ids(query)).toEqual([])
      }
      for (const [name, values] of Object.entries({
        target_id: ["", "0", "-1", "x"],
        rule_id: ["", "0", "1.5"],
        group_id: ["", "all"],
        status: ["", "sent", "PENDING"],
      })) {
        for (const value of values) await member.refused("GET", path, { query: { [name]: value } }, name)
      }
    }),

    wireCase("about a group repeat after the period of their rule only", (wire) =>
      Receiver.use(word("hook"), async ({ received, url }) => {
        const { admin } = wire
        const { path, project } = await given(wire, url, noted)
        const group = await Given.group(wire, project)
        for (let i = 0; i < 3; i++) await admin.post(`${group.path}/notes`, { content: `note ${i}` }, 201)
        const found = await done(wire, path, 3)
        expect(found.map(({ status, throttle }) => [status, throttle])).toEqual([
          ["throttled", "repeat"],
          ["throttled", "repeat"],
          ["succeeded", null],
        ])
        for (const { attempts, completed_at, error } of found.slice(0, 2)) {
          expect(attempts).toBe(0)
          expect(error).not.toBeNull()
          expect(completed_at).not.toBeNull()
        }
        expect(received).toHaveLength(1)
      }),
    ),

    wireCase("wait in quiet hours, except for tests", (wire) =>
      Receiver.use(word("hook"), async ({ received, url }) => {
        const { admin } = wire
        const { path, project, targetId } = await given(wire, url, noted, { quiet_hours: quietNow() })
        const group = await Given.group(wire, project)
        await admin.post(`${group.path}/notes`, { content: "a note" }, 201)
        const found = await done(wire, path, 1)
        expect(found).toMatchObject([{ status: "throttled", throttle: "quiet_hours" }])
        expect(received).toEqual([])
        const { notifications } = await admin.post(`${project.path}/targets/${targetId}/test`, undefined, 200)
        expect(notifications).toMatchObject([{ status: "succeeded" }])
        expect(received).toHaveLength(1)
      }),
    ),

    wireCase("are not sent for muted groups, disabled rules or groups that a filter leaves out", (wire) =>
      Receiver.use(word("hook"), async ({ received, url }) => {
        const { admin } = wire
        const { path, project, ruleId } = await given(wire, url, {
          triggers: [{ type: "noted" }, { type: "created" }],
          filter: { environments: ["production"] },
          repeat_minutes: 0,
        })
        const production = { environment: "production" }
        await Given.group(wire, project, Given.failure({ environment: "staging" }))
        const group = await Given.group(wire, project, Given.failure(production))
        await done(wire, path, 1)
        await admin.post(`${group.path}/mute`, {})
        await admin.post(`${group.path}/notes`, { content: "while it is muted" }, 201)
        await admin.delete(`${group.path}/mute`)
        await admin.patch(`${project.path}/alert_rules/${ruleId}`, { enabled: false })
        await admin.post(`${group.path}/notes`, { content: "while the rule is disabled" }, 201)
        // The rule is read when the event is evaluated: a group that comes last shows that the others are done.
        await admin.patch(`${project.path}/alert_rules/${ruleId}`, {
          enabled: true,
          filter: {},
          triggers: [{ type: "created" }],
        })
        const last = await Given.group(wire, project)
        await done(wire, path, 1, { group_id: last.id })
        const found = await done(wire, path, 2)
        expect(found.map(({ group_id }) => group_id)).toEqual([last.id, group.id])
        expect(received).toHaveLength(2)
      }),
    ),

    wireCase("are deleted with their target", async (wire) => {
      const { admin, member } = wire
      const { path, project, targetId } = await given(wire, silent, noted)
      await admin.post(`${project.path}/targets/${targetId}/test`, undefined, 200)
      expect((await member.get(path)).notifications).toHaveLength(1)
      await admin.delete(`${project.path}/targets/${targetId}`)
      expect((await member.get(path)).notifications).toEqual([])
    }),
  ],
}
