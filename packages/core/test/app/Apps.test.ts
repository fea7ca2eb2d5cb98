/** Access to apps through the core's services. */
import {
  AccessPolicy,
  Actor,
  type AppId,
  Apps,
  type CreateApp,
  CurrentActor,
  type Page,
  type ProjectId,
  type UpdateApp,
  type User,
} from "@errata/core"
import { AppStore } from "@errata/core/ports"
import { contractCase, Factory, Given, onSecondNode } from "@errata/testing"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { refusal } from "../support/refusal.js"
import { onStorages } from "../support/storages.js"

const services = Layer.provideMerge(Apps.Default, AccessPolicy.layer)

/** The service as called by an actor, with an access check before each call. */
const called = (apps: Apps["Service"]) => {
  const administer = AccessPolicy.instance("apps.administer")
  return {
    list: (page: Page.PageRequest) =>
      Effect.flatMap(AccessPolicy.instance("apps.list"), (allowed) => apps.list(allowed, page)),
    create: (input: CreateApp) => Effect.flatMap(administer, (allowed) => apps.create(allowed, input)),
    update: (id: AppId, input: UpdateApp) =>
      Effect.flatMap(administer, (allowed) => apps.update(allowed, id, input)),
    remove: (id: AppId) => Effect.flatMap(administer, (allowed) => apps.remove(allowed, id)),
  }
}

const as =
  (actor: Actor) =>
  <A, E, R>(use: (apps: ReturnType<typeof called>) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(Apps, (apps) => use(called(apps))).pipe(
      Effect.provideService(CurrentActor, actor),
      Effect.provide(services),
    )

const asSystem = as(Actor.System())
const asUser = (user: User) => as(Actor.Person({ user }))

const stored = Effect.fnUntraced(function* (id: AppId) {
  const { name, projectIds } = yield* Effect.fromOption(yield* (yield* AppStore).find(id))
  return { name, projectIds }
})

onStorages("Apps", [
  contractCase(
    "are created with their projects, or not at all",
    Effect.gen(function* () {
      const [a, b] = [yield* Given.project(), yield* Given.project()]
      const name = Factory.appName()
      const app = yield* asSystem((apps) =>
        apps.create({ name: `  ${name} `, projectIds: [b.id, a.id, b.id] }),
      )
      expect(app).toMatchObject({ name, projectIds: [a.id, b.id] })
      expect(yield* stored(app.id)).toEqual({ name, projectIds: [a.id, b.id] })
      const other = Factory.appName()
      expect(yield* refusal(asSystem((apps) => apps.create({ name: other, projectIds: [a.id] })))).toEqual({
        projectIds: [`contains projects of other apps: ${a.id}`],
      })
      const free = yield* asSystem((apps) => apps.create({ name: other }))
      expect(free).toMatchObject({ name: other, projectIds: [] })
    }),
  ),

  contractCase(
    "change in name and projects together, or not at all",
    Effect.gen(function* () {
      const [a, b, c] = [yield* Given.project(), yield* Given.project(), yield* Given.project()]
      const taken = yield* asSystem((apps) => apps.create({ name: Factory.appName(), projectIds: [c.id] }))
      const before = { name: Factory.appName(), projectIds: [a.id] }
      const { id } = yield* asSystem((apps) => apps.create(before))
      const unknown = 2_000_000_000 as ProjectId
      const update = (input: UpdateApp) => asSystem((apps) => apps.update(id, input))
      const name = Factory.appName()
      expect(yield* refusal(update({ name, projectIds: [unknown, b.id, c.id] }))).toEqual({
        projectIds: [
          `contains projects that do not exist: ${unknown}`,
          `contains projects of other apps: ${c.id}`,
        ],
      })
      expect(yield* refusal(update({ name: taken.name, projectIds: [b.id] }))).toEqual({
        name: ["has already been taken"],
      })
      expect(yield* stored(id)).toEqual(before)
      expect(yield* update({})).toMatchObject(before)
      expect(yield* update({ name: before.name })).toMatchObject(before)
      expect(yield* update({ projectIds: [b.id] })).toMatchObject({ name: before.name, projectIds: [b.id] })
      expect(yield* update({ name, projectIds: [] })).toMatchObject({ name, projectIds: [] })
      expect(yield* stored(id)).toEqual({ name, projectIds: [] })
    }),
  ),

  contractCase(
    "have a name that is neither blank nor too long",
    Effect.gen(function* () {
      const { id } = yield* Given.app()
      for (const [name, message] of [
        ["", "can't be blank"],
        [" \n", "can't be blank"],
        ["x".repeat(201), "is too long (maximum is 200 characters)"],
      ] as const) {
        expect(yield* refusal(asSystem((apps) => apps.create({ name })))).toEqual({ name: [message] })
        expect(yield* refusal(asSystem((apps) => apps.update(id, { name })))).toEqual({ name: [message] })
      }
      const longest = Factory.appName().padEnd(200, "x")
      expect(yield* asSystem((apps) => apps.update(id, { name: longest }))).toMatchObject({ name: longest })
    }),
  ),

  contractCase(
    "assign a project to one of two apps that are created with it concurrently",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const create = Effect.suspend(() =>
        refusal(asSystem((apps) => apps.create({ name: Factory.appName(), projectIds: [id] }))),
      )
      const results = yield* Effect.all([create, onSecondNode(create), create, onSecondNode(create)], {
        concurrency: "unbounded",
      })
      expect(results.filter((result) => result === "accepted")).toHaveLength(1)
    }),
  ),

  contractCase(
    "show members only their own projects, and admins all",
    Effect.gen(function* () {
      const [mine, other, foreign] = [yield* Given.project(), yield* Given.project(), yield* Given.project()]
      const create = (...projectIds: ReadonlyArray<ProjectId>) =>
        asSystem((apps) => apps.create({ name: Factory.appName(), projectIds }))
      const shared = yield* create(mine.id, foreign.id)
      const closed = yield* create(other.id)
      const empty = yield* create()
      const page = { limit: 3, cursor: empty.id + 1 }
      const member = yield* Given.member([mine.id])
      const seen = yield* asUser(member)((apps) => apps.list(page))
      expect(seen.items.map(({ id, projectIds }) => [id, projectIds])).toEqual([[shared.id, [mine.id]]])
      const admin = yield* Given.user({ role: "admin" })
      const all = yield* asUser(admin)((apps) => apps.list(page))
      expect(all.items.map(({ id }) => id)).toEqual([empty.id, closed.id, shared.id])
      expect(all.items[2]!.projectIds).toEqual([mine.id, foreign.id])
      const stranger = yield* Given.member([])
      expect((yield* asUser(stranger)((apps) => apps.list(page))).items).toEqual([])
    }),
  ),

  contractCase(
    "are changed by admins only",
    Effect.gen(function* () {
      const { id, name } = yield* Given.app()
      const project = yield* Given.project()
      const member = asUser(yield* Given.member([project.id]))
      expect(yield* refusal(member((apps) => apps.create({ name: Factory.appName() })))).toBe("AccessDenied")
      expect(yield* refusal(member((apps) => apps.update(id, { name: "mine" })))).toBe("AccessDenied")
      expect(yield* refusal(member((apps) => apps.remove(id)))).toBe("AccessDenied")
      expect(yield* stored(id)).toEqual({ name, projectIds: [] })
    }),
  ),

  contractCase(
    "are not found after removal",
    Effect.gen(function* () {
      const { id } = yield* Given.app()
      yield* asSystem((apps) => apps.remove(id))
      expect(yield* refusal(asSystem((apps) => apps.remove(id)))).toBe("AppNotFound")
      expect(yield* refusal(asSystem((apps) => apps.update(id, { name: "x" })))).toBe("AppNotFound")
    }),
  ),
])
