import type { Project, ProjectId } from "@errata/core"
import {
  AlertStore,
  AppStore,
  DeliveryStore,
  GroupEventStore,
  GroupStore,
  MemberMailStore,
  NoteStore,
  PendingPayloads,
  ProjectStore,
  ReportStore,
  SourcemapStore,
  Storage,
  TargetStore,
  UserStore,
} from "@errata/core/ports"
import { DateTime, Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { outboxOf } from "./internal/Outbox.js"
import { idOf } from "./internal/Paging.js"

const remove = (project: Project) =>
  Effect.flatMap(ProjectStore, (projects) => projects.remove(project.id, Factory.noon))

/** Purges in steps until nothing is left, and returns the number of rows removed by each step. */
const purgeAll = Effect.fnUntraced(function* (limit: number, now = Factory.noon) {
  const projects = yield* ProjectStore
  const steps: Array<number> = []
  while (steps.at(-1) !== 0 && steps.length < 1000) steps.push(yield* projects.purge(limit, now))
  return steps
})

const hostedScript = (projectId: ProjectId) => ({ projectId, url: "https://cdn.example.com/app.js" })

const fillHostedMaps = Effect.fnUntraced(function* (projectId: ProjectId) {
  const maps = yield* SourcemapStore
  const claim = yield* maps.claimMap(hostedScript(projectId), Duration.minutes(1))
  yield* maps.settleMap(hostedScript(projectId), Option.getOrThrow(claim), {
    outcome: { _tag: "Missing", code: "hosted_not_found" },
    origins: ["https://cdn.example.com"],
    keep: Duration.hours(1),
    maxBytes: 1e6,
  })
})

const windowOf = (projectId: ProjectId) => ({
  projectId,
  targetId: null,
  startsAt: Factory.noon,
  endsAt: DateTime.add(Factory.noon, { hours: 1 }),
})

/** A group that was discarded. */
const discardedGroup = Effect.fnUntraced(function* (projectId: ProjectId) {
  const groups = yield* GroupStore
  const { transaction } = yield* Storage
  const group = yield* Given.group(projectId)
  yield* transaction(
    Effect.flatMap(groups.lock(projectId, [group.id]), ([locked]) =>
      groups.remove(locked!, null, Factory.noon),
    ),
  )
  return group
})

/** Fills all tables of a project: groups, reports, a webhook, a target, a rule, an origin, a dead letter, and more. */
const fill = Effect.fnUntraced(function* (project: Project) {
  const groups = yield* GroupStore
  const reports = yield* ReportStore
  const { id: projectId } = project
  const a = yield* Given.group(projectId)
  const b = yield* Given.group(projectId)
  const source = yield* Given.group(projectId)
  const inserted = [a, a, b, source].map((group) =>
    Factory.newReport(group, { release: "1.0", tags: [{ key: "k", value: "v" }] }),
  )
  const [first] = yield* reports.insert(inserted, Factory.noon)
  yield* reports.addAttachments([
    {
      projectId,
      reportId: first!,
      place: Factory.storedPayload(projectId).place,
      index: 0,
      filename: "a.log",
      contentType: "text/plain",
      type: "event.attachment",
      size: 10,
    },
  ])
  yield* groups.addTagCounts([
    { projectId, groupId: a.id, key: "k", value: "v", count: 2 },
    { projectId, groupId: source.id, key: "k", value: "v", count: 1 },
  ])
  yield* Given.merge(a, source)
  yield* (yield* NoteStore).append([Factory.newNote(b), Factory.newNote(b)])
  const delivery = yield* Given.delivery(yield* Given.webhook(projectId))
  yield* Given.delivery(yield* Given.target(projectId), { event: "notification.alert" })
  const rule = yield* Given.rule(projectId)
  const states = yield* AlertStore
  yield* states.putStates([
    { projectId, ruleId: rule.id, groupId: a.id, notifiedAt: Factory.noon, firing: true },
    { projectId, ruleId: rule.id, groupId: null, notifiedAt: Factory.noon, firing: true },
  ])
  yield* states.countNotifications(windowOf(projectId), 1, 0)
  const { id: userId } = yield* Given.user({ role: "admin" })
  yield* (yield* MemberMailStore).put(
    projectId,
    userId,
    { mode: "everything", digest: "daily" },
    Factory.noon,
  )
  yield* (yield* GroupEventStore).append([
    { projectId, groupId: a.id, event: "group.resolved", at: Factory.noon, document: "{}" },
  ])
  const projects = yield* ProjectStore
  yield* projects.addDiscarded(
    [{ projectId, reason: "sample_rate", category: "error", quantity: 1 }],
    Factory.noon,
  )
  yield* (yield* SourcemapStore).insertOrigin(projectId, "https://cdn.example.com", Factory.noon)
  yield* fillHostedMaps(projectId)
  const pending = yield* PendingPayloads
  const [deadLetters] = yield* pending.addDeadLetters(
    [{ ...Factory.storedPayload(projectId), reason: "poison" }],
    { payloads: 100, bytes: 1e6 },
    Factory.noon,
  )
  return {
    a,
    b,
    source,
    discarded: yield* discardedGroup(projectId),
    delivery,
    rule,
    userId,
    events: inserted.map(({ event }) => event),
    deadLetters: deadLetters!,
  }
})

/** Remaining data of a filled project. */
const remains = (project: Project, filled: Effect.Success<ReturnType<typeof fill>>) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const reports = yield* ReportStore
    const page = { limit: 100, cursor: null }
    const aside = yield* (yield* PendingPayloads).listDeadLetters({
      limit: 1,
      cursor: filled.deadLetters + 1,
    })
    return {
      groups: yield* Effect.filter([filled.a, filled.b, filled.source], ({ id }) =>
        Effect.map(groups.find(project.id, id), Option.isSome),
      ).pipe(Effect.map((found) => found.length)),
      reports: (yield* reports.locate(
        filled.events.map(({ eventId }) => ({ projectId: project.id, eventId })),
      )).filter((location) => location !== null).length,
      discarded: (yield* groups.lastDiscarded([filled.discarded]))[0] !== null,
      notes: (yield* (yield* NoteStore).list(project.id, filled.b.id, page)).items.length,
      webhooks: (yield* (yield* TargetStore).listWebhooks(project.id, page)).items.length,
      deliveries: (yield* (yield* DeliveryStore).list(
        project.id,
        filled.delivery.targetId,
        { event: null, success: null },
        page,
      )).items.length,
      notifications: (yield* (yield* DeliveryStore).notifications(
        project.id,
        { targetId: null, ruleId: null, groupId: null, status: null },
        page,
      )).items.length,
      rules: (yield* (yield* AlertStore).list(project.id)).length,
      states: (yield* (yield* AlertStore).firing(project.id)).length,
      mail: Option.isSome(yield* (yield* MemberMailStore).find(project.id, filled.userId)),
      events: (yield* outboxOf(project.id)).length,
      origins: (yield* (yield* SourcemapStore).listOrigins(project.id, page)).items.length,
      hostedMaps: Option.isSome(yield* (yield* SourcemapStore).findMap(hostedScript(project.id))),
      deadLetters: aside.items.map(idOf).includes(filled.deadLetters),
    }
  })

const whole = {
  groups: 3,
  discarded: true,
  reports: 4,
  notes: 2,
  webhooks: 1,
  deliveries: 1,
  notifications: 1,
  rules: 1,
  states: 2,
  mail: true,
  events: 1,
  origins: 1,
  hostedMaps: true,
  deadLetters: true,
}
const nothing = {
  groups: 0,
  discarded: false,
  reports: 0,
  notes: 0,
  webhooks: 0,
  deliveries: 0,
  notifications: 0,
  rules: 0,
  states: 0,
  mail: false,
  events: 0,
  origins: 0,
  hostedMaps: false,
  deadLetters: false,
}

export const projectRemovalSuite: ContractSuite = {
  name: "ProjectStore.remove",
  cases: [
    contractCase(
      "hides a project from every query immediately",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const kept = yield* Given.project()
        const gone = yield* Given.project()
        yield* remove(gone)
        expect(Option.isNone(yield* projects.find(gone.id))).toBe(true)
        expect(Option.isNone(yield* onSecondNode(Effect.flatMap(ProjectStore, (s) => s.find(gone.id))))).toBe(
          true,
        )
        expect(Option.isNone(yield* projects.findByToken(gone.token))).toBe(true)
        const page = { limit: 10, cursor: null }
        const listed = yield* projects.list({ only: [kept.id, gone.id], name: null }, page)
        expect(listed.items.map(idOf)).toEqual([kept.id])
        expect((yield* projects.list({ only: null, name: gone.name }, page)).items).toEqual([])
        const live = yield* projects.liveIds
        expect([live.includes(kept.id), live.includes(gone.id)]).toEqual([true, false])
        const change = yield* projects.update(gone.id, { timezone: "Europe/Rome" }, Factory.noon)
        expect(Option.isNone(change)).toBe(true)
      }),
    ),

    contractCase(
      "ends only the memberships of the project",
      Effect.gen(function* () {
        const users = yield* UserStore
        const kept = yield* Given.project()
        const gone = yield* Given.project()
        const input = Factory.newUser()
        const { id } = yield* Given.user(input)
        yield* users.addMembership(id, kept.id)
        yield* users.addMembership(id, gone.id)
        yield* remove(gone)
        expect((yield* Effect.fromOption(yield* users.find(id))).projectIds).toEqual([kept.id])
        expect(
          (yield* Effect.fromOption(yield* users.findByApiKeyHash(input.apiKeyHash))).projectIds,
        ).toEqual([kept.id])
      }),
    ),

    contractCase(
      "removes only that project from its app",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const kept = yield* Given.project()
        const gone = yield* Given.project()
        const { id } = yield* Given.app()
        yield* apps.setProjects(id, [kept.id, gone.id], Factory.noon)
        yield* remove(gone)
        expect((yield* Effect.fromOption(yield* apps.find(id))).projectIds).toEqual([kept.id])
      }),
    ),

    contractCase(
      "releases the name, and never reuses an id",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const first = yield* Given.project()
        yield* remove(first)
        const second = yield* Given.project({ name: first.name })
        expect(second.id).toBeGreaterThan(first.id)
        yield* remove(first)
        expect((yield* Effect.fromOption(yield* projects.find(second.id))).name).toBe(first.name)
        yield* remove(second)
        expect((yield* Given.project({ name: first.name })).name).toBe(first.name)
      }),
    ),

    contractCase(
      "purges all rows of deleted projects, and no others, in steps of the given size",
      Effect.gen(function* () {
        const kept = yield* Given.project()
        const gone = yield* Given.project()
        const keptParts = yield* fill(kept)
        const goneParts = yield* fill(gone)
        yield* purgeAll(100)
        expect(yield* remains(gone, goneParts)).toEqual(whole)
        yield* remove(gone)
        const steps = yield* purgeAll(2)
        expect(Math.max(...steps)).toBeLessThanOrEqual(2)
        // At least the rows that the ports can read.
        expect(steps.reduce((sum, step) => sum + step, 0)).toBeGreaterThanOrEqual(
          3 + 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 2 + 1,
        )
        expect(yield* remains(gone, goneParts)).toEqual(nothing)
        expect(yield* remains(kept, keptParts)).toEqual(whole)
        const windows = yield* (yield* AlertStore).takeEndedWindows(windowOf(kept.id).endsAt, 1_000)
        const counted = windows.map(({ projectId }) => projectId)
        expect([counted.includes(kept.id), counted.includes(gone.id)]).toEqual([true, false])
      }),
    ),

    contractCase(
      "purges late events of a deleted project for a day",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const gone = yield* Given.project()
        yield* remove(gone)
        yield* purgeAll(100)
        const late = yield* Given.group(gone.id)
        yield* purgeAll(100, DateTime.add(Factory.noon, { hours: 20 }))
        expect(Option.isNone(yield* groups.find(gone.id, late.id))).toBe(true)
        const afterADay = yield* purgeAll(100, DateTime.add(Factory.noon, { hours: 30 }))
        expect(afterADay).toEqual([0])
      }),
    ),

    contractCase(
      "lets two nodes purge concurrently",
      Effect.gen(function* () {
        const gone = yield* Given.project()
        const parts = yield* fill(gone)
        yield* remove(gone)
        yield* Effect.all([purgeAll(1), onSecondNode(purgeAll(1))], { concurrency: "unbounded" })
        yield* purgeAll(100)
        expect(yield* remains(gone, parts)).toEqual(nothing)
      }),
    ),
  ],
}
