import {
  AccessPolicy,
  Actor,
  CurrentActor,
  GroupFilter,
  Groups,
  Intake,
  Projects,
  Reports,
  Services,
  SourcemapOrigins,
} from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { OutboundClient } from "@errata/core/ports"
import { FrameMapping, HostedMapFetcher } from "@errata/sourcemap"
import { MemoryStorage } from "@errata/storage-memory"
import { Deferred, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { Capture, Errata, FirstProject, GroupListeners } from "../src/effect.js"
import * as FirstProjectLayer from "../src/FirstProject.js"

describe("the layers of an instance", () => {
  const asSystem = Effect.provideService(CurrentActor, Actor.System())

  it("provide every service of a running instance", async () => {
    const program = Effect.gen(function* () {
      const { capture } = yield* Capture
      const { id } = yield* FirstProject
      const { on } = yield* GroupListeners
      const created = yield* Deferred.make<number>()
      on(
        "group.created",
        ({ group_id: groupId }) => {
          Deferred.doneUnsafe(created, Exit.succeed(groupId))
        },
        { projects: [id] },
      )
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

  it("end when their scope closes, also if they were built in an uninterruptible region", async () => {
    const program = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const layer = Errata.layer({ project: "Tea" }).pipe(Layer.provideMerge(MemoryStorage.layer))
      const built = yield* Effect.uninterruptible(Layer.buildWithScope(layer, scope))
      yield* Effect.provide(
        Effect.flatMap(Capture, ({ capture }) => capture(new Error("a"))),
        built,
      )
      yield* Scope.close(scope, Exit.void)
    })
    await Effect.runPromise(asSystem(program))
  })

  it("fail with typed errors", async () => {
    const layer = Errata.layer().pipe(Layer.provideMerge(MemoryStorage.layer))
    const failure = await Effect.runPromise(
      Effect.flatMap(Capture, ({ capture }) => capture(new Error("a"), { project: 999 })).pipe(
        Effect.flip,
        Effect.provide(layer),
      ),
    )
    expect(failure).toMatchObject({ _tag: "ProjectNotFound", projectId: 999 })
  })

  it("can be used separately: services without background work", async () => {
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

  it("fetch published maps in the worker, also if recording runs in the same layer", async () => {
    const script = "https://cdn.example.com/app.js"
    const published: Readonly<Record<string, string>> = {
      [script]: "t()\n//# sourceMappingURL=app.js.map\n",
      [`${script}.map`]: JSON.stringify({
        version: 3,
        sources: ["../src/cart.ts"],
        sourcesContent: ["export function total() { boom() }\n"],
        names: [],
        mappings: "AAAA",
      }),
    }
    const outbound = Layer.succeed(OutboundClient, {
      send: () => Effect.die(new Error("nothing is sent")),
      download: ({ url }) => {
        const text = published[url]
        const status = text === undefined ? 404 : 200
        return Effect.succeed({ status, headers: {}, body: new TextEncoder().encode(text ?? "") })
      },
    })
    const layer = Layer.mergeAll(RecorderWorker.layer, Services.layerMapping).pipe(
      Layer.provide(Recorder.Default),
      Layer.provide(FrameMapping.layerHosted),
      Layer.provide(HostedMapFetcher.layer),
      Layer.provide(outbound),
      Layer.provideMerge(FirstProjectLayer.layer("Shop")),
      Layer.provideMerge(Errata.layerServices()),
      Layer.provideMerge(MemoryStorage.layer),
    )
    const eventId = "c".repeat(32)
    const frame = { filename: script, function: "t", lineno: 1, colno: 1, in_app: true }
    const event = {
      event_id: eventId,
      platform: "javascript",
      exception: { values: [{ type: "TypeError", value: "boom", stacktrace: { frames: [frame] } }] },
    }
    const program = Effect.gen(function* () {
      const { id } = yield* FirstProject
      const origins = yield* SourcemapOrigins
      yield* origins.create(yield* AccessPolicy.project("project.administer", id), "https://cdn.example.com")
      const body = new TextEncoder().encode(JSON.stringify(event))
      const intake = yield* Intake
      yield* intake.accept([{ projectId: id, eventId, kind: "event", receivedAt: Date.now(), body }])
      const project = yield* AccessPolicy.project("groups.read", id)
      const reports = yield* Reports
      return yield* reports.findByEventId(project, eventId).pipe(
        Effect.filterOrFail(({ details }) => details?.exceptions[0]?.frames[0]?.filename === "src/cart.ts"),
        Effect.retry({ schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds"),
      )
    })
    const report = await Effect.runPromise(program.pipe(asSystem, Effect.provide(layer)))
    expect(report.details?.exceptions[0]?.frames[0]).toMatchObject({ filename: "src/cart.ts", lineno: 1 })
  })
})
