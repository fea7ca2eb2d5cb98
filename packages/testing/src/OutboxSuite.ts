/** Events and notes that group changes produce, through the core's services. */

import {
  AccessPolicy,
  Actor,
  CurrentActor,
  type EventId,
  type Group,
  GroupEventName,
  GroupId,
  Groups,
  type Project,
  Projects,
} from "@errata/core"
import { MuteJob } from "@errata/core/internal"
import {
  GroupEventStore,
  GroupLifecycle,
  GroupStore,
  NoteStore,
  ReportStore,
  Storage,
} from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { emptyOutbox, eventsIn, outboxOf } from "./internal/Outbox.js"
import { given as givenQueue, onlyGroupOf, record, recordAll } from "./internal/Pipeline.js"

const { MuteRequest } = GroupLifecycle

const services = Layer.provideMerge(Layer.merge(Groups.Default, Projects.Default), AccessPolicy.layer)

const everything = { events: [...GroupEventName.literals] }

/** A project with a webhook for all events, a group, and permissions of an admin. */
const given = Effect.gen(function* () {
  yield* emptyOutbox
  const project = yield* Given.project()
  yield* Given.webhook(project.id, everything)
  const group = yield* Given.group(project.id)
  const user = yield* Given.user({ role: "admin" })
  const access = yield* AccessPolicy.AccessPolicy
  const asAdmin = Effect.provideService(CurrentActor, Actor.Person({ user }))
  return {
    project,
    group,
    user,
    groups: yield* Groups,
    change: yield* asAdmin(access.project("groups.change", project.id)),
    administer: yield* asAdmin(access.project("project.administer", project.id)),
  }
})

const names = (project: Project) =>
  Effect.map(outboxOf(project.id), (events) => events.map(({ event }) => event))

const current = (group: Group) =>
  Effect.flatMap(GroupStore, (groups) =>
    Effect.flatMap(groups.find(group.projectId, group.id), Effect.fromOption),
  )

const save = (group: Group, fields: Partial<Group>) =>
  Effect.flatMap(GroupStore, (groups) => groups.save([Given.changeGroup(group, fields)]))

const contents = (group: Group) =>
  Effect.flatMap(NoteStore, (notes) =>
    Effect.map(notes.list(group.projectId, group.id, { limit: 100, cursor: null }), ({ items }) =>
      items.map(({ content }) => content).reverse(),
    ),
  )

/** Counts the statements that write to the outbox and to notes. */
const counted = () => {
  const statements = { outbox: 0, notes: 0 }
  const counting = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.updateService(GroupEventStore, (outbox) => ({
        ...outbox,
        append: (events) => {
          statements.outbox++
          return outbox.append(events)
        },
      })),
      Effect.updateService(NoteStore, (notes) => ({
        ...notes,
        append: (some) => {
          statements.notes++
          return notes.append(some)
        },
      })),
    )
  return { statements, counting }
}

export const outboxSuite: ContractSuite = {
  name: "Outbox",
  cases: [
    contractCase(
      "record changes by users in order, with actor and group state",
      Effect.gen(function* () {
        const { change, group, groups, project, user } = yield* given
        const source = yield* Given.group(project.id)
        yield* groups.resolve(change, group.id)
        yield* groups.resolve(change, group.id)
        yield* groups.unresolve(change, group.id)
        yield* groups.assign(change, group.id, user.id)
        yield* groups.merge(change, group.id, [source.id])
        yield* groups.mute(change, group.id, MuteRequest.ForReports({ occurrences: 3 }))
        yield* groups.unmute(change, group.id)
        const told = yield* eventsIn(project.id)
        const now = yield* DateTime.now
        expect(told.map(({ event, name }) => [name, event._tag])).toEqual([
          ["group.resolved", "Resolved"],
          ["group.unresolved", "Unresolved"],
          ["group.assigned", "Assigned"],
          ["group.merged", "Merged"],
          ["group.muted", "Muted"],
          ["group.unmuted", "Unmuted"],
        ])
        for (const [i, { at, event, groupId }] of told.entries()) {
          expect([groupId, event.group.id, event.by]).toEqual([group.id, group.id, user.id])
          expect(at).toEqual(now)
          expect(event.group.notesCount).toBe(i + 1)
        }
        const [resolved, unresolved, assigned, merged, muted, unmuted] = told.map(({ event }) => event)
        const resolution = { at: now, by: user.id, inRelease: null }
        expect([resolved?.group.resolution, unresolved?.group.resolution]).toEqual([resolution, null])
        expect(unresolved).toMatchObject({ previous: resolution })
        expect(assigned).toMatchObject({ assigneeId: user.id, group: { assigneeId: user.id } })
        expect(merged).toMatchObject({ sourceIds: [source.id] })
        const condition = { _tag: "UntilReportsCount", reportsCount: 3 }
        expect(muted).toMatchObject({ condition, group: { mute: { condition } } })
        expect(unmuted).toMatchObject({ reason: "manual", group: { mute: null } })
        expect(yield* contents(group)).toHaveLength(6)
      }).pipe(Effect.provide(services)),
    ),

    contractCase(
      "record each group that a bulk change changes",
      Effect.gen(function* () {
        const { change, group, groups, project } = yield* given
        const other = yield* Given.group(project.id)
        yield* groups.resolve(change, other.id)
        yield* groups.resolveMany(change, group.id, [other.id, group.id])
        yield* groups.muteMany(change, group.id, [group.id, other.id])
        expect((yield* eventsIn(project.id)).map(({ groupId, name }) => [name, groupId])).toEqual([
          ["group.resolved", other.id],
          ["group.resolved", group.id],
          ["group.muted", group.id],
          ["group.muted", other.id],
        ])
      }).pipe(Effect.provide(services)),
    ),

    contractCase(
      "record only the mute of a muted group, and add notes for all changes",
      Effect.gen(function* () {
        const { change, group, groups, project } = yield* given
        yield* groups.mute(change, group.id, MuteRequest.Permanent())
        yield* groups.resolve(change, group.id)
        yield* groups.unresolve(change, group.id)
        yield* groups.unmute(change, group.id)
        expect(yield* names(project)).toEqual(["group.muted", "group.unmuted"])
        expect(yield* contents(group)).toEqual(["Muted permanently", "Resolved", "Unresolved", "Unmuted"])
      }).pipe(Effect.provide(services)),
    ),

    contractCase(
      "record nothing for a rejected change",
      Effect.gen(function* () {
        const { change, group, groups, project } = yield* given
        yield* Effect.flip(groups.merge(change, group.id, [group.id]))
        yield* Effect.flip(groups.resolve(change, GroupId.make(group.id + 1_000_000)))
        expect(yield* names(project)).toEqual([])
        expect(yield* contents(group)).toEqual([])
      }).pipe(Effect.provide(services)),
    ),

    contractCase(
      "record nothing for groups when their project's mute begins or ends",
      Effect.gen(function* () {
        const { administer, change, group, groups, project } = yield* given
        const projects = yield* Projects
        const own = yield* Given.group(project.id)
        const until = DateTime.add(yield* DateTime.now, { hours: 1 })
        yield* groups.mute(change, own.id, MuteRequest.Until({ until }))
        const [told, noted] = [yield* names(project), yield* contents(own)]
        yield* projects.mute(administer, until)
        expect((yield* current(group)).projectMute).toMatchObject({ until })
        yield* TestClock.adjust("61 minutes")
        yield* MuteJob.expire
        expect(yield* current(group)).toMatchObject({ projectMute: null, mute: null })
        expect(yield* contents(group)).toEqual([])
        // The end of the group's own mute is reported.
        expect(yield* names(project)).toEqual([...told, "group.unmuted"])
        expect(yield* contents(own)).toEqual([...noted, "Unmuted: the mute expired"])
        yield* projects.mute(administer, null)
        yield* projects.unmute(administer)
        expect(yield* names(project)).toEqual([...told, "group.unmuted"])
        // Unmuting by hand is reported.
        yield* groups.unmute(change, group.id)
        expect(yield* contents(group)).toEqual(["Unmuted"])
      }).pipe(Effect.provide(services)),
    ),

    contractCase(
      "record new groups, unless their project is muted",
      Effect.gen(function* () {
        const { administer, group, project } = yield* given
        const { send } = yield* sending(project)
        yield* record(send({ group: "a", message: "told" }), send({ group: "a" }))
        yield* (yield* Projects).mute(administer, null)
        yield* record(send({ group: "b" }))
        const [created, ...others] = yield* eventsIn(project.id)
        expect(others).toEqual([])
        expect(created).toMatchObject({
          name: "group.created",
          event: {
            _tag: "Created",
            by: null,
            group: { errorMessage: "told", reportsCount: 2, notesCount: 0 },
          },
        })
        expect(created!.groupId).toBeGreaterThan(group.id)
      }).pipe(Effect.provide(services)),
    ),

    contractCase(
      "record the former resolution and the report of a reopened group",
      Effect.gen(function* () {
        yield* emptyOutbox
        const { project, send } = yield* givenQueue
        yield* Given.webhook(project.id, { events: ["group.unresolved"] })
        const { id: by } = yield* Given.user()
        yield* record(send())
        const group = yield* onlyGroupOf(project.id)
        const at = yield* DateTime.now
        yield* save(group, { resolution: { at, by, inRelease: null } })
        const receivedAt = at.epochMilliseconds + 1
        const late = send({}, { receivedAt: at.epochMilliseconds - 1 })
        const reopening = send({ release: "2.0", occurredAt: at.epochMilliseconds - 5 }, { receivedAt })
        yield* record(late, reopening, send({}, { receivedAt }))
        const report = yield* Effect.fromOption(
          yield* (yield* ReportStore).findByEventId(project.id, reopening.eventId as EventId),
        )
        const [told, ...others] = yield* eventsIn(project.id)
        expect(others).toEqual([])
        expect(told).toMatchObject({
          name: "group.unresolved",
          groupId: group.id,
          event: {
            _tag: "Reopened",
            by: null,
            previous: { at, by, inRelease: null },
            report: {
              reportId: report.id,
              eventId: reopening.eventId,
              release: "2.0",
              occurredAt: at.epochMilliseconds - 5,
              receivedAt,
            },
            group: { resolution: null, reportsCount: 4, notesCount: 1 },
          },
        })
        // A muted group reopens without an event for webhooks.
        yield* save(yield* current(group), {
          resolution: { at, by, inRelease: null },
          mute: { at, by, condition: { _tag: "Permanent" } },
        })
        yield* record(send({}, { receivedAt }))
        expect((yield* current(group)).resolution).toBeNull()
        expect(yield* names(project)).toEqual(["group.unresolved"])
        expect(yield* contents(group)).toHaveLength(2)
      }),
    ),

    contractCase(
      "record the end of a mute by count, unless the project mutes the group",
      Effect.gen(function* () {
        yield* emptyOutbox
        const { project, send } = yield* givenQueue
        yield* Given.webhook(project.id, { events: ["group.unmuted"] })
        yield* record(send({ group: "free" }))
        const free = yield* onlyGroupOf(project.id)
        yield* record(send({ group: "held" }))
        const held = yield* current({ ...free, id: GroupId.make(free.id + 1) })
        const at = yield* DateTime.now
        const mute = { at, by: null, condition: { _tag: "UntilReportsCount", reportsCount: 2 } } as const
        yield* save(free, { mute })
        yield* save(held, { mute, projectMute: { at, by: null, until: null } })
        yield* record(send({ group: "free" }), send({ group: "held" }))
        expect(yield* current(held)).toMatchObject({ mute: null, notesCount: 0 })
        expect((yield* eventsIn(project.id)).map(({ event, groupId }) => [groupId, event])).toMatchObject([
          [free.id, { _tag: "Unmuted", by: null, reason: "reports_count" }],
        ])
        expect(yield* contents(free)).toEqual(["Unmuted: the number of reports was reached"])
      }),
    ),

    contractCase(
      "record the end of a mute by count once across nodes",
      Effect.gen(function* () {
        yield* emptyOutbox
        const { project, send } = yield* givenQueue
        yield* Given.webhook(project.id, { events: ["group.unmuted"] })
        yield* record(send())
        const group = yield* onlyGroupOf(project.id)
        const at = yield* DateTime.now
        yield* save(group, {
          mute: { at, by: null, condition: { _tag: "UntilReportsCount", reportsCount: 9 } },
        })
        const some = Effect.suspend(() => record(send(), send(), send()))
        yield* Effect.all([some, onSecondNode(some), some, onSecondNode(some)], { concurrency: "unbounded" })
        yield* recordAll
        expect(yield* current(group)).toMatchObject({ mute: null, reportsCount: 13 })
        expect((yield* eventsIn(project.id)).map(({ event }) => event)).toMatchObject([
          { _tag: "Unmuted", by: null, reason: "reports_count" },
        ])
      }).pipe(onRealClock),
    ),

    contractCase(
      "record the end of a timed mute once, despite concurrent recording",
      Effect.gen(function* () {
        yield* emptyOutbox
        const { project, send } = yield* givenQueue
        yield* Given.webhook(project.id, { events: ["group.unmuted"] })
        yield* record(send())
        const group = yield* onlyGroupOf(project.id)
        const at = yield* DateTime.now
        const until = DateTime.subtract(at, { seconds: 1 })
        yield* save(group, { mute: { at: until, by: null, condition: { _tag: "Until", until } } })
        const { transaction } = yield* Storage
        const locked = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        // As recording does: locks the group, then saves it with its changes.
        const recording = yield* Effect.forkChild(
          transaction(
            Effect.gen(function* () {
              const groups = yield* GroupStore
              const [mine] = yield* groups.lock(project.id, [group.id])
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(end)
              yield* groups.save([Given.changeGroup(mine!, { reportsCount: 2 })])
            }),
          ),
        )
        yield* Deferred.await(locked)
        const expiring = yield* Effect.forkChild(onSecondNode(MuteJob.expire))
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(recording)
        yield* Fiber.join(expiring)
        yield* Effect.all([MuteJob.expire, onSecondNode(MuteJob.expire)], { concurrency: "unbounded" })
        yield* MuteJob.expire
        expect(yield* current(group)).toMatchObject({ mute: null, reportsCount: 2 })
        expect((yield* eventsIn(project.id)).map(({ event }) => event)).toMatchObject([
          { _tag: "Unmuted", by: null, reason: "expired" },
        ])
      }).pipe(onRealClock),
    ),

    contractCase(
      "use at most one statement per batch, and none without events",
      Effect.gen(function* () {
        yield* emptyOutbox
        const { project, send } = yield* givenQueue
        const batch = Array.from({ length: 20 }, (_, i) => send({ group: `group ${i}` }))
        const first = counted()
        yield* record(...batch).pipe(first.counting)
        expect(first.statements).toEqual({ outbox: 1, notes: 0 })
        const again = counted()
        yield* record(...batch.map((_, i) => send({ group: `group ${i}` }))).pipe(again.counting)
        expect(again.statements).toEqual({ outbox: 0, notes: 0 })
        // The project has no webhook.
        expect(yield* outboxOf(project.id)).toEqual([])
      }),
    ),
  ],
}

// internal

/** An empty queue and a factory of payloads for a project. */
const sending = (project: Project) =>
  Effect.map(givenQueue, ({ send }) => ({
    send: (...args: Parameters<typeof send>) => ({ ...send(...args), projectId: project.id }),
  }))
