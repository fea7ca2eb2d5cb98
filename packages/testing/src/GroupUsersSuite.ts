/** Estimated numbers of affected users per group. */
import { type Group, GroupFilter, maxExactUsers } from "@errata/core"
import { GroupStore, hashSpace, Storage } from "@errata/core/ports"
import { Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { idOf } from "./internal/Paging.js"
import { given, groupsOf, record } from "./internal/Pipeline.js"

const usersOf = Effect.fnUntraced(function* (group: Group) {
  const groups = yield* GroupStore
  return (yield* Effect.fromOption(yield* groups.find(group.projectId, group.id))).usersCount
})

/** The groups of a project by the message of their first report. */
const namedGroups = (projectId: Group["projectId"]) =>
  Effect.map(groupsOf(projectId), (groups) => {
    const named = (name: string) => groups.find(({ errorMessage }) => errorMessage === name)!
    return { a: named("a"), b: named("b"), c: named("c") }
  })

/** Evenly distributed hashes, the same each time. */
const hashes = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.floor((((from + i) * 0.6180339887498949) % 1) * hashSpace))

/** Adds users in large batches, as the recorder does. */
const addUsers = Effect.fnUntraced(function* (group: Group, users: ReadonlyArray<number>) {
  const { transaction } = yield* Storage
  const groups = yield* GroupStore
  for (let i = 0; i < users.length; i += 400) {
    yield* transaction(
      Effect.gen(function* () {
        const [own] = yield* groups.lock(group.projectId, [group.id])
        const [root] = yield* groups.lock(group.projectId, [own!.mergedIntoId ?? own!.id])
        const some = users.slice(i, i + 400)
        const counts = yield* groups.addUsers(some.map((user) => ({ group: root!, groupId: group.id, user })))
        const usersCount = counts.get(root!.id)
        if (usersCount !== undefined) yield* groups.save([Given.changeGroup(root!, { usersCount })])
      }),
    )
  }
})

/** Within four standard errors. */
const expectAbout = (count: number, users: number) => {
  expect(count).toBeGreaterThan(users * 0.87)
  expect(count).toBeLessThan(users * 1.13)
}

export const groupUsersSuite: ContractSuite = {
  name: "GroupStore.addUsers",
  cases: [
    contractCase(
      "counts each user of a group once, and ignores reports without a user",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const of = (group: string, user?: string) =>
          send({ group, message: group, ...(user === undefined ? {} : { user }) })
        yield* record(of("a", "1"), of("a", "2"), of("a", "1"), of("b", "1"), of("c"))
        yield* onSecondNode(record(of("a", "2"), of("a", "3"), of("a")))
        const { a, b, c } = yield* namedGroups(project.id)
        expect([a.usersCount, b.usersCount, c.usersCount]).toEqual([3, 1, 0])
      }),
    ),

    contractCase(
      "counts no user of a report that is already stored",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const first = send({ group: "a", message: "a", user: "1" })
        yield* record(first)
        yield* record(first, send({ group: "a", user: "1" }))
        expect((yield* namedGroups(project.id)).a.usersCount).toBe(1)
      }),
    ),

    contractCase(
      "finds groups by the number of their users",
      Effect.gen(function* () {
        const { project, send } = yield* given
        for (const [group, users] of [
          ["a", 3],
          ["b", 1],
          ["c", 12],
        ] as const) {
          yield* record(
            ...Array.from({ length: users }, (_, i) => send({ group, message: group, user: `${i}` })),
          )
        }
        const { a, b, c } = yield* namedGroups(project.id)
        const found = (op: ">" | ">=" | "<" | "<=" | "=", value: number) =>
          Effect.map(groupsOf(project.id, { ...GroupFilter.all, usersCount: { op, value } }), (groups) =>
            groups.map(idOf).sort((x, y) => x - y),
          )
        const ids = (...groups: ReadonlyArray<Group>) => groups.map(idOf).sort((x, y) => x - y)
        expect(yield* found(">", 1)).toEqual(ids(a, c))
        expect(yield* found(">=", 3)).toEqual(ids(a, c))
        expect(yield* found("<", 3)).toEqual(ids(b))
        expect(yield* found("<=", 12)).toEqual(ids(a, b, c))
        expect(yield* found("=", 12)).toEqual(ids(c))
      }),
    ),

    contractCase(
      "counts users of merged groups once, and separately after an unmerge",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const of = (group: string, ...users: ReadonlyArray<string>) =>
          record(...users.map((user) => send({ group, message: group, user })))
        yield* of("a", "1", "2")
        yield* of("b", "2", "3", "4")
        yield* of("c", "4", "5")
        const { a, b, c } = yield* namedGroups(project.id)
        yield* Given.merge(b, c)
        expect(yield* usersOf(b)).toBe(4)
        yield* Given.merge(a, b)
        expect(yield* usersOf(a)).toBe(5)
        yield* of("b", "1", "6", "6")
        yield* of("c", "6", "7")
        yield* of("a", "7")
        expect(yield* usersOf(a)).toBe(7)
        yield* Given.unmerge(a, b)
        expect([yield* usersOf(a), yield* usersOf(b)]).toEqual([3, 7])
        yield* of("c", "8")
        expect(yield* usersOf(b)).toBe(8)
        yield* Given.unmerge(b, c)
        expect([yield* usersOf(b), yield* usersOf(c)]).toEqual([5, 5])
        yield* of("b", "9")
        expect(yield* usersOf(b)).toBe(6)
      }),
    ),

    contractCase(
      "is exact up to a thousand users and an estimate beyond, with and without merges",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send({ group: "a", message: "a" }), send({ group: "b", message: "b" }))
        const { a, b } = yield* namedGroups(project.id)
        yield* addUsers(a, hashes(1, maxExactUsers - 1))
        expect(yield* usersOf(a)).toBe(maxExactUsers - 1)
        yield* addUsers(a, hashes(1, maxExactUsers))
        expect(yield* usersOf(a)).toBe(maxExactUsers)
        yield* addUsers(a, hashes(1, 4_000))
        expectAbout(yield* usersOf(a), 4_000)
        yield* addUsers(a, hashes(1, 4_000))
        expectAbout(yield* usersOf(a), 4_000)

        yield* addUsers(b, hashes(3_501, 900))
        expect(yield* usersOf(b)).toBe(900)
        yield* Given.merge(a, b)
        expectAbout(yield* usersOf(a), 4_400)
        yield* addUsers(b, hashes(4_001, 2_000))
        expectAbout(yield* usersOf(a), 6_000)
        yield* Given.unmerge(a, b)
        expectAbout(yield* usersOf(a), 4_000)
        expectAbout(yield* usersOf(b), 2_500)
      }),
    ),
  ],
}
