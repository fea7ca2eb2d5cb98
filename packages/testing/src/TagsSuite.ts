/** Tag distributions over the reports of a group, and completions of keys and values. */
import type { Group } from "@errata/core"
import { GroupStore, maxShownKeys, maxTopValues, type Tag } from "@errata/core/ports"
import { Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase } from "./ContractCase.js"
import * as Given from "./Given.js"
import { readPages } from "./internal/Paging.js"

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Counts tags in sequence, as batches of the recorder do. */
const count = (group: Pick<Group, "id" | "projectId">, counts: Counts) =>
  Effect.flatMap(GroupStore, (groups) =>
    groups.addTagCounts(
      Object.entries(counts).flatMap(([key, values]) =>
        Object.entries(values).map(([value, count]) => ({
          projectId: group.projectId,
          groupId: group.id,
          key,
          value,
          count,
        })),
      ),
    ),
  )

/** The distributions in the same form as the counts. */
const distributed = Effect.fnUntraced(function* (group: Group) {
  const groups = yield* GroupStore
  const tags = yield* groups.tagDistributions(group.projectId, group.id)
  for (const { reportsCount, values, valuesCount, valuesCountCapped } of tags) {
    expect([valuesCount, valuesCountCapped]).toEqual([values.length, false])
    expect(values.reduce((sum, value) => sum + value.reportsCount, 0)).toBe(reportsCount)
  }
  return tags.map(({ key, values }) => [
    key,
    ...values.map(({ reportsCount, value }) => `${value}: ${reportsCount}`),
  ])
})

const completions = (group: Group, key: string, prefix: string, limit = 25) =>
  Effect.flatMap(GroupStore, (groups) => groups.completeTag(group.projectId, key, prefix, limit))

const many = (number: number, each: (i: number) => Tag) =>
  Object.fromEntries(Array.from({ length: number }, (_, i) => [each(i).key, { [each(i).value]: 1 }]))

export const tagsSuite: ContractSuite = {
  name: "GroupStore, tags",
  cases: [
    contractCase(
      "counts a group's tags, the most frequent key and value first",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const group = yield* Given.group(project.id)
        const other = yield* Given.group(project.id)
        expect(yield* distributed(group)).toEqual([])
        // Known values are counted in another way than new ones.
        for (let i = 0; i < 20; i++) {
          yield* count(group, { os: { Linux: 1 }, release: { "1.0": 1, [`2.${i % 2}`]: 1 } })
          yield* count(other, { os: { Windows: 1 }, only: { here: 1 } })
        }
        yield* count(group, { os: { Plan9: 3 }, 'odd "key\\': { "'\u{1F986}": 1 } })
        expect(yield* distributed(group)).toEqual([
          ["release", "1.0: 20", "2.0: 10", "2.1: 10"],
          ["os", "Linux: 20", "Plan9: 3"],
          ['odd "key\\', "'\u{1F986}: 1"],
        ])
        expect(yield* distributed(other)).toEqual([
          ["only", "here: 20"],
          ["os", "Windows: 20"],
        ])
      }),
    ),

    contractCase(
      "counts the tags of merged groups for their target until they are unmerged",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const [root, a, b] = yield* Effect.forEach([0, 1, 2], () => Given.group(project.id))
        yield* count(root!, { os: { Linux: 1 } })
        yield* count(a!, { os: { Linux: 2, Windows: 2 } })
        yield* count(b!, { os: { Windows: 2 }, tenant: { acme: 1 } })
        yield* Given.merge(a!, b!)
        yield* Given.merge(root!, a!)
        yield* count(b!, { os: { Windows: 1 } })
        expect(yield* distributed(root!)).toEqual([
          ["os", "Windows: 5", "Linux: 3"],
          ["tenant", "acme: 1"],
        ])
        const groups = yield* GroupStore
        const values = yield* groups.tagValuesOf(project.id, root!.id, "os", { limit: 10, cursor: null })
        expect(values?.items).toEqual([
          { value: "Windows", reportsCount: 5 },
          { value: "Linux", reportsCount: 3 },
        ])
        expect(yield* completions(root!, "tenant", "")).toEqual(["acme"])
        yield* Given.unmerge(root!, a!)
        expect(yield* distributed(root!)).toEqual([["os", "Linux: 1"]])
        expect(yield* distributed(a!)).toEqual([
          ["os", "Windows: 5", "Linux: 2"],
          ["tenant", "acme: 1"],
        ])
      }),
    ),

    contractCase(
      "lists all values of a tag, page by page",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const group = yield* Given.group(project.id)
        const groups = yield* GroupStore
        yield* count(group, { user: { a: 1, b: 3, c: 2, d: 1, e: 2 } })
        const list = (key: string) =>
          readPages(2, (page) =>
            Effect.map(groups.tagValuesOf(project.id, group.id, key, page), (found) => found!),
          )
        expect((yield* list("user")).map((page) => page.map(({ value }) => value))).toEqual([
          ["b", "c"],
          ["e", "a"],
          ["d"],
        ])
        const page = { limit: 2, cursor: null }
        expect(yield* groups.tagValuesOf(project.id, group.id, "User", page)).toBeNull()
        const after = yield* groups.tagValuesOf(project.id, group.id, "user", { limit: 2, cursor: 2 ** 52 })
        expect(after).toEqual({ items: [], nextCursor: null })
      }),
    ),

    contractCase(
      "counts up to a thousand values of a tag, and reports if there are more",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const group = yield* Given.group(project.id)
        const groups = yield* GroupStore
        const users = (number: number) =>
          Object.fromEntries(Array.from({ length: number }, (_, i) => [`user ${i}`, i < 5 ? 2 : 1]))
        yield* count(group, { user: users(1_000) })
        const [exact] = yield* groups.tagDistributions(project.id, group.id)
        expect(exact).toMatchObject({ valuesCount: 1_000, valuesCountCapped: false, reportsCount: 1_005 })
        expect(exact!.values).toHaveLength(maxTopValues)
        expect(exact!.values.map(({ reportsCount }) => reportsCount)).toEqual([2, 2, 2, 2, 2, 1, 1, 1, 1, 1])
        yield* count(group, { user: { "one more": 1 } })
        const [capped] = yield* groups.tagDistributions(project.id, group.id)
        expect(capped).toMatchObject({ valuesCount: 1_000, valuesCountCapped: true })
      }),
    ),

    contractCase(
      "returns the first keys of very many, and the reserved keys",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const group = yield* Given.group(project.id)
        const groups = yield* GroupStore
        yield* count(
          group,
          many(maxShownKeys + 20, (i) => ({ key: `a${1_000 + i}`, value: "x" })),
        )
        yield* count(group, { environment: { production: 9 }, release: { "1.0": 1 }, zone: { eu: 1 } })
        const keys = (yield* groups.tagDistributions(project.id, group.id)).map(({ key }) => key)
        expect(keys).toHaveLength(maxShownKeys + 2)
        expect(keys[0]).toBe("environment")
        expect(keys).toContain("release")
        expect(keys).not.toContain("zone")
      }),
    ),

    contractCase(
      "lists the keys of a project's tags in alphabetical order",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const groups = yield* GroupStore
        const group = yield* Given.group(project.id)
        yield* count(group, { os: { a: 1 }, Zone: { a: 1 }, zone: { a: 1 }, Browser: { a: 1 } })
        yield* count(yield* Given.group((yield* Given.project()).id), { other: { a: 1 } })
        const keys = ["Browser", "os", "Zone", "zone"]
        expect(yield* groups.listTagKeys(project.id, 10)).toEqual(keys)
        expect(yield* groups.listTagKeys(project.id, 2)).toEqual(keys.slice(0, 2))
      }),
    ),

    contractCase(
      "completes values in any case, the most frequent first",
      Effect.gen(function* () {
        const project = yield* Given.project()
        const [a, b] = yield* Effect.forEach([0, 1], () => Given.group(project.id))
        yield* count(a!, { browser: { Firefox: 2, "Firefox Mobile": 1, Chrome: 9 }, os: { Fire: 1 } })
        yield* count(b!, { browser: { "Firefox Mobile": 4, "100%_": 1 } })
        yield* count(yield* Given.group((yield* Given.project()).id), { browser: { Fireball: 1 } })
        expect(yield* completions(a!, "browser", "fIRE")).toEqual(["Firefox Mobile", "Firefox"])
        expect(yield* completions(a!, "browser", "")).toEqual([
          "Chrome",
          "Firefox Mobile",
          "Firefox",
          "100%_",
        ])
        expect(yield* completions(a!, "browser", "", 1)).toEqual(["Chrome"])
        expect(yield* completions(a!, "browser", "100%")).toEqual(["100%_"])
        expect(yield* completions(a!, "browser", "%")).toEqual([])
        expect(yield* completions(a!, "Browser", "")).toEqual([])
      }),
    ),
  ],
}
