import { NodeHttpServer } from "@effect/platform-node"
import { it } from "@effect/vitest"
import { AccessPolicy, Actor, CurrentActor, GroupFilter, Groups } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { FirstProject, settled } from "errata/effect"
import { expect } from "vitest"
import * as Embedded from "../Embedded.js"

const shop = Embedded.layer("http://shop.example.com").pipe(
  Layer.provideMerge(MemoryStorage.layer),
  Layer.provideMerge(NodeHttpServer.layerTest),
)

it.live("an application on Effect reports its failures to itself and answers for Errata", () =>
  Effect.gen(function* () {
    const statusOf = (path: string) => Effect.map(HttpClient.get(path), ({ status }) => status)
    expect(yield* statusOf("/orders/7")).toBe(200)
    expect(yield* statusOf("/orders/12")).toBe(503)
    expect(yield* statusOf("/orders/13")).toBe(500)
    expect(yield* statusOf("/orders/404")).toBe(404)
    expect(yield* statusOf("/errors/up")).toBe(200)
    expect(yield* statusOf("/errors/api/service/v1/projects")).toBe(401)

    yield* settled
    const project = yield* AccessPolicy.project("groups.read", (yield* FirstProject).id)
    const { items } = yield* (yield* Groups).list(project, GroupFilter.all, { limit: 10, cursor: null })
    expect(
      items.map(({ culprit, errorType, reportsCount }) => [errorType, culprit, reportsCount]).sort(),
    ).toEqual([
      ["RangeError", "GET /orders/:id", 1],
      ["WarehouseDown", "GET /orders/:id", 1],
    ])
  }).pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(shop)),
)
