/** Rules that apply to events, and what they send and hold back. */
import { defaultSettings, ErrataConfig, type Group } from "@errata/core"
import { GroupStore, MemberMailStore, ProjectStore, Storage } from "@errata/core/ports"
import { advance, contractCase, Given, onSecondNode } from "@errata/testing"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import * as Pipeline from "../../../testing/src/internal/Pipeline.js"
import * as AlertEvents from "../../src/alert/AlertEvents.js"
import * as SummaryJob from "../../src/alert/SummaryJob.js"
import { onStorages } from "../support/storages.js"
import { evaluate, notificationsOf, rule, subscribed, summaries, target, withKinds } from "./support.js"

const given = Effect.andThen(subscribed, Pipeline.given)

/** At noon, for hours and quiet hours to be known. */
const waitUntil = Effect.fnUntraced(function* (hour: number, minute = 0) {
  const now = yield* DateTime.now
  const at = DateTime.setPartsUtc(now, { hour, minute, second: 0, millisecond: 0 })
  const next = DateTime.isGreaterThan(at, now) ? at : DateTime.add(at, { days: 1 })
  yield* advance(DateTime.distance(now, next))
})

const change = Effect.fnUntraced(function* (group: Group, f: (group: Group) => Partial<Group>) {
  const storage = yield* Storage
  const groups = yield* GroupStore
  yield* storage.transaction(
    Effect.gen(function* () {
      const [locked] = yield* groups.lock(group.projectId, [group.id])
      yield* groups.save([{ ...locked!, ...f(locked!) }])
    }),
  )
})

const withLimit = (maxPerHour: number) =>
  Effect.provideService(ErrataConfig, {
    ...defaultSettings,
    notifications: { ...defaultSettings.notifications, maxPerHour },
  })

onStorages("Alerts", [
  contractCase(
    "send new groups to all targets of a project by the default rule",
    Effect.gen(function* () {
      const { project, send } = yield* given
      yield* target(project.id, { name: "One" })
      yield* target(project.id, { name: "Two" })
      yield* target(project.id, { name: "Disabled", enabled: false })
      yield* Pipeline.record(send({ message: "no card", environment: "production", release: "1.2.0" }))
      yield* Pipeline.record(send({ message: "no card" }))
      yield* evaluate
      yield* evaluate
      const sent = yield* notificationsOf(project.id)
      expect(sent.map(({ delivery }) => delivery.status)).toEqual(["pending", "pending"])
      const [{ content }] = [sent[0]!]
      const group = yield* Pipeline.onlyGroupOf(project.id)
      expect(content).toMatchObject({
        kind: "alert",
        reason: "New error",
        rule: { name: "New and reopened errors" },
        group: {
          id: group.id,
          errorMessage: "no card",
          url: `https://errata.test/projects/${project.id}/groups/${group.id}`,
        },
      })
      expect(new Set(sent.map(({ content }) => content.id)).size).toBe(1)
    }),
  ),

  contractCase(
    "send nothing about muted groups, or about warnings in projects with errors only",
    Effect.gen(function* () {
      const { project, send } = yield* given
      const projects = yield* ProjectStore
      yield* target(project.id)
      yield* projects.update(project.id, { errorAndFatalNotificationsOnly: true }, yield* DateTime.now)
      yield* Pipeline.record(send({ group: "mild", severity: "warning" }), send({ group: "bad" }))
      yield* projects.setMute(
        project.id,
        { at: yield* DateTime.now, by: null, until: null },
        yield* DateTime.now,
      )
      yield* Pipeline.record(send({ group: "muted" }))
      yield* evaluate
      expect(yield* summaries(project.id)).toEqual(["pending, New error"])
    }),
  ),

  contractCase(
    "follow the query, the environments and the severities of a rule",
    Effect.gen(function* () {
      const { project, send } = yield* given
      yield* target(project.id)
      yield* rule(project.id, {
        filter: { query: "card", environments: ["production", "staging"], severities: ["error"] },
      })
      yield* Pipeline.record(
        send({ group: "a", message: "no card", environment: "staging" }),
        send({ group: "b", message: "no card", environment: "test" }),
        send({ group: "c", message: "no cash", environment: "production" }),
        send({ group: "d", message: "no card", environment: "production", severity: "warning" }),
      )
      yield* evaluate
      const sent = yield* notificationsOf(project.id)
      expect(sent.map(({ content }) => content.group?.environment)).toEqual(["staging"])
    }),
  ),

  contractCase(
    "notify about a group once in the period of a rule, and store throttled notifications",
    Effect.gen(function* () {
      const { project, send } = yield* given
      yield* target(project.id)
      yield* rule(project.id, { triggers: [{ type: "created" }, { type: "fatal" }], repeatMinutes: 30 })
      yield* Pipeline.record(send())
      yield* evaluate
      yield* Pipeline.record(send({ severity: "fatal" }))
      yield* evaluate
      expect(yield* summaries(project.id)).toEqual([
        "pending, New error",
        "throttled, repeat, The severity rose to fatal",
      ])
      const group = yield* Pipeline.onlyGroupOf(project.id)
      yield* change(group, () => ({ severity: "error" }))
      yield* advance("30 minutes")
      yield* Pipeline.record(
        send({ severity: "fatal" }, { receivedAt: (yield* DateTime.now).epochMilliseconds }),
      )
      yield* evaluate
      expect((yield* summaries(project.id)).at(-1)).toBe("pending, The severity rose to fatal")
    }),
  ),

  contractCase(
    "throttle messages above the hourly limit, and summarize them for each receiver",
    Effect.gen(function* () {
      const { project, send } = yield* given
      yield* waitUntil(12, 10)
      yield* target(project.id)
      yield* Pipeline.record(
        ...Array.from({ length: 7 }, (_, i) => send({ group: `g${i}`, message: `m${i}` })),
      )
      yield* evaluate.pipe(withLimit(2))
      const found = yield* summaries(project.id)
      expect(found.filter((one) => one === "pending, New error")).toHaveLength(2)
      expect(found.filter((one) => one === "throttled, limit, New error")).toHaveLength(5)
      yield* withKinds(SummaryJob.summarize)
      expect(yield* summaries(project.id)).toHaveLength(7)
      yield* advance("50 minutes")
      yield* withKinds(SummaryJob.summarize)
      yield* withKinds(SummaryJob.summarize)
      const all = yield* notificationsOf(project.id)
      expect(all).toHaveLength(8)
      const { content, delivery } = all.at(-1)!
      expect(delivery).toMatchObject({ event: "notification.summary", status: "pending" })
      expect(content.reason).toBe("5 notifications were held back by the limit of the hour")
      expect(content.sections[0]?.lines).toHaveLength(5)
      // A new hour has a limit of its own.
      yield* Pipeline.record(
        send({ group: "later" }, { receivedAt: (yield* DateTime.now).epochMilliseconds }),
      )
      yield* evaluate.pipe(withLimit(2))
      expect((yield* summaries(project.id)).at(-1)).toBe("pending, New error")
    }),
  ),

  contractCase(
    "delay notifications to a target until its quiet hours end",
    Effect.gen(function* () {
      const { project, send } = yield* given
      yield* waitUntil(23)
      const quietHours = { from: 22 * 60, to: 7 * 60, timezone: "UTC" }
      const quiet = yield* target(project.id, { quietHours })
      yield* target(project.id)
      yield* Pipeline.record(send())
      yield* evaluate
      expect(new Set(yield* summaries(project.id))).toEqual(
        new Set(["throttled, quiet_hours, New error", "pending, New error"]),
      )
      yield* waitUntil(6, 59)
      yield* withKinds(SummaryJob.summarize)
      expect(yield* summaries(project.id)).toHaveLength(2)
      yield* waitUntil(7, 1)
      yield* withKinds(SummaryJob.summarize)
      const { content, delivery } = (yield* notificationsOf(project.id)).at(-1)!
      expect(delivery).toMatchObject({ targetId: quiet.id, status: "pending" })
      expect(content.reason).toBe("1 notification was held back in quiet hours")
    }),
  ),

  contractCase(
    "notify members by mail according to their settings, except the person who made the change",
    Effect.gen(function* () {
      const { project, send } = yield* given
      const mail = yield* MemberMailStore
      const people = yield* Effect.forEach(
        ["everything", "new_and_reopened", "assigned", "nothing"] as const,
        (mode) =>
          Effect.gen(function* () {
            const user = yield* Given.member([project.id])
            yield* mail.put(project.id, user.id, { mode, digest: "never" }, yield* DateTime.now)
            return [mode, user.id] as const
          }),
      )
      const modes = new Map(people.map(([mode, id]) => [id, mode]))
      const told = (all: Effect.Success<ReturnType<typeof notificationsOf>>) =>
        all.map(({ delivery }) => modes.get(delivery.userId!)).toSorted()
      yield* rule(project.id, { triggers: [{ type: "created" }, { type: "fatal" }], repeatMinutes: 0 })
      yield* Pipeline.record(send())
      yield* evaluate
      expect(told(yield* notificationsOf(project.id))).toEqual(["everything", "new_and_reopened"])
      const group = yield* Pipeline.onlyGroupOf(project.id)
      const [assignee] = people.find(([mode]) => mode === "assigned")!.slice(1) as [never]
      yield* change(group, () => ({ assigneeId: assignee }))
      yield* Pipeline.record(send({ severity: "fatal" }))
      yield* evaluate
      expect(told((yield* notificationsOf(project.id)).slice(2))).toEqual(["assigned", "everything"])
    }),
  ),

  contractCase(
    "notify once across nodes, also after a node that died during evaluation",
    Effect.gen(function* () {
      const { project, send } = yield* given
      yield* target(project.id)
      yield* Pipeline.record(...Array.from({ length: 20 }, (_, i) => send({ group: `g${i}` })))
      yield* Effect.all([evaluate, onSecondNode(evaluate as never)], { concurrency: 2 })
      expect(yield* notificationsOf(project.id)).toHaveLength(20)
      yield* Pipeline.record(send({ group: "late" }))
      // A node that dies in its transaction leaves neither deliveries nor a settled event.
      const storage = yield* Storage
      const dying = Storage.of({
        ...storage,
        transaction: (effect) => storage.transaction(Effect.andThen(effect, Effect.die("killed"))),
      })
      yield* AlertEvents.evaluateSome.pipe(withKinds, Effect.provideService(Storage, dying), Effect.exit)
      expect(yield* notificationsOf(project.id)).toHaveLength(20)
      yield* evaluate
      expect(yield* notificationsOf(project.id)).toHaveLength(20)
      yield* advance("1 minute")
      yield* evaluate
      expect(yield* notificationsOf(project.id)).toHaveLength(21)
    }),
  ),
])
