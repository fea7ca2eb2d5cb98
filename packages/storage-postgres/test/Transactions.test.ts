import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { GroupStore, Storage } from "@errata/core/ports"
import { Given } from "@errata/testing"
import { Data, Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { byIndex } from "../src/internal/ByIndex.js"
import * as PostgresClient from "../src/PostgresClient.js"
import { freshDatabase } from "./support/database.js"
import * as Node from "./support/node.js"

class Intended extends Data.TaggedError("Intended") {}

/** Runs an effect in a transaction whose connection the server closes before the commit. */
const cutAfter = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { transaction } = yield* Storage
    const backend = yield* Deferred.make<number>()
    // Forked outside of the transaction, so it uses another connection. Waits until the backend is gone.
    const cut = yield* Effect.forkChild(
      Effect.flatMap(Deferred.await(backend), (pid) => sql`SELECT pg_terminate_backend(${pid}, 10000)`),
    )
    return yield* transaction(
      Effect.gen(function* () {
        const [row] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
        const exit = yield* Effect.exit(effect)
        yield* Deferred.succeed(backend, row!.pid)
        yield* Fiber.join(cut)
        return yield* exit
      }),
    )
  })

const isUnavailable = (error: unknown) => error instanceof StorageError && error.reason === "unavailable"

const setting = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ value: string }>`SELECT current_setting(${name}) AS value`
  return row!.value
})

/** Opens a transaction that stays open until the returned effect runs. */
const open = Effect.gen(function* () {
  const { transaction } = yield* Storage
  const opened = yield* Deferred.make<void>()
  const end = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    transaction(Effect.andThen(Deferred.succeed(opened, undefined), Deferred.await(end))),
  )
  yield* Deferred.await(opened)
  return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber))
})

describe("a transaction whose connection breaks", () => {
  it.live("in a statement fails as unavailable", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { transaction } = yield* Storage
      const broken = sql`SELECT pg_terminate_backend(pg_backend_pid())`
      expect(yield* Effect.flip(transaction(broken))).toSatisfy(isUnavailable)
      // Also in a savepoint.
      expect(yield* Effect.flip(transaction(sql.withTransaction(broken)))).toSatisfy(isUnavailable)
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("before the commit fails as unavailable, and stores nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = sql`
        INSERT INTO errata.uncounted (tags, project_ids, group_ids, minutes, reports, new_groups)
        VALUES ('{"tags":[],"groups":[]}', '{}', '{}', '{}', '{}', '{}')`
      expect(yield* Effect.flip(cutAfter(insert))).toSatisfy(isUnavailable)
      expect(yield* sql`SELECT 1 FROM errata.uncounted`).toEqual([])
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("before the rollback fails with its own error", () =>
    Effect.gen(function* () {
      const { ping } = yield* Storage
      expect(yield* Effect.flip(cutAfter(new Intended()))).toEqual(new Intended())
      yield* Effect.retry(ping, { times: 10 })
    }).pipe(Effect.provide(Node.layer())),
  )
})

describe("concurrent transactions", () => {
  it.live("leave a connection to single statements", () =>
    Effect.gen(function* () {
      const { ping, transaction } = yield* Storage
      const sql = yield* SqlClient.SqlClient
      const ends = [yield* open, yield* open]
      const next = yield* Effect.forkChild(open)
      // Several round trips give the other transaction time to take the last connection.
      yield* Effect.repeat(ping, { times: 5 })
      expect(next.pollUnsafe()).toBeUndefined()
      // Nested transactions need no turn.
      yield* ends[0]!
      yield* yield* Fiber.join(next)
      yield* transaction(sql.withTransaction(transaction(ping)))
      yield* ends[1]!
    }).pipe(Effect.provide(Node.layer({ maxConnections: 3 }))),
  )

  it.effect("fail as unavailable after a long wait, without losing a permit", () =>
    Effect.gen(function* () {
      const { ping, transaction } = yield* Storage
      const ends = [yield* open, yield* open]
      const late = yield* Effect.forkChild(Effect.flip(transaction(ping)))
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second")), {
        until: () => late.pollUnsafe() !== undefined,
      })
      expect(yield* Fiber.join(late)).toSatisfy(isUnavailable)
      yield* Effect.all(ends)
      const again = [yield* open, yield* open]
      yield* Effect.all(again)
    }).pipe(Effect.provide(Node.layer({ maxConnections: 3 }))),
  )

  it.live("lose no permit when a waiting caller is interrupted", () =>
    Effect.gen(function* () {
      const { ping, transaction } = yield* Storage
      const ends = [yield* open, yield* open]
      const waiting = yield* Effect.forkChild(transaction(ping))
      // Several round trips give it time to queue for a turn.
      yield* Effect.repeat(ping, { times: 5 })
      expect(waiting.pollUnsafe()).toBeUndefined()
      const leaving = yield* Effect.forkChild(Fiber.interrupt(waiting))
      yield* Effect.repeat(ping, { times: 5 })
      yield* Effect.all(ends)
      yield* Fiber.join(leaving)
      const again = [yield* open, yield* open]
      yield* Effect.all(again)
    }).pipe(Effect.provide(Node.layer({ maxConnections: 3 }))),
  )

  it.live("are possible on a single connection", () =>
    Effect.gen(function* () {
      const { ping, transaction } = yield* Storage
      yield* transaction(ping)
      yield* ping
    }).pipe(Effect.provide(Node.layer({ maxConnections: 1 }))),
  )
})

describe("the server", () => {
  it.live("ends statements before their connections are given up, but no migrations", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const both = Effect.all([setting("statement_timeout"), setting("lock_timeout")])
      const on = (options: Omit<PostgresClient.PostgresOptions, "url">) =>
        Effect.provide(both, PostgresClient.layer({ ...options, url }))
      expect(yield* on({})).toEqual(["13500ms", "5s"])
      expect(yield* on({ answerTimeout: "2 seconds" })).toEqual(["1800ms", "1800ms"])
      expect(yield* Effect.provide(both, PostgresClient.layerMigration({ url }))).toEqual(["0", "0"])
    }),
  )

  it.live("ends the transaction of an idle client, but no migration", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const idle = setting("idle_in_transaction_session_timeout")
      const on = (options: Omit<PostgresClient.PostgresOptions, "url">) =>
        Effect.provide(idle, PostgresClient.layer({ ...options, url }))
      expect(yield* on({})).toBe("15s")
      expect(yield* on({ answerTimeout: "2 seconds" })).toBe("2s")
      expect(yield* Effect.provide(idle, PostgresClient.layerMigration({ url }))).toBe("0")
    }),
  )

  it.live("uses the limits of Errata instead of the database's, and none for migrations", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const name = new URL(Redacted.value(url)).pathname.slice(1)
        for (const limit of limits) yield* sql.unsafe(`ALTER DATABASE ${name} SET ${limit} = '7s'`)
      }).pipe(Effect.provide(PostgresClient.layer({ url })))
      const all = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(Effect.forEach(limits, setting)),
      )
      expect(yield* Effect.provide(all, PostgresClient.layer({ url }))).toEqual(["13500ms", "5s", "15s"])
      expect(yield* Effect.provide(all, PostgresClient.layerMigration({ url }))).toEqual(["0", "0", "0"])
    }),
  )

  it.live("uses no JIT for statements with a fixed plan", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const plans = Effect.andThen(sql`SET LOCAL jit = on`, byIndex(sql)(setting("jit")))
      expect(yield* sql.withTransaction(plans)).toBe("off")
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("is unavailable for a statement that takes too long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { transaction } = yield* Storage
      const slow = Effect.andThen(sql`SET LOCAL statement_timeout = 50`, sql`SELECT pg_sleep(60)`)
      expect(yield* Effect.flip(transaction(slow))).toSatisfy(isUnavailable)
    }).pipe(Effect.provide(Node.layer())),
  )

  it.live("fails if another transaction keeps a group locked", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Storage
      const groups = yield* GroupStore
      const project = yield* Given.project()
      const group = yield* Given.group(project.id)
      const lock = groups.lock(project.id, [group.id])
      const locked = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        transaction(
          lock.pipe(Effect.andThen(Deferred.succeed(locked, undefined)), Effect.andThen(Deferred.await(end))),
        ),
      )
      yield* Deferred.await(locked)
      expect(yield* Effect.flip(transaction(lock))).toSatisfy(isUnavailable)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
      expect(yield* transaction(lock)).toHaveLength(1)
    }).pipe(Effect.provide(Node.layer({ lockTimeout: "100 millis" }))),
  )
})
