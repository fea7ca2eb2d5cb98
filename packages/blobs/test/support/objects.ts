/** The contract of object stores. */
import { expect, it } from "@effect/vitest"
import { ObjectStore, type ObjectStoreService } from "@errata/core/ports"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"

/** Registers the cases. The last one writes more than one S3 part. */
export const objectStoreCases = <E>(layer: Layer.Layer<never, E>): void => {
  const check = (name: string, run: (store: ObjectStoreService) => Effect.Effect<void, unknown>) =>
    it.live(
      name,
      () =>
        Effect.flatMap(ObjectStore, (store) => run(store!)).pipe(Effect.provide(layer)) as Effect.Effect<
          void,
          unknown
        >,
    )

  const bytes = (length: number, seed = 1) => {
    const result = Buffer.allocUnsafe(length)
    for (let i = 0, state = seed; i < length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      result[i] = state >>> 24
    }
    return result
  }

  const read = (store: ObjectStoreService, name: string, offset: number, length: number) =>
    Effect.map(store.read(name, offset, length), (found) => Option.getOrNull(Option.map(found, Buffer.from)))

  check("reads ranges of an object, up to its end", (store) =>
    Effect.gen(function* () {
      const content = bytes(10_000)
      const result = yield* store.put("7/2026-01-05-a", (append) =>
        Effect.as(
          Effect.andThen(append(content.subarray(0, 4000)), append(content.subarray(4000))),
          "written",
        ),
      )
      expect(result).toBe("written")
      expect(yield* read(store, "7/2026-01-05-a", 0, 10_000)).toEqual(content)
      expect(yield* read(store, "7/2026-01-05-a", 3990, 20)).toEqual(content.subarray(3990, 4010))
      expect(yield* read(store, "7/2026-01-05-a", 9990, 100)).toEqual(content.subarray(9990))
      expect(yield* read(store, "7/2026-01-05-a", 20_000, 10)).toEqual(Buffer.alloc(0))
    }),
  )

  check("has no object that was not written completely", (store) =>
    Effect.gen(function* () {
      const failing = store.put("8/failed", (append) => Effect.andThen(append(bytes(100)), Effect.fail("no")))
      expect(yield* Effect.flip(failing)).toBe("no")
      expect(yield* read(store, "8/failed", 0, 1)).toBeNull()
      const isWriting = yield* Deferred.make<void>()
      const writing = yield* Effect.forkChild(
        store.put("8/interrupted", (append) =>
          Effect.gen(function* () {
            yield* append(bytes(100))
            yield* Deferred.succeed(isWriting, undefined)
            yield* Effect.never
          }),
        ),
      )
      yield* Deferred.await(isWriting)
      expect(yield* read(store, "8/interrupted", 0, 1)).toBeNull()
      yield* Fiber.interrupt(writing)
      expect(yield* read(store, "8/interrupted", 0, 1)).toBeNull()
    }),
  )

  check("removes objects, also repeatedly", (store) =>
    Effect.gen(function* () {
      yield* store.put("9/gone", (append) => append(bytes(10)))
      yield* store.put("9/kept", (append) => append(bytes(10, 2)))
      yield* store.remove("9/gone")
      yield* store.remove("9/gone")
      expect(yield* read(store, "9/gone", 0, 10)).toBeNull()
      expect(yield* read(store, "9/kept", 0, 10)).toEqual(bytes(10, 2))
      expect(yield* read(store, "9/never", 0, 10)).toBeNull()
    }),
  )

  check("writes an object of many parts", (store) =>
    Effect.gen(function* () {
      const chunk = bytes(5 * 1024 * 1024)
      yield* store.put("10/large", (append) => Effect.forEach([1, 2, 3, 4, 5, 6, 7], () => append(chunk)))
      expect(yield* read(store, "10/large", 6 * chunk.length + 100, 1000)).toEqual(chunk.subarray(100, 1100))
      expect(yield* read(store, "10/large", chunk.length - 10, 20)).toEqual(
        Buffer.concat([chunk.subarray(-10), chunk.subarray(0, 10)]),
      )
      expect((yield* read(store, "10/large", 7 * chunk.length - 5, 10))?.length).toBe(5)
    }),
  )
}
