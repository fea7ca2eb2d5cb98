import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { AlertStore } from "../../src/alert/AlertStore.js"
import { JobStore } from "../../src/background/JobStore.js"
import { DeliveryStore, type LeasedDelivery } from "../../src/delivery/DeliveryStore.js"
import * as Dispatcher from "../../src/dispatch/Dispatcher.js"
import { GroupEventStore } from "../../src/group/GroupEventStore.js"
import { GroupStore } from "../../src/group/GroupStore.js"
import { MemberMailStore } from "../../src/notification/MemberMailStore.js"
import { TargetStore } from "../../src/notification/TargetStore.js"
import { OutboundClient } from "../../src/outbound/OutboundClient.js"
import { PayloadDecoder } from "../../src/payload/PayloadDecoder.js"
import { ReportStore } from "../../src/report/ReportStore.js"
import { Storage } from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import { UserStore } from "../../src/user/UserStore.js"

it.effect("no write to an unavailable storage continues after the stop", () =>
  Effect.gen(function* () {
    const tried = yield* Deferred.make<void>()
    let tries = 0
    // A delivery that is given up without a request.
    const leased = [
      {
        id: 1,
        targetId: 1,
        groupId: 1,
        kind: "webhook",
        event: "group.created",
        enabled: false,
      } as unknown as LeasedDelivery,
    ]
    const stores = Layer.mergeAll(
      Layer.mock(DeliveryStore, {
        lease: () => Effect.sync(() => leased.splice(0)),
        settle: () =>
          Effect.suspend(() => {
            tries++
            return Effect.andThen(
              Deferred.succeed(tried, undefined),
              new StorageError({ operation: "settle", reason: "unavailable", cause: new Error("away") }),
            )
          }),
      }),
      Layer.mock(GroupEventStore, { lease: () => Effect.succeed([]), subscribe: () => Effect.void }),
      Layer.mock(JobStore, { heartbeat: () => Effect.void }),
      Layer.mock(OutboundClient, {}),
      Layer.mock(Storage, {}),
      Layer.mock(UserStore, {}),
      Layer.mock(TargetStore, {}),
      Layer.mock(MemberMailStore, {}),
      Layer.mock(AlertStore, { hasEventRules: Effect.succeed(false) }),
      Layer.mock(AlertStore, {}),
      Layer.mock(GroupStore, {}),
      Layer.mock(PayloadDecoder, {} as never),
      Layer.mock(ReportStore, {}),
    )
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.provide(Dispatcher.layer, stores), scope)
    yield* Deferred.await(tried)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(closing)
    const atTheEnd = tries
    expect(atTheEnd).toBeGreaterThan(1)
    yield* TestClock.adjust("1 minute")
    expect(tries).toBe(atTheEnd)
  }),
)
