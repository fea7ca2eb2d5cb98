/** Waiting for the lease of an upload. */

import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ArtifactStore } from "../../src/artifact/ArtifactStore.js"
import * as UploadLease from "../../src/artifact/UploadLease.js"

const upload = { owner: null, checksum: "0".repeat(40) }

/** Leases of one upload, which `holder` has until it releases it. */
const leases = (holder: { current: string | null }) =>
  Layer.mock(ArtifactStore, {
    leaseAssembly: (_owner, _checksum, name) =>
      Effect.sync(() => {
        holder.current ??= name
        return holder.current === name
      }),
    releaseAssembly: (_owner, _checksum, name) =>
      Effect.sync(() => {
        if (holder.current === name) holder.current = null
      }),
  })

it.effect("can be interrupted while waiting, and starts when the lease is free", () => {
  const holder: { current: string | null } = { current: "somebody" }
  return Effect.gen(function* () {
    const chunks = yield* ArtifactStore
    const begun: Array<string> = []
    const work = (name: string) =>
      UploadLease.alone(
        chunks,
        upload,
        Effect.sync(() => begun.push(name)),
      )
    const leaving = yield* Effect.forkChild(work("leaving"))
    const staying = yield* Effect.forkChild(work("staying"))
    yield* TestClock.adjust("1 second")
    // Interrupted callers need no time to leave.
    yield* Fiber.interrupt(leaving)
    expect((yield* Fiber.await(leaving))._tag).toBe("Failure")
    expect([begun, holder.current]).toEqual([[], "somebody"])
    holder.current = null
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(staying)
    expect([begun, holder.current]).toEqual([["staying"], null])
  }).pipe(Effect.provide(leases(holder)))
})

it.effect("ends within seconds if the storage hangs when it is released", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
    const reading = yield* Effect.forkChild(UploadLease.alone(yield* ArtifactStore, upload, work))
    yield* Deferred.await(begun)
    const leaving = yield* Effect.forkChild(Fiber.interrupt(reading))
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(leaving)
    expect(Exit.hasInterrupts(yield* Fiber.await(reading))).toBe(true)
  }).pipe(
    Effect.provide(
      Layer.mock(ArtifactStore, {
        leaseAssembly: () => Effect.succeed(true),
        // A sent statement must be awaited, even after an interrupt.
        releaseAssembly: () => Effect.uninterruptible(Effect.never),
      }),
    ),
  ),
)
