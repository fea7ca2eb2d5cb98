import type { Group, GroupId, MuteCondition } from "@errata/core"
import { type GroupLifecycle, GroupStore, type LockedGroup, ProjectStore, Storage } from "@errata/core/ports"
import { DateTime, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, passTime } from "./internal/Paging.js"

const later = DateTime.add(Factory.noon, { hours: 1 })

/** Locks or creates groups, and uses them in the same transaction. */
const locking = <A, E, R>(
  candidates: ReadonlyArray<GroupLifecycle.NewGroup>,
  then: (locked: ReadonlyArray<LockedGroup>) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const { transaction } = yield* Storage
    const groups = yield* GroupStore
    return yield* transaction(Effect.flatMap(groups.lockOrCreate(candidates, Factory.noon), then))
  })

const lockOrCreate = (candidates: ReadonlyArray<GroupLifecycle.NewGroup>) =>
  locking(candidates, Effect.succeed)

const current = (group: Pick<Group, "projectId" | "id">) =>
  Effect.flatMap(GroupStore, (groups) =>
    Effect.flatMap(groups.find(group.projectId, group.id), Effect.fromOption),
  )

/** A first transaction holds a new key while a second one requests it; then the first ends. */
const race = (candidate: GroupLifecycle.NewGroup, outcome: Exit.Exit<void, string>) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const groups = yield* GroupStore
    const held = yield* Deferred.make<Group>()
    const end = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      locking([candidate], ([locked]) =>
        Effect.gen(function* () {
          yield* groups.save([Given.changeGroup(locked!.group, { reportsCount: 1 })])
          yield* Deferred.succeed(held, locked!.group)
          yield* Deferred.await(end)
          yield* outcome
        }),
      ),
    )
    const group = yield* Deferred.await(held)
    const second = yield* Effect.forkChild(onSecondNode(lockOrCreate([candidate])))
    yield* passTime(storage.ping)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.await(first)
    const [locked] = yield* Fiber.join(second)
    return { group, locked: locked! }
  })

export const groupStoreSuite: ContractSuite = {
  name: "GroupStore",
  cases: [
    contractCase(
      "creates a group of a new key",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const candidate = Factory.newGroup(project.id, {
          grouping: Factory.grouping({ data: { method: "backtrace", frames: ["app/main in run", "b"] } }),
          errorType: "TypeError",
          errorMessage: "x is not a function\nüñï 🌍",
          culprit: "app/cart in total",
          severity: "warning",
          occurredAt: DateTime.add(Factory.noon, { milliseconds: -123 }),
        })
        const [locked] = yield* lockOrCreate([candidate])
        expect(locked!.created).toBe(true)
        const { occurredAt, release: _, ...fields } = candidate
        expect(locked!.group).toMatchObject({
          ...fields,
          reportsCount: 0,
          notesCount: 0,
          resolution: null,
          mute: null,
          projectMute: null,
          assigneeId: null,
          issueUrl: null,
          reopenedAt: null,
          mergedIntoId: null,
        })
        const { createdAt, firstOccurredAt, lastOccurredAt, updatedAt } = locked!.group
        expect([firstOccurredAt, lastOccurredAt]).toEqual([occurredAt, occurredAt])
        expect([createdAt, updatedAt]).toEqual([Factory.noon, Factory.noon])
        expect(yield* current(locked!.group)).toEqual(locked!.group)
      }),
    ),

    contractCase(
      "returns the groups of known and new keys in the order of the candidates",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const [a, b, c, d] = [1, 2, 3, 4].map(() => Factory.newGroup(project.id))
        const [knownD, knownB] = yield* lockOrCreate([d!, b!])
        const answer = yield* lockOrCreate([a!, b!, c!, d!])
        expect(answer.map(({ created }) => created)).toEqual([true, false, true, false])
        expect(answer.map(({ group }) => group.grouping.key)).toEqual(
          [a!, b!, c!, d!].map(({ grouping }) => grouping.key),
        )
        expect([answer[1]!.group.id, answer[3]!.group.id]).toEqual([knownB!.group.id, knownD!.group.id])
        expect(yield* lockOrCreate([])).toEqual([])
      }),
    ),

    contractCase(
      "keeps groups of projects and of algorithms apart",
      Effect.gen(function* () {
        const a = yield* Given.project()
        const b = yield* Given.project()
        const grouping = Factory.grouping()
        const created = [
          ...(yield* lockOrCreate([
            Factory.newGroup(a.id, { grouping }),
            Factory.newGroup(b.id, { grouping }),
          ])),
          ...(yield* lockOrCreate([Factory.newGroup(a.id, { grouping: { ...grouping, algorithm: "v1" } })])),
        ]
        expect(created.map((locked) => locked.created)).toEqual([true, true, true])
        expect(created.map(({ group }) => group.projectId)).toEqual([a.id, b.id, a.id])
        expect(new Set(created.map(({ group }) => group.id)).size).toBe(3)
      }),
    ),

    contractCase(
      "creates hundreds of groups in one call",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const candidates = Array.from({ length: 300 }, () => Factory.newGroup(project.id))
        const created = yield* lockOrCreate(candidates)
        const again = yield* lockOrCreate(candidates.toReversed())
        expect(again.map(({ group }) => group.id).toReversed()).toEqual(created.map(({ group }) => group.id))
      }),
    ),

    contractCase(
      "applies the mute of a project to new groups until it ends",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const project = yield* Given.project()
        const before = yield* Given.group(project.id)
        for (const [until, inherited] of [
          [null, true],
          [DateTime.add(Factory.noon, { milliseconds: 1 }), true],
          [Factory.noon, false],
        ] as const) {
          const mute = { at: Factory.noon, by: null, until }
          yield* projects.setMute(project.id, mute, Factory.noon)
          const [locked] = yield* lockOrCreate([Factory.newGroup(project.id)])
          expect((yield* current(locked!.group)).projectMute).toEqual(inherited ? mute : null)
        }
        expect((yield* current(before)).projectMute).toBeNull()
      }),
    ),

    contractCase(
      "creates one group if two nodes insert the same new key concurrently",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const { group, locked } = yield* race(Factory.newGroup(project.id), Exit.void)
        expect(locked.group.id).toBe(group.id)
        expect(locked.created).toBe(false)
        // As the first transaction left it.
        expect(locked.group.reportsCount).toBe(1)
      }),
    ),

    contractCase(
      "creates a group after a concurrent transaction with its key failed",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const { group, locked } = yield* race(Factory.newGroup(project.id), Exit.fail("intended"))
        expect(locked.created).toBe(true)
        expect(locked.group.reportsCount).toBe(0)
        expect(Option.isNone(yield* Effect.option(current(group)))).toBe(locked.group.id !== group.id)
      }),
    ),

    contractCase(
      "creates one group per key under concurrent inserts of overlapping keys",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const candidates = Array.from({ length: 12 }, () => Factory.newGroup(project.id))
        const add = (some: ReadonlyArray<GroupLifecycle.NewGroup>) =>
          locking(some, (locked) =>
            Effect.flatMap(GroupStore, (groups) =>
              groups.save(
                locked.map(({ group }) => Given.changeGroup(group, { reportsCount: group.reportsCount + 1 })),
              ),
            ),
          )
        yield* Effect.all(
          [
            add(candidates),
            onSecondNode(add(candidates.toReversed())),
            add(candidates.slice(4).toReversed()),
            onSecondNode(add(candidates.slice(0, 8))),
          ],
          { concurrency: "unbounded" },
        )
        const found = yield* lockOrCreate(candidates)
        expect(found.map(({ group }) => group.reportsCount)).toEqual([3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 3])
      }),
    ),

    contractCase(
      "finds a group in its own project only",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const group = yield* Given.group((yield* Given.project()).id)
        const other = yield* Given.project()
        expect((yield* current(group)).id).toBe(group.id)
        expect(Option.isNone(yield* groups.find(other.id, group.id))).toBe(true)
        expect(Option.isNone(yield* groups.find(group.projectId, 2_000_000_000 as GroupId))).toBe(true)
      }),
    ),

    contractCase(
      "locks groups of the project in the order of their ids and leaves others out",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const groups = yield* GroupStore
        const project = yield* Given.project()
        const a = yield* Given.group(project.id)
        const foreign = yield* Given.group((yield* Given.project()).id)
        const b = yield* Given.group(project.id)
        const c = yield* Given.group(project.id)
        yield* Given.merge(a, b)
        const locked = yield* transaction(
          groups.lock(project.id, [c.id, 2_000_000_000 as GroupId, b.id, foreign.id, a.id]),
        )
        expect(locked.map(idOf)).toEqual([a.id, b.id, c.id])
        expect(locked[1]!.mergedIntoId).toBe(a.id)
        expect(yield* transaction(groups.lock(project.id, []))).toEqual([])
      }),
    ),

    contractCase(
      "saves everything that transitions can change",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const { id: by } = yield* Given.user()
        const group = yield* Given.group((yield* Given.project()).id)
        const conditions: ReadonlyArray<MuteCondition> = [
          { _tag: "Permanent" },
          { _tag: "Until", until: DateTime.add(later, { milliseconds: 7 }) },
          { _tag: "UntilReportsCount", reportsCount: 12 },
          { _tag: "UntilNextRelease" },
        ]
        for (const condition of conditions) {
          const changed = Given.changeGroup(group, {
            severity: "fatal",
            firstOccurredAt: DateTime.subtract(Factory.noon, { milliseconds: 1 }),
            lastOccurredAt: later,
            reportsCount: 42,
            resolution: { at: later, by, inRelease: "shop@1.2.3" },
            mute: { at: later, by, condition },
            projectMute: { at: later, by, until: condition._tag === "Until" ? condition.until : null },
            assigneeId: by,
            issueUrl: "https://issues.example.com/ünï?q=1",
            reopenedAt: later,
            updatedAt: later,
          })
          yield* groups.save([changed])
          expect({ ...(yield* current(group)) }).toEqual({ ...changed })
        }
        const cleared = Given.changeGroup(group, { resolution: { at: later, by: null, inRelease: null } })
        yield* groups.save([cleared])
        expect({ ...(yield* current(group)) }).toEqual({ ...cleared })
        yield* groups.save([group])
        expect({ ...(yield* current(group)) }).toEqual({ ...group })
      }),
    ),

    contractCase(
      "saves several groups in one call",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const project = yield* Given.project()
        const [a, b, c] = yield* Effect.all([
          Given.group(project.id),
          Given.group(project.id),
          Given.group((yield* Given.project()).id),
        ])
        yield* groups.save([
          Given.changeGroup(c, { reportsCount: 3 }),
          Given.changeGroup(a, { reportsCount: 1 }),
        ])
        yield* groups.save([])
        const counts = yield* Effect.forEach([a, b, c], current)
        expect(counts.map((group) => group.reportsCount)).toEqual([1, 0, 3])
      }),
    ),

    contractCase(
      "discards a new group without reports, and frees its key",
      Effect.gen(function* () {
        const groups = yield* GroupStore
        const project = yield* Given.project()
        const [a, b] = [Factory.newGroup(project.id), Factory.newGroup(project.id)]
        const kept = yield* locking([a, b], (locked) =>
          Effect.as(groups.discard([locked[0]!.group]), locked[1]!.group),
        )
        const page = yield* groups.list(
          project.id,
          { tags: [], text: [] },
          { limit: 10, cursor: null },
          later,
        )
        expect(page.items.map(idOf)).toEqual([kept.id])
        const again = yield* lockOrCreate([a, b])
        expect(again.map(({ created }) => created)).toEqual([true, false])
      }),
    ),
  ],
}
