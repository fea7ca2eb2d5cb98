/** Transactions, as seen from inside and from other connections. */
import type { Group, GroupId, ProjectId } from "@errata/core"
import {
  AppStore,
  DeliveryStore,
  GroupStore,
  IngestStatistics,
  NoteStore,
  PendingPayloads,
  PolicyStore,
  ProjectStore,
  ReportStore,
  Storage,
  TargetStore,
  UserStore,
} from "@errata/core/ports"
import { Cause, Data, DateTime, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

export const storageSuite: ContractSuite = {
  name: "Storage",
  cases: [
    contractCase(
      "answers a ping",
      Effect.flatMap(Storage, (storage) => storage.ping),
    ),

    contractCase(
      "can be prepared at any time, by several nodes concurrently",
      Effect.gen(function* () {
        const prepare = Effect.flatMap(Storage, (storage) => storage.prepare)
        const project = yield* Given.project()
        yield* Effect.all([prepare, onSecondNode(prepare), prepare], {
          concurrency: "unbounded",
          discard: true,
        })
        yield* prepare
        expect(yield* isThere(project.id)).toBe(true)
      }),
    ),

    contractCase(
      "shows the writes of a transaction to everyone after its commit",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const project = yield* transaction(Given.project())
        expect(yield* isThere(project.id)).toBe(true)
        expect(yield* onSecondNode(isThere(project.id))).toBe(true)
      }),
    ),

    contractCase(
      "lets a transaction read its own writes",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const groups = yield* GroupStore
        yield* transaction(
          Effect.gen(function* () {
            const project = yield* Given.project()
            expect(yield* isThere(project.id)).toBe(true)
            const group = yield* Given.group(project.id)
            expect(Option.map(yield* groups.find(project.id, group.id), idOf)).toEqual(Option.some(group.id))
          }),
        )
      }),
    ),

    contractCase(
      "leaves nothing of a transaction that fails",
      leavesNothing(() => Effect.fail(new Intended())),
    ),

    contractCase(
      "leaves nothing of a transaction that dies",
      leavesNothing(() => Effect.die(new Intended())),
    ),

    contractCase(
      "leaves nothing of a transaction that is interrupted",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const written = yield* Deferred.make<ProjectId>()
        const fiber = yield* Effect.forkChild(
          transaction(
            Effect.gen(function* () {
              const project = yield* Given.project()
              yield* Deferred.succeed(written, project.id)
              return yield* Effect.never
            }),
          ),
        )
        const id = yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
        expect(Exit.hasInterrupts(yield* Fiber.await(fiber))).toBe(true)
        expect(yield* isThere(id)).toBe(false)
      }),
    ),

    contractCase(
      "fails with the error of the transaction",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const failure = yield* Effect.flip(transaction(Effect.fail(new Intended())))
        expect(failure).toBeInstanceOf(Intended)
      }),
    ),

    contractCase(
      "works after a transaction has failed",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const token = Factory.newProject().token
        yield* Effect.exit(transaction(Effect.andThen(Given.project({ token }), Effect.fail(new Intended()))))
        const project = yield* transaction(Given.project({ token }))
        expect(yield* isThere(project.id)).toBe(true)
      }),
    ),

    contractCase(
      "makes a nested transaction part of the outer one",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        let inner: ProjectId | undefined
        yield* Effect.exit(
          transaction(
            Effect.gen(function* () {
              inner = (yield* transaction(Given.project())).id
              expect(yield* isThere(inner)).toBe(true)
              return yield* new Intended()
            }),
          ),
        )
        expect(yield* isThere(inner!)).toBe(false)
        const both = yield* transaction(Effect.all([Given.project(), transaction(Given.project())]))
        for (const { id } of both) expect(yield* isThere(id)).toBe(true)
      }),
    ),

    contractCase(
      "hides uncommitted writes from other readers without blocking them",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const group = yield* Given.group((yield* Given.project()).id)
        const written = yield* Deferred.make<ProjectId>()
        const end = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          transaction(
            Effect.gen(function* () {
              const groups = yield* GroupStore
              yield* groups.save([Given.changeGroup(group, { severity: "fatal" })])
              yield* Deferred.succeed(written, (yield* Given.project()).id)
              yield* Deferred.await(end)
            }),
          ),
        )
        const id = yield* Deferred.await(written)
        expect(yield* isThere(id)).toBe(false)
        expect(yield* severityOf(group)).toBe("error")
        expect(yield* onSecondNode(isThere(id))).toBe(false)
        expect(yield* onSecondNode(severityOf(group))).toBe("error")
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(writer)
        expect(yield* onSecondNode(isThere(id))).toBe(true)
        expect(yield* severityOf(group)).toBe("fatal")
      }),
    ),

    contractCase(
      "locks rows of a transaction against concurrent changes",
      Effect.gen(function* () {
        const group = yield* Given.group((yield* Given.project()).id)
        const increment = Effect.gen(function* () {
          const { transaction } = yield* Storage
          const groups = yield* GroupStore
          yield* transaction(
            Effect.gen(function* () {
              const [locked] = yield* groups.lock(group.projectId, [group.id])
              yield* Effect.yieldNow
              yield* groups.save([Given.changeGroup(locked!, { reportsCount: locked!.reportsCount + 1 })])
            }),
          )
        })
        const times = Array.from({ length: 8 })
        yield* Effect.all([...times.map(() => increment), ...times.map(() => onSecondNode(increment))], {
          concurrency: "unbounded",
        })
        const groups = yield* GroupStore
        const found = yield* Effect.fromOption(yield* groups.find(group.projectId, group.id))
        expect(found.reportsCount).toBe(16)
      }),
    ),
  ],
}

// internal

class Intended extends Data.TaggedError("Intended") {}

const idOf = <A>({ id }: { readonly id: A }): A => id

const isThere = (id: ProjectId) =>
  Effect.flatMap(ProjectStore, (projects) => Effect.map(projects.find(id), Option.isSome))

const severityOf = Effect.fnUntraced(function* (group: Group) {
  const groups = yield* GroupStore
  return (yield* Effect.fromOption(yield* groups.find(group.projectId, group.id))).severity
})

/** Writes through every port, ends the transaction, and checks that nothing was stored. */
function leavesNothing(end: () => Effect.Effect<never, Intended>) {
  return Effect.gen(function* () {
    const { transaction } = yield* Storage
    const projects = yield* ProjectStore
    const users = yield* UserStore
    const groups = yield* GroupStore
    const reports = yield* ReportStore
    const notes = yield* NoteStore
    const pending = yield* PendingPayloads
    const apps = yield* AppStore
    const targets = yield* TargetStore
    const deliveries = yield* DeliveryStore
    const policies = yield* PolicyStore
    const statistics = yield* IngestStatistics

    const project = yield* Given.project()
    const group = yield* Given.group(project.id)
    const newUser = Factory.newUser()
    const candidate = Factory.newGroup(project.id)
    const report = Factory.newReport(group)
    const sizeBefore = yield* pending.size
    const deadLettersBefore = yield* pending.listDeadLetters({ limit: 1, cursor: null })
    const app = yield* Given.app()
    const webhook = yield* Given.webhook(project.id)
    const now = yield* DateTime.now
    const policyBefore = yield* policies.find("hostedSourcemaps")
    const countedBefore = yield* statistics.recent(now)
    let created: GroupId | undefined

    const exit = yield* Effect.exit(
      transaction(
        Effect.gen(function* () {
          yield* projects.addCounts([{ projectId: project.id, groups: 1, reports: 1 }], Factory.noon)
          yield* projects.setMute(project.id, { at: now, by: null, until: null }, now)
          yield* users.insert(newUser, now)
          const [locked] = yield* groups.lockOrCreate([candidate], now)
          created = locked!.group.id
          yield* groups.save([Given.changeGroup(group, { severity: "fatal" })])
          yield* groups.addTagCounts([
            { projectId: project.id, groupId: group.id, key: "region", value: "eu", count: 1 },
          ])
          yield* reports.insert([report], now)
          yield* notes.append([Factory.newNote(group)])
          yield* pending.append([Factory.payload(project.id)])
          const bounds = { payloads: 100, bytes: 1e6 }
          yield* pending.addDeadLetters(
            [{ ...Factory.storedPayload(project.id), reason: "none" }],
            bounds,
            now,
          )
          yield* apps.setProjects(app.id, [project.id], now)
          yield* targets.update(project.id, webhook.id, { enabled: false }, now)
          yield* deliveries.insert([Factory.newDelivery(webhook)], now)
          yield* policies.save("hostedSourcemaps", { enabled: "maybe" }, now)
          yield* statistics.add({ rejectedByRate: 1 }, now)
          yield* end()
        }),
      ),
    )
    expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(Intended)

    const found = yield* Effect.fromOption(yield* projects.find(project.id))
    expect([found.groupsCount, found.reportsCount, found.mute]).toEqual([0, 0, null])
    expect(Option.isNone(yield* users.findByApiKeyHash(newUser.apiKeyHash))).toBe(true)
    expect(Option.isNone(yield* groups.find(project.id, created!))).toBe(true)
    const kept = yield* Effect.fromOption(yield* groups.find(project.id, group.id))
    expect([kept.severity, kept.notesCount]).toEqual(["error", 0])
    const tagged = yield* groups.list(
      project.id,
      { tags: [{ key: "region", value: "eu" }], text: [] },
      { limit: 1, cursor: null },
      now,
    )
    expect(tagged.items).toEqual([])
    expect(yield* reports.locate([{ projectId: project.id, eventId: report.event.eventId }])).toEqual([null])
    expect(yield* pending.size).toEqual(sizeBefore)
    expect((yield* pending.listDeadLetters({ limit: 1, cursor: null })).items.map(idOf)).toEqual(
      deadLettersBefore.items.map(idOf),
    )
    expect(yield* apps.find(app.id)).toEqual(Option.some(app))
    expect(yield* targets.find(project.id, webhook.id)).toEqual(Option.some(webhook))
    const due = yield* deliveries.list(
      project.id,
      webhook.id,
      { event: null, success: null },
      { limit: 1, cursor: null },
    )
    expect(due.items).toEqual([])
    expect(yield* policies.find("hostedSourcemaps")).toEqual(policyBefore)
    expect(yield* statistics.recent(now)).toEqual(countedBefore)
    const [again] = yield* transaction(groups.lockOrCreate([candidate], now))
    expect(again!.created).toBe(true)
  })
}
