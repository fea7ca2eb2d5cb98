/** Targets: webhooks, chats, mail addresses and the members of a project. */
import { membersKind, type Target, type TargetId } from "@errata/core"
import {
  DeliveryStore,
  ProjectStore,
  SealedSecret,
  type StoredSecret,
  type StoredTarget,
  type TargetChanges,
  TargetStore,
} from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { emptyDeliveries, lease } from "./internal/Deliveries.js"
import { idOf, readPages } from "./internal/Paging.js"

const all = { limit: 100, cursor: null }

const later = DateTime.add(Factory.noon, { hours: 1 })
const hours = (count: number) => DateTime.add(Factory.noon, { hours: count })

const newTarget = Effect.flatMap(Given.project(), ({ id }) => Given.target(id))

const find = ({ id, projectId }: Pick<Target, "id" | "projectId">) =>
  Effect.flatMap(TargetStore, (targets) => targets.find(projectId, id))

const refind = (target: Pick<Target, "id" | "projectId">) => Effect.flatMap(find(target), Effect.fromOption)

/** Stores whether messages to a target fail. */
const setFailing = (
  { id: targetId, projectId }: Pick<Target, "id" | "projectId">,
  failing: boolean,
  now: DateTime.Utc,
) => Effect.flatMap(TargetStore, (targets) => targets.setFailing([{ projectId, targetId, failing }], now))

const disableFailing = (since: DateTime.Utc, limit = 1_000_000) =>
  Effect.flatMap(TargetStore, (targets) => targets.disableFailing(since, "failed for a day", limit, later))

/** Disables failing targets of earlier cases. */
const disableAll = disableFailing(DateTime.add(Factory.noon, { days: 10_000 }))

const stored = ({ id: targetId, projectId, secret }: Pick<Target, "id" | "projectId" | "secret">) =>
  ({ projectId, targetId, secret }) as StoredSecret

const sealed = (keyId: string, data: string) => SealedSecret.make(`v1.${keyId}.${data}`)

/** Applies changes one after the other. Each changes its own fields and the time of the last update. */
const changesOnly = (target: StoredTarget, changes: ReadonlyArray<TargetChanges>) =>
  Effect.gen(function* () {
    const targets = yield* TargetStore
    const { id, projectId } = target
    const expected = { ...target, updatedAt: later }
    for (const change of changes) {
      Object.assign(expected, change)
      const updated = yield* targets.update(projectId, id, change, later)
      expect(yield* Effect.fromOption(updated)).toEqual(expected)
    }
    expect(yield* refind(target)).toEqual(expected)
  })

/** Removes a target several times at once. The deliveries to another one of the project stay. */
const removesOnce = (target: StoredTarget, other: StoredTarget) =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const delivery = yield* Given.delivery(target)
    const kept = yield* Given.delivery(other)
    const { id, projectId } = target
    const remove = Effect.flatMap(TargetStore, ({ remove }) => remove(projectId, id))
    const removed = yield* Effect.all([remove, onSecondNode(remove), remove], { concurrency: "unbounded" })
    expect(removed.filter((found) => found)).toHaveLength(1)
    expect(Option.isNone(yield* find(target))).toBe(true)
    expect(yield* deliveries.find(projectId, id, delivery.id)).toEqual(Option.none())
    expect(yield* deliveries.find(projectId, other.id, kept.id)).toEqual(Option.some(kept))
  })

export const targetStoreSuite: ContractSuite = {
  name: "TargetStore",
  cases: [
    contractCase(
      "keeps a target as inserted",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const { id: projectId } = yield* Given.project()
        const { id: createdBy } = yield* Given.user()
        const rich = Factory.newTarget(projectId, {
          kind: "mail",
          name: 'On "call" \\ {昨日 🐛}',
          enabled: false,
          address: { to: "a@example.test, b@example.test", note: '{"a": "\\"NULL"}' },
          quietHours: { from: 1_320, to: 420, timezone: "Europe/Rome" },
          createdBy,
        })
        const plain = Factory.newTarget(projectId, { address: {}, secret: null })
        const webhook = Factory.newWebhook(projectId, {
          url: 'https://example.test/hook?a="b"&c=\\{d}',
          events: ["group.unresolved", "group.created"],
          enabled: false,
        })
        for (const input of [rich, plain, webhook]) {
          const inserted = yield* Effect.fromOption(yield* targets.insert(input, 10, Factory.noon))
          expect(inserted).toEqual({
            url: null,
            events: null,
            ...input,
            id: inserted.id,
            failingSince: null,
            disabledReason: null,
            createdAt: Factory.noon,
            updatedAt: Factory.noon,
          })
          expect(yield* refind(inserted)).toEqual(inserted)
        }
      }),
    ),

    contractCase(
      "changes only the given fields of a target or a webhook",
      Effect.gen(function* () {
        const target = yield* newTarget
        const quietHours = { from: 0, to: 60, timezone: "UTC" }
        yield* changesOnly(target, [
          {},
          { name: "Ops" },
          { enabled: false },
          { address: { channel: "#ops", thread: "1" } },
          { secret: sealed("cafe", "1") },
          { quietHours },
          { quietHours: null },
          { secret: null },
          { address: {} },
          { name: "All", enabled: true, address: { channel: "#all" }, quietHours },
        ])
        yield* changesOnly(yield* Given.webhook(target.projectId), [
          {},
          { enabled: false },
          { url: "http://other.example.test/" },
          { events: ["group.muted"], enabled: true },
        ])
      }),
    ),

    contractCase(
      "finds, changes and removes a target or a webhook by its project only",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const foreign = yield* Given.project()
        const target = yield* newTarget
        for (const own of [target, yield* Given.webhook(target.projectId)]) {
          for (const [projectId, id] of [
            [foreign.id, own.id],
            [own.projectId, (own.id + 1_000_000) as TargetId],
          ] as const) {
            expect(yield* targets.find(projectId, id)).toEqual(Option.none())
            expect(yield* targets.update(projectId, id, { name: "x" }, later)).toEqual(Option.none())
            expect(yield* targets.remove(projectId, id)).toBe(false)
          }
          expect(yield* refind(own)).toEqual(own)
        }
        expect((yield* targets.listWebhooks(foreign.id, all)).items).toEqual([])
      }),
    ),

    contractCase(
      "lists the targets of live projects in the order in which they were made, members included",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const projects = yield* ProjectStore
        const [a, b, gone] = yield* Effect.all([Given.project(), Given.project(), Given.project()])
        const first = yield* Given.target(b.id)
        yield* Given.webhook(a.id)
        const members = yield* targets.membersOf(a.id, Factory.noon)
        const last = yield* Given.target(a.id, { enabled: false })
        for (const { id } of [gone, yield* Given.project()]) yield* Given.target(id)
        yield* projects.remove(gone.id, later)
        const listed = yield* targets.ofProjects([a.id, gone.id, b.id, a.id])
        expect(listed.map(idOf)).toEqual([first.id, members, last.id])
        expect([listed[0], listed[2]]).toEqual([first, last])
        expect(yield* targets.ofProjects([])).toEqual([])
      }),
    ),

    contractCase(
      "lists the webhooks of a project newest first, page by page, whatever is added meanwhile",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const { id } = yield* Given.project()
        const other = yield* Given.project()
        const ids: Array<TargetId> = []
        for (let i = 0; i < 5; i++) {
          ids.push((yield* Given.webhook(id)).id)
          yield* Given.webhook(other.id)
          yield* Given.target(id)
        }
        const [a, b, c, d, e] = ids
        const pages = yield* readPages(2, (page) => targets.listWebhooks(id, page), Given.webhook(id))
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
      }),
    ),

    contractCase(
      "lists enabled webhooks of live projects, with their projects' filters",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const projects = yield* ProjectStore
        const [a, b, gone, other] = yield* Effect.all([
          Given.project(),
          Given.project(),
          Given.project(),
          Given.project(),
        ])
        yield* projects.update(b.id, { errorAndFatalNotificationsOnly: true }, later)
        const first = yield* Given.webhook(a.id, { events: ["group.muted"] })
        const second = yield* Given.webhook(b.id)
        yield* Given.target(b.id)
        const third = yield* Given.webhook(a.id)
        yield* Given.webhook(a.id, { enabled: false })
        for (const { id } of [gone, other]) yield* Given.webhook(id)
        yield* projects.remove(gone.id, later)
        const listeners = yield* targets.listeners([b.id, gone.id, a.id, a.id])
        const expected = [first, second, third].map(({ events, id: webhookId, projectId }) => ({
          projectId,
          webhookId,
          events,
          errorAndFatalOnly: projectId === b.id,
        }))
        const ordered = [...listeners].sort((self, that) => self.webhookId - that.webhookId)
        expect(ordered).toEqual(expected)
        expect(yield* targets.listeners([])).toEqual([])
      }),
    ),

    contractCase(
      "adds no more targets to a project than the limit, however many try at once",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const { id } = yield* Given.project()
        yield* targets.membersOf(id, Factory.noon)
        yield* Given.webhook(id)
        yield* Given.target((yield* Given.project()).id)
        const insert = Effect.flatMap(TargetStore, (store) =>
          store.insert(Factory.newTarget(id), 3, Factory.noon),
        )
        const added = yield* Effect.all(
          Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? insert : onSecondNode(insert))),
          { concurrency: "unbounded" },
        )
        expect(added.filter(Option.isSome)).toHaveLength(3)
        expect(yield* targets.ofProjects([id])).toHaveLength(4)
        yield* targets.remove(id, added.filter(Option.isSome)[0]!.value.id)
        expect(Option.isSome(yield* insert)).toBe(true)
        expect(Option.isSome(yield* insert)).toBe(false)
      }),
    ),

    contractCase(
      "creates one target for a project's members under concurrent calls",
      Effect.gen(function* () {
        const { id } = yield* Given.project()
        const other = yield* Given.project()
        const membersOf = Effect.flatMap(TargetStore, (targets) => targets.membersOf(id, Factory.noon))
        const ids = yield* Effect.all(
          Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? membersOf : onSecondNode(membersOf))),
          { concurrency: "unbounded" },
        )
        expect(new Set(ids).size).toBe(1)
        const targets = yield* TargetStore
        expect(yield* targets.membersOf(other.id, later)).not.toBe(ids[0])
        expect(yield* targets.membersOf(id, later)).toBe(ids[0])
        expect(yield* refind({ id: ids[0]!, projectId: id })).toMatchObject({
          kind: membersKind,
          enabled: true,
          address: {},
          secret: null,
          quietHours: null,
          createdAt: Factory.noon,
        })
        expect(yield* targets.ofProjects([id])).toHaveLength(1)
      }),
    ),

    contractCase(
      "keeps since when messages fail, until one arrives or the target is enabled",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        yield* emptyDeliveries
        const target = yield* newTarget
        const webhook = yield* Given.webhook(target.projectId)
        const failingSince = Effect.map(refind(target), (found) => found.failingSince)
        yield* Given.delivery(target)
        yield* setFailing(target, false, Factory.noon)
        expect(yield* failingSince).toBe(null)
        yield* setFailing(target, true, Factory.noon)
        yield* setFailing(target, true, later)
        expect(yield* failingSince).toEqual(Factory.noon)
        const [leased] = yield* lease()
        expect(leased).toMatchObject({ targetId: target.id, isFailing: true, kind: target.kind, url: null })
        expect([leased?.address, leased?.secret]).toEqual([target.address, target.secret])
        yield* setFailing(target, false, later)
        expect(yield* failingSince).toBe(null)
        yield* setFailing(target, true, later)
        yield* targets.update(target.projectId, target.id, { enabled: true }, later)
        expect(yield* failingSince).toBe(null)
        // Webhooks and targets of other projects do not change.
        const foreign = { id: target.id, projectId: (yield* Given.project()).id }
        for (const other of [webhook, foreign]) yield* setFailing(other, true, Factory.noon)
        yield* targets.setFailing([], later)
        expect(yield* failingSince).toBe(null)
        yield* Given.delivery(webhook)
        expect((yield* lease()).map(({ isFailing }) => isFailing)).toEqual([false])
      }),
    ),

    contractCase(
      "lets two nodes keep the failures of the same targets at once, in any order",
      Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const made = yield* Effect.forEach(Array(8), () => Given.target(projectId))
        const all = made.map(({ id: targetId }) => ({ projectId, targetId, failing: true }))
        for (let i = 0; i < 10; i++) {
          const failing = i % 2 === 0
          const set = (order: typeof all) =>
            Effect.flatMap(TargetStore, (targets) =>
              targets.setFailing(
                order.map((one) => ({ ...one, failing })),
                Factory.noon,
              ),
            )
          yield* Effect.all([set(all), onSecondNode(set(all.toReversed()))], { concurrency: "unbounded" })
          const found = yield* Effect.forEach(made, refind)
          expect(found.every(({ failingSince }) => (failingSince !== null) === failing)).toBe(true)
        }
      }),
    ),

    contractCase(
      "disables enabled targets that have failed since before a time, and says why",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        yield* disableAll
        const projects = yield* ProjectStore
        const { id: projectId } = yield* Given.project()
        const gone = yield* Given.project()
        const broken = yield* Given.target(projectId)
        const recent = yield* Given.target(projectId)
        const disabled = yield* Given.target(projectId, { enabled: false })
        const well = yield* Given.target(projectId)
        const lost = yield* Given.target(gone.id)
        const members = { id: yield* targets.membersOf(projectId, Factory.noon), projectId }
        for (const target of [broken, disabled, lost, members]) yield* setFailing(target, true, Factory.noon)
        yield* setFailing(recent, true, hours(2))
        yield* projects.remove(gone.id, later)
        const expected = {
          ...broken,
          failingSince: Factory.noon,
          enabled: false,
          disabledReason: "failed for a day",
          updatedAt: later,
        }
        expect(yield* disableFailing(Factory.noon)).toEqual([])
        expect(yield* disableFailing(hours(2))).toEqual([expected])
        expect(yield* disableFailing(hours(2))).toEqual([])
        expect(yield* refind(broken)).toEqual(expected)
        for (const target of [recent, well, members]) expect((yield* refind(target)).enabled).toBe(true)
        // A user enables it again.
        const anew = yield* targets.update(projectId, broken.id, { enabled: true }, hours(3))
        expect(yield* Effect.fromOption(anew)).toEqual({ ...broken, updatedAt: hours(3) })
      }),
    ),

    contractCase(
      "disables up to so many targets at a time, each for one caller",
      Effect.gen(function* () {
        yield* disableAll
        const { id: projectId } = yield* Given.project()
        const made = yield* Effect.forEach(Array(9), () => Given.target(projectId))
        for (const target of made) yield* setFailing(target, true, Factory.noon)
        const some = disableFailing(later, 4)
        const taken = (yield* Effect.all([some, onSecondNode(some)], { concurrency: "unbounded" })).map(
          (targets) => targets.map(idOf),
        )
        for (const ids of taken) expect(ids.length).toBeLessThanOrEqual(4)
        while (taken.at(-1)!.length > 0) taken.push((yield* some).map(idOf))
        expect(taken.flat().toSorted((a, b) => a - b)).toEqual(made.map(idOf))
      }),
    ),

    contractCase(
      "finds secrets by the key that sealed them, and replaces one that is still there",
      Effect.gen(function* () {
        const targets = yield* TargetStore
        const { id } = yield* Given.project()
        const [keyA, keyB] = [Factory.eventId().slice(0, 8), Factory.eventId().slice(0, 8)]
        const first = stored(yield* Given.webhook(id, { secret: sealed(keyA, "1") }))
        yield* Given.target(id, { secret: null })
        const second = stored(yield* Given.target(id, { secret: sealed(keyA, "2") }))
        const third = stored(yield* Given.target(id, { secret: sealed(keyB, "3") }))
        const samples = yield* targets.sampleSecrets
        expect(samples).toEqual(expect.arrayContaining([second, third]))
        expect(samples).not.toContainEqual(first)
        expect(yield* targets.secretsOfKey(keyA, 10)).toEqual([first, second])
        expect(yield* targets.secretsOfKey(keyA, 1)).toEqual([first])
        for (const [old, data] of [
          [first, "4"],
          [second, "5"],
        ] as const) {
          const anew = sealed(keyB, data)
          expect(yield* targets.replaceSecret(old, anew)).toBe(true)
          expect(yield* targets.replaceSecret(old, sealed(keyB, "6"))).toBe(false)
          expect(yield* targets.secretsOfKey(keyB, 10)).toContainEqual({ ...old, secret: anew })
        }
        expect(yield* targets.secretsOfKey(keyA, 10)).toEqual([])
        const foreign = { ...third, projectId: (yield* Given.project()).id }
        expect(yield* targets.replaceSecret(foreign, sealed(keyA, "7"))).toBe(false)
      }),
    ),

    contractCase(
      "removes a target or a webhook with its deliveries, once",
      Effect.gen(function* () {
        const { id } = yield* Given.project()
        yield* removesOnce(yield* Given.target(id), yield* Given.target(id))
        const kept = yield* Given.webhook(id)
        yield* removesOnce(yield* Given.webhook(id), kept)
        const targets = yield* TargetStore
        expect((yield* targets.listWebhooks(id, all)).items).toEqual([kept])
      }),
    ),
  ],
}
