import { AccessPolicy, Actor, CurrentActor, GroupFilter, Groups, Projects } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { Deferred, Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Capture, Errata, FirstProject, GroupListeners } from "../src/effect.js"

describe("the layers of an instance", () => {
  const asSystem = Effect.provideService(CurrentActor, Actor.System())

  it("are an instance at work, with every service in it", async () => {
    const program = Effect.gen(function* () {
      const { capture } = yield* Capture
      const { id } = yield* FirstProject
      const { on } = yield* GroupListeners
      const created = yield* Deferred.make<number>()
      on("group.created", ({ group_id: groupId }) => {
        Deferred.unsafeDone(created, Exit.succeed(groupId))
      })
      yield* capture(new Error("a"), { tags: { kettle: "blue" } })
      const groupId = yield* Deferred.await(created)
      const project = yield* AccessPolicy.project("groups.read", id)
      const page = yield* (yield* Groups).list(project, GroupFilter.all, { limit: 10, cursor: null })
      return { groupId, listed: page.items.map((group) => group.id) }
    })
    const layer = Errata.layer({ project: "Tea" }).pipe(Layer.provideMerge(MemoryStorage.layer))
    const { groupId, listed } = await Effect.runPromise(program.pipe(asSystem, Effect.provide(layer)))
    expect(listed).toEqual([groupId])
  })

  it("fail as values say", async () => {
    const layer = Errata.layer().pipe(Layer.provideMerge(MemoryStorage.layer))
    const failure = await Effect.runPromise(
      Effect.flatMap(Capture, ({ capture }) => capture(new Error("a"), { project: 999 })).pipe(
        Effect.flip,
        Effect.provide(layer),
      ),
    )
    expect(failure).toMatchObject({ _tag: "ProjectNotFound", projectId: 999 })
  })

  it("are replaced one by one: services without anything that runs by itself", async () => {
    const layer = Errata.layerServices().pipe(Layer.provideMerge(MemoryStorage.layer))
    const names = Effect.gen(function* () {
      const projects = yield* Projects
      yield* projects.create(yield* AccessPolicy.instance("projects.create"), { name: "Tea" })
      const listed = yield* projects.list(
        yield* AccessPolicy.instance("projects.list"),
        { name: null },
        { limit: 10, cursor: null },
      )
      return listed.items.map(({ name }) => name)
    })
    expect(await Effect.runPromise(names.pipe(asSystem, Effect.provide(layer)))).toEqual(["Tea"])
  })
})
