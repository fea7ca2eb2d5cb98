import type { AppId, ProjectId } from "@errata/core"
import { AppStore, ProjectStore, Storage } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const later = DateTime.add(Factory.noon, { hours: 1 })
const nobody = 2_000_000_000

const setProjects = (id: AppId, ...projectIds: ReadonlyArray<ProjectId>) =>
  Effect.flatMap(AppStore, (apps) => apps.setProjects(id, projectIds, later))

const projectIdsOf = (id: AppId) =>
  Effect.flatMap(AppStore, (apps) =>
    Effect.map(Effect.flatMap(Effect.orDie(apps.find(id)), Effect.fromOption), (app) => app.projectIds),
  )

export const appStoreSuite: ContractSuite = {
  name: "AppStore",
  cases: [
    contractCase(
      "keeps an app as inserted",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const name = Factory.appName()
        const inserted = yield* Effect.fromOption(yield* apps.insert(name, Factory.noon))
        expect(inserted).toMatchObject({ name, projectIds: [] })
        expect([inserted.createdAt, inserted.updatedAt]).toEqual([Factory.noon, Factory.noon])
        expect(yield* Effect.fromOption(yield* apps.find(inserted.id))).toEqual(inserted)
        expect(Option.isNone(yield* apps.find(nobody as AppId))).toBe(true)
      }),
    ),

    contractCase(
      "assigns a name, case-sensitively, to one app only",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const { id, name } = yield* Given.app()
        expect(Option.isNone(yield* apps.insert(name, later))).toBe(true)
        expect(Option.isSome(yield* apps.insert(name.toUpperCase(), later))).toBe(true)
        const other = yield* Given.app()
        expect(yield* apps.rename(other.id, name, later)).toBe(false)
        expect((yield* Effect.fromOption(yield* apps.find(other.id))).name).toBe(other.name)
        expect(yield* apps.rename(id, name, later)).toBe(true)
      }),
    ),

    contractCase(
      "keeps a transaction usable after rejecting a rename in it",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const storage = yield* Storage
        const { name } = yield* Given.app()
        const other = yield* Given.app()
        const free = Factory.appName()
        yield* storage.transaction(
          Effect.gen(function* () {
            expect(yield* apps.rename(other.id, name, later)).toBe(false)
            expect(yield* apps.rename(other.id, free, later)).toBe(true)
          }),
        )
        expect((yield* Effect.fromOption(yield* apps.find(other.id))).name).toBe(free)
      }),
    ),

    contractCase(
      "assigns a name to one app when two nodes insert or rename concurrently",
      Effect.gen(function* () {
        const insert = (name: string) => Effect.flatMap(AppStore, (apps) => apps.insert(name, later))
        const rename = (id: AppId, name: string) =>
          Effect.flatMap(AppStore, (apps) => apps.rename(id, name, later))
        const name = Factory.appName()
        const inserted = yield* Effect.all([insert(name), onSecondNode(insert(name)), insert(name)], {
          concurrency: "unbounded",
        })
        expect(inserted.filter(Option.isSome)).toHaveLength(1)
        const [a, b] = [yield* Given.app(), yield* Given.app()]
        const free = Factory.appName()
        const renamed = yield* Effect.all([rename(a.id, free), onSecondNode(rename(b.id, free))], {
          concurrency: "unbounded",
        })
        expect(renamed.filter((done) => done)).toHaveLength(1)
      }),
    ),

    contractCase(
      "frees the name of an app that is renamed or removed",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const { id, name } = yield* Given.app()
        expect(yield* apps.rename(id, `${name} now`, later)).toBe(true)
        const renamed = yield* Effect.fromOption(yield* apps.find(id))
        expect([renamed.name, renamed.createdAt, renamed.updatedAt]).toEqual([
          `${name} now`,
          expect.anything(),
          later,
        ])
        expect(Option.isSome(yield* apps.insert(name, later))).toBe(true)
        expect(yield* apps.remove(id)).toBe(true)
        expect(yield* apps.remove(id)).toBe(false)
        expect(Option.isNone(yield* apps.find(id))).toBe(true)
        expect(Option.isSome(yield* apps.insert(`${name} now`, later))).toBe(true)
      }),
    ),

    contractCase(
      "replaces the set of an app's projects",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const { id } = yield* Given.app()
        const [a, b, c] = [yield* Given.project(), yield* Given.project(), yield* Given.project()]
        expect(yield* setProjects(id, c.id, a.id)).toEqual([])
        const app = yield* Effect.fromOption(yield* apps.find(id))
        expect([app.projectIds, app.updatedAt]).toEqual([[a.id, c.id], later])
        expect(yield* setProjects(id, b.id, c.id)).toEqual([])
        expect(yield* projectIdsOf(id)).toEqual([b.id, c.id])
        // The removed project can be assigned again.
        const other = yield* Given.app()
        expect(yield* setProjects(other.id, a.id)).toEqual([])
        expect(yield* setProjects(id)).toEqual([])
        expect(yield* projectIdsOf(id)).toEqual([])
      }),
    ),

    contractCase(
      "skips projects that an app cannot have, and returns the reasons",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const [mine, taken] = [yield* Given.app(), yield* Given.app()]
        const [a, b, gone] = [yield* Given.project(), yield* Given.project(), yield* Given.project()]
        yield* setProjects(taken.id, b.id)
        yield* projects.remove(gone.id, later)
        expect(yield* setProjects(mine.id, nobody as ProjectId, b.id, a.id, gone.id)).toEqual([
          { projectId: nobody, reason: "unknown" },
          { projectId: b.id, reason: "in_another_app" },
          { projectId: gone.id, reason: "unknown" },
        ])
        expect(yield* projectIdsOf(mine.id)).toEqual([a.id])
        expect(yield* projectIdsOf(taken.id)).toEqual([b.id])
      }),
    ),

    contractCase(
      "assigns a project to one of two apps that claim it concurrently",
      Effect.gen(function* () {
        const [a, b] = [yield* Given.app(), yield* Given.app()]
        const { id } = yield* Given.project()
        const refused = yield* Effect.all([setProjects(a.id, id), onSecondNode(setProjects(b.id, id))], {
          concurrency: "unbounded",
        })
        expect(refused.filter((projects) => projects.length === 0)).toHaveLength(1)
        const owners = [yield* projectIdsOf(a.id), yield* projectIdsOf(b.id)]
        expect(owners.filter((ids) => ids.length === 1)).toHaveLength(1)
      }),
    ),

    contractCase(
      "lets apps exchange projects concurrently without a deadlock",
      Effect.gen(function* () {
        const [a, b] = [yield* Given.app(), yield* Given.app()]
        const [p, q] = [yield* Given.project(), yield* Given.project()]
        for (let i = 0; i < 10; i++) {
          yield* setProjects(a.id)
          yield* setProjects(b.id)
          yield* Effect.all([setProjects(a.id, p.id), setProjects(b.id, q.id)])
          yield* Effect.all([setProjects(a.id, q.id), onSecondNode(setProjects(b.id, p.id))], {
            concurrency: "unbounded",
          })
          const owned = [...(yield* projectIdsOf(a.id)), ...(yield* projectIdsOf(b.id))]
          expect(new Set(owned).size).toBe(owned.length)
        }
      }),
    ),

    contractCase(
      "shows no deleted project in its app",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const projects = yield* ProjectStore
        const { id } = yield* Given.app()
        const [a, b] = [yield* Given.project(), yield* Given.project()]
        yield* setProjects(id, a.id, b.id)
        yield* projects.remove(a.id, later)
        expect(yield* projectIdsOf(id)).toEqual([b.id])
        const listed = yield* apps.list({ only: [a.id] }, { limit: 10, cursor: null })
        expect(listed.items).toEqual([])
      }),
    ),

    contractCase(
      "leaves the projects of an app that is removed, free for another",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const projects = yield* ProjectStore
        const { id } = yield* Given.app()
        const project = yield* Given.project()
        yield* setProjects(id, project.id)
        yield* apps.remove(id)
        expect(Option.isSome(yield* projects.find(project.id))).toBe(true)
        const other = yield* Given.app()
        expect(yield* setProjects(other.id, project.id)).toEqual([])
      }),
    ),

    contractCase(
      "locks an app against concurrent changes",
      Effect.gen(function* () {
        const { id, name } = yield* Given.app()
        const lengthen = Effect.gen(function* () {
          const apps = yield* AppStore
          const storage = yield* Storage
          yield* storage.transaction(
            Effect.gen(function* () {
              const locked = yield* Effect.fromOption(yield* apps.lock(id))
              yield* Effect.yieldNow
              yield* apps.rename(id, `${locked.name}!`, later)
            }),
          )
        })
        yield* Effect.all([lengthen, onSecondNode(lengthen), lengthen, onSecondNode(lengthen)], {
          concurrency: "unbounded",
        })
        const apps = yield* AppStore
        expect((yield* Effect.fromOption(yield* apps.find(id))).name).toBe(`${name}!!!!`)
        expect(Option.isNone(yield* apps.lock(nobody as AppId))).toBe(true)
      }),
    ),

    contractCase(
      "lists apps newest first, page by page, while apps are added",
      Effect.gen(function* () {
        const apps = yield* AppStore
        const ids: Array<AppId> = []
        const only: Array<ProjectId> = []
        for (let i = 0; i < 5; i++) {
          const app = yield* Given.app()
          const [mine, other] = [yield* Given.project(), yield* Given.project()]
          yield* setProjects(app.id, mine.id, other.id)
          ids.push(app.id)
          only.push(mine.id)
          yield* Given.app()
        }
        const [a, b, c, d, e] = ids
        const added = Effect.flatMap(Given.app(), ({ id }) =>
          Effect.flatMap(Given.project(), (project) => setProjects(id, project.id)),
        )
        const pages = yield* readPages(2, (page) => apps.list({ only }, page), added)
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
        expect(pages[0]![0]!.projectIds).toHaveLength(2)
        const newest = yield* apps.list({ only: null }, { limit: 3, cursor: e! + 1 })
        expect(newest.items.map(idOf)[0]).toBe(e)
        expect(newest.nextCursor).toBe(newest.items[2]!.id)
        expect((yield* apps.list({ only: [] }, { limit: 3, cursor: null })).items).toEqual([])
      }),
    ),
  ],
}
