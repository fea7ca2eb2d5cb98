import { DatabaseSync } from "node:sqlite"
import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import * as Transactions from "../Transactions.js"

/** A database of names, whose members join the transaction of their caller, as those of a port do. */
const open = Effect.acquireRelease(
  Effect.sync(() => new DatabaseSync(":memory:")),
  (database) => Effect.sync(() => database.close()),
).pipe(
  Effect.map((database) => {
    database.exec("CREATE TABLE names (name TEXT PRIMARY KEY) STRICT")
    const transaction = Transactions.make(database)
    return {
      transaction,
      add: (name: string) =>
        transaction(Effect.sync(() => database.prepare("INSERT INTO names VALUES (?)").run(name))),
      names: Effect.sync(() => database.prepare("SELECT name FROM names ORDER BY name").all()).pipe(
        Effect.map((rows) => rows.map((row) => row["name"])),
      ),
    }
  }),
)

describe("transactions on one connection", () => {
  it.effect("keep all writes, or none after a failure, also that of a nested transaction", () =>
    Effect.gen(function* () {
      const { add, names, transaction } = yield* open
      yield* transaction(Effect.andThen(add("a"), transaction(add("b"))))
      const inner = transaction(Effect.andThen(add("d"), Effect.fail("no tea")))
      expect(yield* Effect.flip(transaction(Effect.andThen(add("c"), inner)))).toBe("no tea")
      expect(yield* names).toEqual(["a", "b"])
    }).pipe(Effect.scoped),
  )

  it.effect("keep nothing of an interrupted transaction", () =>
    Effect.gen(function* () {
      const { add, names, transaction } = yield* open
      const written = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        transaction(
          add("a").pipe(Effect.andThen(Deferred.succeed(written, undefined)), Effect.andThen(Effect.never)),
        ),
      )
      yield* Deferred.await(written)
      yield* Fiber.interrupt(fiber)
      expect(yield* names).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.effect("keep the writes of other fibers out of a transaction that fails", () =>
    Effect.gen(function* () {
      const { add, names, transaction } = yield* open
      const written = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const failing = yield* Effect.forkChild(
        transaction(
          add("a").pipe(
            Effect.andThen(Deferred.succeed(written, undefined)),
            Effect.andThen(Deferred.await(end)),
            Effect.andThen(Effect.fail("no tea")),
          ),
        ),
      )
      yield* Deferred.await(written)
      const other = yield* Effect.forkChild(add("b"))
      yield* Effect.yieldNow
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.await(failing)
      yield* Fiber.join(other)
      expect(yield* names).toEqual(["b"])
    }).pipe(Effect.scoped),
  )
})
