/** States of rules by group, and counts of notifications. */
import { GroupId, type ProjectId, TargetId } from "@errata/core"
import {
  type AlertPlace,
  type AlertState,
  AlertStore,
  type NotificationWindow,
  Storage,
} from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { passTime } from "./internal/Paging.js"

const { noon } = Factory
const hours = (count: number) => DateTime.add(noon, { hours: count })
const endOfTime = DateTime.add(noon, { days: 10_000 })

/** A project with a rule, and the places of that rule: the whole project and single groups. */
const given = Effect.gen(function* () {
  const { id: projectId } = yield* Given.project()
  const { id: ruleId } = yield* Given.rule(projectId)
  const place = (groupId: number | null): AlertPlace => ({
    projectId,
    ruleId,
    groupId: groupId === null ? null : GroupId.make(groupId),
  })
  return { projectId, ruleId, place }
})

const state = (place: AlertPlace, fields: Partial<AlertState> = {}): AlertState => ({
  ...place,
  notifiedAt: noon,
  firing: false,
  ...fields,
})

const put = (...states: ReadonlyArray<AlertState>) =>
  Effect.flatMap(AlertStore, (store) => store.putStates(states))

/** Sorted by rule and group, with the whole project first. */
const inOrder = (states: ReadonlyArray<AlertState>) =>
  states.toSorted((a, b) => a.ruleId - b.ruleId || (a.groupId ?? 0) - (b.groupId ?? 0))

const lock = (...places: ReadonlyArray<AlertPlace>) =>
  Effect.map(
    Effect.flatMap(AlertStore, (store) => store.lockStates(places)),
    inOrder,
  )

const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Storage, ({ transaction }) => transaction(effect))

/** Removes data of earlier cases. */
const forgetAll = Effect.flatMap(AlertStore, (store) =>
  Effect.repeat(store.forgetStates(endOfTime, 1_000), { while: (count) => count > 0 }),
)

const windowOf = (projectId: ProjectId, fields: Partial<NotificationWindow> = {}): NotificationWindow => ({
  projectId,
  targetId: null,
  startsAt: noon,
  endsAt: hours(1),
  ...fields,
})

const count = (window: NotificationWindow, notifications: number, limit: number) =>
  Effect.flatMap(AlertStore, (store) => store.countNotifications(window, notifications, limit))

const takeEnded = (now: DateTime.Utc, limit = 1_000) =>
  Effect.flatMap(AlertStore, (store) => store.takeEndedWindows(now, limit))

const takeAll = Effect.repeat(takeEnded(endOfTime), { while: (taken) => taken.length > 0 })

export const alertStatesSuite: ContractSuite = {
  name: "AlertStore states",
  cases: [
    contractCase(
      "stores states by rule and group, and omits places without a state",
      Effect.gen(function* () {
        const { place, projectId } = yield* given
        const other = yield* given
        const standard = yield* Given.rule(null)
        const ofDefault: AlertPlace = { projectId, ruleId: standard.id, groupId: GroupId.make(1) }
        const places = [place(null), place(1), place(2), ofDefault, other.place(1)]
        expect(yield* inTransaction(lock(...places))).toEqual([])
        const states = [
          state(place(null), { firing: true }),
          state(place(1), { notifiedAt: null, firing: true }),
          state(ofDefault, { notifiedAt: hours(1) }),
        ]
        yield* inTransaction(Effect.andThen(lock(...places), put(...states)))
        expect(yield* inTransaction(lock(...places, place(1)))).toEqual(inOrder(states))
        const changed = [
          state(place(null), { notifiedAt: hours(2) }),
          state(place(1), { firing: true }),
          states[2]!,
        ]
        yield* put(...changed.slice(0, 2))
        yield* put()
        expect(yield* inTransaction(lock(...places))).toEqual(inOrder(changed))
        expect(yield* inTransaction(lock())).toEqual([])
        yield* Effect.ignore(Given.undone(put(state(place(2), { firing: true }))))
        expect(yield* inTransaction(lock(place(2)))).toEqual([])
      }),
    ),

    contractCase(
      "locks a place for one transaction at a time, with or without a state",
      Effect.gen(function* () {
        const storage = yield* Storage
        const { place } = yield* given
        const [fresh, known] = [place(1), place(2)]
        yield* put(state(known))
        for (const [each, before] of [
          [fresh, []],
          [known, [state(known)]],
        ] as const) {
          const locked = yield* Deferred.make<void>()
          const end = yield* Deferred.make<void>()
          const after = state(each, { notifiedAt: hours(3), firing: true })
          const first = yield* Effect.forkChild(
            inTransaction(
              Effect.gen(function* () {
                const found = yield* lock(each)
                yield* Deferred.succeed(locked, undefined)
                yield* Deferred.await(end)
                yield* put(after)
                return found
              }),
            ),
          )
          yield* Deferred.await(locked)
          const second = yield* Effect.forkChild(onSecondNode(inTransaction(lock(each))))
          yield* passTime(storage.ping)
          yield* Deferred.succeed(end, undefined)
          expect(yield* Fiber.join(first)).toEqual(before)
          expect(yield* Fiber.join(second)).toEqual([after])
        }
      }),
    ),

    contractCase(
      "locks the same places for two transactions without a deadlock",
      Effect.gen(function* () {
        const { place, projectId } = yield* given
        const standard = yield* Given.rule(null)
        for (let round = 0; round < 5; round++) {
          const places = Array.from({ length: 40 }, (_, i): AlertPlace => {
            const groupId = GroupId.make(1 + round * 20 + i)
            return i % 3 === 0 ? { projectId, ruleId: standard.id, groupId } : place(groupId)
          })
          const notify = (order: ReadonlyArray<AlertPlace>) =>
            inTransaction(
              Effect.gen(function* () {
                const found = yield* lock(...order)
                const known = new Set(found.map(({ groupId, ruleId }) => `${ruleId} ${groupId}`))
                const news = order.filter(({ groupId, ruleId }) => !known.has(`${ruleId} ${groupId}`))
                yield* put(...news.map((each) => state(each)))
                return news.length
              }),
            )
          const before = (yield* inTransaction(lock(...places))).length
          const made = yield* Effect.all(
            [
              notify(places),
              onSecondNode(notify(places.toReversed())),
              notify([...places.slice(20), ...places.slice(0, 20)]),
            ],
            { concurrency: "unbounded" },
          )
          expect(made.reduce((sum, one) => sum + one, 0)).toBe(places.length - before)
        }
      }),
    ),

    contractCase(
      "returns the firing states of a project",
      Effect.gen(function* () {
        const { place, projectId } = yield* given
        const other = yield* given
        const firing = [state(place(null), { firing: true }), state(place(7), { firing: true })]
        yield* put(...firing, state(place(8)), state(other.place(7), { firing: true }))
        yield* inTransaction(lock(place(9)))
        const store = yield* AlertStore
        expect(inOrder(yield* store.firing(projectId))).toEqual(firing)
        yield* put(state(place(7)))
        expect(yield* store.firing(projectId)).toEqual(firing.slice(0, 1))
      }),
    ),

    contractCase(
      "deletes old and empty states that do not fire, up to a limit",
      Effect.gen(function* () {
        const store = yield* AlertStore
        yield* forgetAll
        const { place } = yield* given
        const kept = [state(place(1), { firing: true }), state(place(2), { notifiedAt: hours(1) })]
        yield* put(...kept, state(place(3)), state(place(4)), state(place(5)))
        const all = [1, 2, 3, 4, 5].map(place)
        expect(yield* store.forgetStates(noon, 100)).toBe(0)
        expect(yield* store.forgetStates(hours(1), 2)).toBe(2)
        expect(yield* inTransaction(lock(...all))).toHaveLength(3)
        const rest = Effect.flatMap(AlertStore, ({ forgetStates: forget }) => forget(hours(1), 100))
        yield* Effect.all([rest, onSecondNode(rest)], { concurrency: "unbounded" })
        expect(yield* inTransaction(lock(...all))).toEqual(kept)
        yield* rest
        expect(yield* store.forgetStates(hours(1), 100)).toBe(0)
        expect(yield* inTransaction(lock(...all))).toEqual(kept)
      }),
    ),

    contractCase(
      "grants notifications up to the limit of a window, and counts the others as held back",
      Effect.gen(function* () {
        yield* takeAll
        const { projectId } = yield* given
        const other = yield* given
        const window = windowOf(projectId)
        expect(yield* count(window, 3, 10)).toBe(3)
        expect(yield* count(window, 5, 10)).toBe(5)
        expect(yield* count(window, 5, 10)).toBe(2)
        expect(yield* count(window, 5, 10)).toBe(0)
        // Lowering a limit does not affect notifications already counted.
        expect(yield* count(window, 1, 4)).toBe(0)
        expect(yield* count(window, 4, 12)).toBe(2)
        const others = [
          windowOf(other.projectId),
          windowOf(projectId, { targetId: TargetId.make(1) }),
          windowOf(projectId, { startsAt: hours(1), endsAt: hours(2) }),
        ]
        for (const each of others) expect(yield* count(each, 1, 10)).toBe(1)
        const quiet = windowOf(projectId, { targetId: TargetId.make(2) })
        expect(yield* count(quiet, 4, 0)).toBe(0)
        const taken = yield* takeEnded(endOfTime)
        expect(taken.toSorted((a, b) => (a.targetId ?? 0) - (b.targetId ?? 0))).toEqual([
          { ...window, held: 3 + 5 + 1 + 2 },
          { ...quiet, held: 4 },
        ])
      }),
    ),

    contractCase(
      "grants no more than the limit under concurrent calls",
      Effect.gen(function* () {
        yield* takeAll
        const { projectId } = yield* given
        const window = windowOf(projectId)
        const some = inTransaction(count(window, 3, 20))
        const granted = yield* Effect.all(
          Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? some : onSecondNode(some))),
          { concurrency: "unbounded" },
        )
        expect(granted.reduce((sum, one) => sum + one, 0)).toBe(20)
        yield* Effect.ignore(Given.undone(count(window, 100, 20)))
        expect(yield* takeEnded(hours(1))).toEqual([{ ...window, held: 16 }])
      }),
    ),

    contractCase(
      "deletes windows that have ended, and returns those that held notifications back",
      Effect.gen(function* () {
        yield* takeAll
        const { projectId } = yield* given
        const window = (i: number) => windowOf(projectId, { startsAt: hours(i), endsAt: hours(i + 1) })
        for (const i of [0, 1, 2, 3]) yield* count(window(i), 2, i === 1 ? 2 : 1)
        expect(yield* takeEnded(DateTime.subtract(hours(1), { milliseconds: 1 }))).toEqual([])
        expect(yield* takeEnded(hours(3))).toEqual([
          { ...window(0), held: 1 },
          { ...window(2), held: 1 },
        ])
        expect(yield* takeEnded(hours(3))).toEqual([])
        // After a window was taken, a new one begins.
        expect(yield* count(window(1), 2, 2)).toBe(2)
        expect(yield* takeEnded(hours(4))).toEqual([{ ...window(3), held: 1 }])
      }),
    ),

    contractCase(
      "restores windows whose transaction is rolled back",
      Effect.gen(function* () {
        yield* takeAll
        const { projectId } = yield* given
        yield* count(windowOf(projectId), 2, 1)
        yield* Effect.ignore(Given.undone(takeEnded(hours(1))))
        expect(yield* takeEnded(hours(1))).toEqual([{ ...windowOf(projectId), held: 1 }])
      }),
    ),

    contractCase(
      "returns each window to one caller, and nothing when none is left",
      Effect.gen(function* () {
        yield* takeAll
        const made: Array<ProjectId> = []
        for (let i = 0; i < 9; i++) {
          const { projectId } = yield* given
          made.push(projectId)
          yield* count(windowOf(projectId), 2, 1)
          // Earlier windows in which nothing was held back.
          for (const j of [1, 2, 3]) yield* count(windowOf(projectId, { targetId: TargetId.make(j) }), 1, 1)
        }
        const some = Effect.map(inTransaction(takeEnded(hours(1), 2)), (taken) =>
          taken.map(({ projectId }) => projectId),
        )
        const all = Effect.gen(function* () {
          const taken: Array<ProjectId> = []
          while (true) {
            const next = yield* some
            expect(next.length).toBeLessThanOrEqual(2)
            if (next.length === 0) return taken
            taken.push(...next)
          }
        })
        const both = yield* Effect.all([all, onSecondNode(all)], { concurrency: "unbounded" })
        const taken = both.flat()
        // Each skipped the windows that the other one was taking.
        taken.push(...(yield* all))
        expect(taken.toSorted((a, b) => a - b)).toEqual(made)
      }),
    ),
  ],
}
