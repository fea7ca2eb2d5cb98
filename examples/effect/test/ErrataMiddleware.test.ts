import { it } from "@effect/vitest"
import { AccessPolicy, Actor, CurrentActor, GroupFilter, Groups } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer, Schedule } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Errata, FirstProject } from "errata/effect"
import { expect } from "vitest"
import * as Api from "../Api.js"
import * as ErrataMiddleware from "../ErrataMiddleware.js"

const origin = "http://shop.example.com"

const errata = Errata.layer({ project: "Shop" }).pipe(Layer.provide(MemoryStorage.layer))

it.live("an application on Effect reports its defects and answers for Errata", () =>
  Effect.gen(function* () {
    const middleware = yield* ErrataMiddleware.make(origin)
    const { dispose, handler } = HttpRouter.toWebHandler(
      Layer.merge(Api.layer, HttpRouter.middleware(middleware, { global: true })).pipe(
        Layer.provide(HttpServer.layerServices),
      ),
    )
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const statusOf = (path: string) =>
      Effect.promise(async () => (await handler(new Request(`${origin}${path}`))).status)

    expect(yield* statusOf("/orders/7")).toBe(200)
    expect(yield* statusOf("/orders/13")).toBe(500)
    expect(yield* statusOf("/errors/up")).toBe(200)
    expect(yield* statusOf("/errors/api/service/v1/projects")).toBe(401)

    const groups = yield* Groups
    const { id } = yield* FirstProject
    const recorded = AccessPolicy.project("groups.read", id).pipe(
      Effect.flatMap((allowed) => groups.list(allowed, GroupFilter.all, { limit: 10, cursor: null })),
      Effect.filterOrFail(({ items }) => items.length > 0),
      Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 }),
    )
    expect((yield* recorded).items).toMatchObject([
      { errorType: "RangeError", errorMessage: "Order 13 cannot be read", reportsCount: 1 },
    ])
  }).pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(errata)),
)
