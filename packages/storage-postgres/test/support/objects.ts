/** An object store in memory that tests can make fail, hang and lose data. */
import { ObjectStore, ObjectStoreError, type ObjectStoreService } from "@errata/core/ports"
import { Effect, Layer, Option } from "effect"

export interface TestObjects {
  readonly objects: Map<string, Buffer>
  /** Runs before each call. */
  before: (operation: "put" | "append" | "end" | "read" | "remove") => Effect.Effect<void, ObjectStoreError>
  readonly layer: Layer.Layer<never>
}

export const make = (): TestObjects => {
  const objects = new Map<string, Buffer>()
  const store: ObjectStoreService = {
    put: (name, write) =>
      Effect.gen(function* () {
        const chunks: Array<Uint8Array> = []
        yield* test.before("put")
        const result = yield* write((chunk) =>
          Effect.map(test.before("append"), () => {
            chunks.push(chunk)
          }),
        )
        yield* test.before("end")
        objects.set(name, Buffer.concat(chunks))
        return result
      }),
    read: (name, offset, length) =>
      Effect.map(test.before("read"), () =>
        Option.map(Option.fromNullishOr(objects.get(name)), (object) =>
          object.subarray(offset, offset + length),
        ),
      ),
    remove: (name) =>
      Effect.map(test.before("remove"), () => {
        objects.delete(name)
      }),
  }
  const test: TestObjects = {
    objects,
    before: () => Effect.void,
    layer: Layer.succeed(ObjectStore, store),
  }
  return test
}

export const failed = new ObjectStoreError({ operation: "ObjectStore.test", cause: new Error("it is away") })
