import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { IngestStatistics } from "../../src/ingest/IngestStatistics.js"
import { IntakeGuard } from "../../src/ingest/IntakeGuard.js"
import { PendingPayloads } from "../../src/ingest/PendingPayloads.js"
import { PolicyStore } from "../../src/policy/PolicyStore.js"
import { DiskSpace } from "../../src/storage/DiskSpace.js"
import { RateLimitStore } from "../../src/storage/RateLimitStore.js"

it.effect("stopping waits at most a second for a hanging storage to store rejections", () =>
  Effect.gen(function* () {
    const told = yield* Deferred.make<void>()
    const telling = yield* Deferred.make<void>()
    // A sent statement must be awaited, even after an interrupt.
    const hangs = Effect.uninterruptible(Effect.andThen(Deferred.succeed(telling, undefined), Effect.never))
    let calls = 0
    const stores = Layer.mergeAll(
      Layer.mock(PolicyStore, { find: () => Effect.succeed({}) }),
      Layer.mock(PendingPayloads, { size: Effect.succeed({ payloads: 0, bytes: 0 }) }),
      Layer.mock(DiskSpace, { measure: Effect.succeed({ totalBytes: 1e12, freeBytes: 0 }) }),
      Layer.mock(RateLimitStore, {}),
      Layer.mock(IngestStatistics, {
        add: () => Effect.suspend(() => (calls++ === 0 ? Deferred.succeed(told, undefined) : hangs)),
      }),
    )
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(Layer.provide(IntakeGuard.Default, stores), scope)
    const guard = Context.get(services, IntakeGuard)
    const refusal = Effect.flip(guard.admit({ errors: 1, payloads: 1, bytes: 1 }))
    expect(yield* refusal).toMatchObject({ _tag: "IntakePaused", reason: "disk" })
    // The first refresh also reports rejections that waited for it.
    yield* Deferred.await(told)
    expect(yield* refusal).toMatchObject({ _tag: "IntakePaused", reason: "disk" })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* Deferred.await(telling)
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(closing)).toBeUndefined()
  }),
)
