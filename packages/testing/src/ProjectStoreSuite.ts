import type { ProjectId } from "@errata/core"
import { type NewProject, ProjectStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const insert = (project: NewProject) =>
  Effect.flatMap(ProjectStore, (projects) => projects.insert(project, Factory.noon))

/** A lowercase word of letters and digits that no other project's name contains. */
const freshWord = () =>
  Factory.newProject()
    .name.replaceAll(/[^A-Za-z0-9]+/g, "")
    .toLowerCase()

export const projectStoreSuite: ContractSuite = {
  name: "ProjectStore",
  cases: [
    contractCase(
      "keeps a project as inserted",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const input = Factory.newProject({ platform: "python", timezone: "Europe/Lisbon" })
        const inserted = yield* Effect.fromOption(yield* insert(input))
        expect(inserted).toMatchObject({ ...input, groupsCount: 0, reportsCount: 0, mute: null })
        expect(inserted.createdAt).toEqual(Factory.noon)
        expect(inserted.updatedAt).toEqual(Factory.noon)
        expect(yield* Effect.fromOption(yield* projects.find(inserted.id))).toEqual(inserted)
      }),
    ),

    contractCase(
      "finds the project of a token",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { id, token } = yield* Given.project()
        expect(yield* Effect.fromOption(yield* projects.findByToken(token))).toEqual({ id, token })
        expect(Option.isNone(yield* projects.findByToken(Factory.newProject().token))).toBe(true)
      }),
    ),

    contractCase(
      "finds no unknown project",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        expect(Option.isNone(yield* projects.find(2_000_000_000 as ProjectId))).toBe(true)
      }),
    ),

    contractCase(
      "assigns a key to one live project only, and one key to a project",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const key = freshWord()
        const first = yield* Given.project({ key })
        const other = yield* Given.project()
        expect([first.key, other.key]).toEqual([key, null])
        expect(Option.isNone(yield* insert(Factory.newProject({ key })))).toBe(true)
        expect(Option.isNone(yield* projects.bind(other.id, key))).toBe(true)
        const bound = yield* Effect.fromOption(yield* projects.bind(other.id, `${key} too`))
        expect(bound).toEqual({ ...other, key: `${key} too` })
        expect(Option.isNone(yield* projects.bind(other.id, `${key} again`))).toBe(true)
        expect(yield* Effect.fromOption(yield* projects.findByKey(key))).toEqual(first)
        expect(Option.isNone(yield* projects.findByKey(`${key} again`))).toBe(true)
        yield* projects.update(first.id, { name: `${first.name} renamed` }, Factory.noon)
        expect((yield* Effect.fromOption(yield* projects.findByKey(key))).id).toBe(first.id)
        yield* projects.remove(first.id, Factory.noon)
        expect(Option.isNone(yield* projects.findByKey(key))).toBe(true)
        expect((yield* Given.project({ key })).key).toBe(key)
      }),
    ),

    contractCase(
      "assigns a key to one project when nodes race",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const key = freshWord()
        const [a, b] = [yield* Given.project(), yield* Given.project()]
        const given = yield* Effect.all(
          [
            projects.bind(a.id, key),
            onSecondNode(Effect.flatMap(ProjectStore, (store) => store.bind(b.id, key))),
            insert(Factory.newProject({ key })),
          ],
          { concurrency: "unbounded" },
        )
        expect(given.filter(Option.isSome)).toHaveLength(1)
      }),
    ),

    contractCase(
      "assigns a name to one project only",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const first = yield* Given.project()
        const refused = Factory.newProject({ name: first.name, platform: "ruby" })
        expect(Option.isNone(yield* insert(refused))).toBe(true)
        expect(Option.isNone(yield* projects.findByToken(refused.token))).toBe(true)
        expect(yield* Effect.fromOption(yield* projects.find(first.id))).toEqual(first)
      }),
    ),

    contractCase(
      "assigns a name to one project when nodes race",
      Effect.gen(function* () {
        const { name } = Factory.newProject()
        const inserted = yield* Effect.all(
          [
            insert(Factory.newProject({ name })),
            onSecondNode(insert(Factory.newProject({ name }))),
            insert(Factory.newProject({ name })),
          ],
          { concurrency: "unbounded" },
        )
        expect(inserted.filter(Option.isSome)).toHaveLength(1)
      }),
    ),

    contractCase(
      "lists projects newest first, page by page, while projects are added",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const ids: Array<ProjectId> = []
        for (let i = 0; i < 5; i++) ids.push((yield* Given.project()).id)
        const pages = yield* readPages(
          2,
          (page) => projects.list({ only: ids, name: null }, page),
          Given.project(),
        )
        const [a, b, c, d, e] = ids
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
        const newest = yield* projects.list({ only: null, name: null }, { limit: 3, cursor: null })
        expect(newest.items.map(idOf)).toEqual(newest.items.map(idOf).sort((x, y) => y - x))
        expect(newest.nextCursor).toBe(newest.items[2]!.id)
      }),
    ),

    contractCase(
      "ends a list whose last page is full",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const only = [(yield* Given.project()).id, (yield* Given.project()).id]
        const page = yield* projects.list({ only, name: null }, { limit: 2, cursor: null })
        expect(page.items).toHaveLength(2)
        expect(page.nextCursor).toBeNull()
      }),
    ),

    contractCase(
      "lists projects by name, and none without accessible projects",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { id, name } = yield* Given.project()
        const page = { limit: 10, cursor: null }
        expect((yield* projects.list({ only: null, name }, page)).items.map(idOf)).toEqual([id])
        expect((yield* projects.list({ only: [id], name: `${name}!` }, page)).items).toEqual([])
        expect((yield* projects.list({ only: [], name: null }, page)).items).toEqual([])
      }),
    ),

    contractCase(
      "lists projects by their slug, also after renames, until they are deleted",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const word = freshWord()
        const slug = `shop-${word}`
        const named = (name: string) =>
          Effect.map(Effect.flatMap(insert(Factory.newProject({ name })), Effect.fromOption), ({ id }) => id)
        const ofSlug = (only: ReadonlyArray<number> | null = null, cursor: number | null = null) =>
          Effect.map(projects.list({ only, name: null, slug }, { limit: 10, cursor }), ({ items }) =>
            items.map(idOf),
          )
        const one = yield* named(`Shop ${word}`)
        const two = yield* named(`(SHOP) ${word.toUpperCase()}!`)
        const other = yield* named(`shop${word}`)
        expect(yield* ofSlug()).toEqual([two, one])
        expect(yield* ofSlug([one, other])).toEqual([one])
        expect(yield* ofSlug(null, two)).toEqual([one])
        const first = yield* projects.list({ only: null, name: null, slug }, { limit: 1, cursor: null })
        expect([first.items.map(idOf), first.nextCursor]).toEqual([[two], two])
        yield* projects.update(one, { name: `elsewhere ${word}` }, Factory.noon)
        yield* projects.update(two, { timezone: "Europe/Lisbon" }, Factory.noon)
        yield* projects.update(other, { name: `shop-${word}` }, Factory.noon)
        expect(yield* ofSlug()).toEqual([other, two])
        yield* projects.remove(two, Factory.noon)
        expect(yield* ofSlug()).toEqual([other])
      }),
    ),

    contractCase(
      "converts slugs to lowercase by the rules of Unicode",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const word = freshWord()
        // In lowercase, the Kelvin sign is `k`, and a dotted capital I is `i` with a combining dot.
        const { id } = yield* Effect.fromOption(
          yield* insert(Factory.newProject({ name: `\u212Aafe ${word} \u0130x` })),
        )
        const found = yield* projects.list(
          { only: null, name: null, slug: `kafe-${word}-i-x` },
          { limit: 1, cursor: null },
        )
        expect(found.items.map(idOf)).toEqual([id])
      }),
    ),

    contractCase(
      "sets and clears a mute",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { id } = yield* Given.project()
        const { id: by } = yield* Given.user({ role: "admin" })
        const later = DateTime.add(Factory.noon, { hours: 1 })
        for (const mute of [
          { at: later, by, until: null },
          { at: later, by: null, until: DateTime.add(later, { milliseconds: 1 }) },
          null,
        ]) {
          yield* projects.setMute(id, mute, later)
          const found = yield* Effect.fromOption(yield* projects.find(id))
          expect(found.mute).toEqual(mute)
          expect(found.updatedAt).toEqual(later)
        }
      }),
    ),

    contractCase(
      "adds to the counts of several projects, from several nodes",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const a = yield* Given.project()
        const b = yield* Given.project()
        const add = Effect.flatMap(ProjectStore, (store) =>
          store.addCounts(
            [
              { projectId: a.id, groups: 1, reports: 3 },
              { projectId: b.id, groups: 0, reports: 1 },
            ],
            Factory.noon,
          ),
        )
        yield* Effect.all([add, onSecondNode(add), add, onSecondNode(add)], { concurrency: "unbounded" })
        const counts = yield* Effect.forEach([a, b], ({ id }) =>
          Effect.map(Effect.flatMap(projects.find(id), Effect.fromOption), (project) => [
            project.groupsCount,
            project.reportsCount,
          ]),
        )
        expect(counts).toEqual([
          [4, 12],
          [0, 4],
        ])
      }),
    ),

    contractCase(
      "returns the first and the last report time across nodes",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { id } = yield* Given.project()
        const timesOf = Effect.map(
          Effect.flatMap(projects.find(id), Effect.fromOption),
          ({ firstReportAt, lastReportAt }) => [firstReportAt, lastReportAt],
        )
        const add = (reports: number, minute: number) =>
          Effect.flatMap(ProjectStore, (store) =>
            store.addCounts(
              [{ projectId: id, groups: 1, reports }],
              DateTime.add(Factory.noon, { minutes: minute }),
            ),
          )
        yield* add(0, 0)
        expect(yield* timesOf).toEqual([null, null])
        yield* onSecondNode(add(1, 1))
        yield* add(1, 2)
        yield* onSecondNode(add(1, 3))
        yield* add(0, 4)
        expect(yield* timesOf).toEqual([1, 3].map((minutes) => DateTime.add(Factory.noon, { minutes })))
      }),
    ),

    contractCase(
      "stores the last contact of projects, except deleted ones",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const [a, b, gone] = [yield* Given.project(), yield* Given.project(), yield* Given.project()]
        yield* projects.remove(gone.id, Factory.noon)
        const lastOf = (id: ProjectId) =>
          Effect.map(
            Effect.flatMap(projects.find(id), Effect.fromOption),
            ({ lastContactAt }) => lastContactAt,
          )
        expect(yield* lastOf(a.id)).toBeNull()
        const later = DateTime.add(Factory.noon, { minutes: 1 })
        yield* projects.addContacts([a.id, gone.id, b.id], Factory.noon)
        yield* onSecondNode(Effect.flatMap(ProjectStore, (store) => store.addContacts([b.id], later)))
        expect([yield* lastOf(a.id), yield* lastOf(b.id)]).toEqual([Factory.noon, later])
        expect(yield* projects.find(gone.id)).toEqual(Option.none())
      }),
    ),

    contractCase(
      "changes the platform and the token, and finds the project by the new token alone",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { id, token } = yield* Given.project()
        const next = Factory.newProject().token
        const changed = yield* Effect.fromOption(
          yield* projects.update(id, { platform: "deno", token: next }, Factory.noon),
        )
        expect(changed).toMatchObject({ id, platform: "deno", token: next })
        expect(yield* projects.findByToken(token)).toEqual(Option.none())
        expect(yield* projects.findByToken(next)).toEqual(Option.some({ id, token: next }))
      }),
    ),

    contractCase(
      "counts discarded events, also when one call names the same reason twice",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { id: projectId } = yield* Given.project()
        const discarded = { projectId, reason: "ratelimit_backoff", category: "error", quantity: 2 }
        yield* projects.addDiscarded([discarded, discarded], Factory.noon)
        yield* projects.addDiscarded([{ ...discarded, category: "session" }], Factory.noon)
        yield* projects.addDiscarded([discarded], DateTime.add(Factory.noon, { days: 1 }))
      }),
    ),
  ],
}
