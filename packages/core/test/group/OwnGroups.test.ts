import { expect, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AccessPolicy from "../../src/access/AccessPolicy.js"
import { Actor, CurrentActor } from "../../src/access/Actor.js"
import { GroupStore } from "../../src/group/GroupStore.js"
import { OwnGroups } from "../../src/group/OwnGroups.js"
import { ProjectStore } from "../../src/project/ProjectStore.js"

/** So many projects with one group each, whose id is ten times that of the project; one of them never answers. */
const stores = (count: number, silent: number) =>
  Layer.mergeAll(
    Layer.succeed(ProjectStore, {
      list: ({ only }: { readonly only: ReadonlyArray<number> | null }) =>
        Effect.succeed({
          items: Array.from({ length: count }, (_, i) => ({ id: i + 1 })).filter(
            ({ id }) => only === null || only.includes(id),
          ),
          nextCursor: null,
        }),
    } as unknown as ProjectStore["Service"]),
    Layer.succeed(GroupStore, {
      tagKeys: () => Effect.succeed([]),
      list: (id: number) =>
        id === silent
          ? Effect.never
          : Effect.succeed({
              items: [
                { id: id * 10, lastOccurredAt: DateTime.makeUnsafe(0), reportsCount: 1, usersCount: 0 },
              ],
              nextCursor: null,
            }),
    } as unknown as GroupStore["Service"]),
  )

const list = Effect.fnUntraced(function* (projectIds: ReadonlyArray<number> | null) {
  const caller = yield* AccessPolicy.instance("projects.list")
  const page = { limit: 3, cursor: null, sort: "last_seen" } as const
  return yield* (yield* OwnGroups).list(caller, { query: "is:unresolved" }, projectIds, page)
})

const provided = (count: number, silent: number) =>
  OwnGroups.Default.pipe(Layer.provideMerge(AccessPolicy.layer), Layer.provide(stores(count, silent)))

it.effect("skips a project that does not answer, and names it", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(list(null))
    yield* TestClock.adjust("5 seconds")
    const { items, nextCursor, skipped } = yield* Fiber.join(fiber)
    expect(items.map(({ id }) => id)).toEqual([50, 40, 30])
    expect(nextCursor).toBe(30)
    expect(skipped).toEqual([2])
  }).pipe(Effect.provide(provided(5, 2)), Effect.provideService(CurrentActor, Actor.System())),
)

it.effect("queries only the projects with the given ids", () =>
  Effect.gen(function* () {
    const { items, nextCursor, skipped } = yield* list([1, 3])
    expect(items.map(({ id }) => id)).toEqual([30, 10])
    expect([nextCursor, skipped]).toEqual([null, []])
  }).pipe(Effect.provide(provided(5, 2)), Effect.provideService(CurrentActor, Actor.System())),
)
