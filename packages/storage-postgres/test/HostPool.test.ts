import { describe, expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { Storage } from "@errata/core/ports"
import { Given } from "@errata/testing"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type pg from "pg"
import * as HostPoolInternal from "../src/internal/HostPool.js"
import * as Prepared from "../src/internal/Prepared.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import * as HostPool from "./support/hostPool.js"

const isUnavailable = (error: unknown) => error instanceof StorageError && error.reason === "unavailable"

const query = (pool: pg.Pool, text: string) =>
  Effect.promise(async (): Promise<ReadonlyArray<unknown>> => (await pool.query(text)).rows)

/** The listeners and checked-out connections of a pool. */
const stateOf = (pool: pg.Pool) => ({
  listeners: pool.eventNames().map((name) => [name, pool.listenerCount(name)]),
  checkedOut: pool.totalCount - pool.idleCount,
  waiting: pool.waitingCount,
})

/** Numbers of listeners on each connection of a pool, while the application has it checked out. */
const listenersOfConnections = (pool: pg.Pool) =>
  Effect.promise(async () => {
    const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
    const listeners = clients.map((client) => client.listenerCount("error"))
    for (const client of clients) client.release()
    return listeners
  })

const settings = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string; setting: string }>`
    SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
      current_setting('idle_in_transaction_session_timeout') AS idle`,
)

const hostSettings = { answerMillis: 1_000, releasedMillis: 1_000, connectMillis: 1_000, prepared: false }

describe("the application's pool", () => {
  it.live("has one listener for any number of instances", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make()
      const scope = yield* Scope.make()
      const use = Scope.provide(HostPoolInternal.make(pool, hostSettings), scope)
      yield* Effect.replicateEffect(use, 12)
      expect(pool.listenerCount("error")).toBe(1)
      yield* Scope.close(scope, Exit.void)
      expect(pool.listenerCount("error")).toBe(0)
    }),
  )

  it.live("keeps its own type parsers, and is unchanged afterwards", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make({ types: HostPool.hostileTypes })
      const own =
        "SELECT 1::bigint AS id, '2026-01-02 03:04:05+00'::timestamptz AT TIME ZONE 'UTC' IS NULL AS none"
      const before = yield* query(pool, own)
      expect(before).toEqual([{ id: 1n, none: false }])
      const state = stateOf(pool)
      const untouched = yield* listenersOfConnections(pool)

      const scope = yield* Scope.make()
      const stores = yield* Layer.buildWithScope(PostgresStorage.layerFromPool(pool), scope)
      const project = yield* Effect.provide(Given.project(), stores)
      expect(project.id).toBeTypeOf("number")
      expect(yield* query(pool, own)).toEqual(before)
      // Without this listener, a broken connection would end an application that does not listen itself.
      expect(pool.listenerCount("error")).toBe(1)
      yield* Scope.close(scope, Exit.void)

      expect(stateOf(pool)).toEqual(state)
      expect(new Set(yield* listenersOfConnections(pool))).toEqual(new Set(untouched))
      expect(yield* query(pool, own)).toEqual(before)
      expect(yield* query(pool, "SELECT name FROM errata.projects")).toEqual([{ name: project.name }])
    }),
  )

  it.live("has Errata's limits only in Errata's transactions", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make({ max: 1, statement_timeout: 77_000, lock_timeout: 66_000 })
      const host = [{ statement: "77s", lock: "66s", idle: "0" }]
      const inTransaction = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(settings))
      const on = Effect.all([settings, inTransaction, settings])
      expect(yield* Effect.provide(on, PostgresClient.layerFromPool(pool))).toEqual([
        host,
        [{ statement: "13500ms", lock: "5s", idle: "15s" }],
        host,
      ])
      expect(yield* Effect.provide(on, PostgresClient.layerMigrationFromPool(pool))).toEqual([
        host,
        [{ statement: "0", lock: "0", idle: "0" }],
        host,
      ])
    }),
  )

  it.live("does not get a connection back if the database does not answer on it", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make({ max: 1 })
      const [backend] = yield* query(pool, "SELECT pg_backend_pid() AS pid")
      const slow = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT pg_sleep(60)`)
      const failed = yield* slow.pipe(
        Effect.provide(PostgresClient.layerFromPool(pool, { answerTimeout: "200 millis" })),
        Effect.flip,
      )
      const cause = failed._tag === "SqlError" ? failed.reason.cause : failed.cause
      expect(String(cause)).toContain("has not responded")
      expect(yield* query(pool, "SELECT pg_backend_pid() AS pid")).not.toEqual([backend])
      expect(stateOf(pool)).toMatchObject({ checkedOut: 0, waiting: 0 })
    }),
  )

  it.live("gets a connection back when an interrupted statement has ended", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make({ max: 2 })
      const running = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%' AND state = 'active'`
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const fiber = yield* Effect.forkChild(sql`SELECT pg_sleep(600)`)
        yield* Effect.repeat(query(pool, running), { until: (rows) => rows.length > 0 })
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(PostgresClient.layerFromPool(pool)))
      // The server received a cancel request, which it handles asynchronously.
      yield* Effect.repeat(query(pool, running), { until: (rows) => rows.length === 0 })
      // Both connections are available.
      expect(yield* listenersOfConnections(pool)).toHaveLength(2)
    }),
  )

  it.live("is unavailable after a long wait for a connection, and loses none", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make({ max: 1 })
      const borrowed = yield* HostPoolInternal.make(pool, {
        answerMillis: null,
        releasedMillis: 60_000,
        connectMillis: 50,
      })
      const held = yield* Effect.promise(() => pool.connect())
      const late = yield* Effect.promise(() => borrowed.query("SELECT 1").catch((error) => error))
      held.release()
      expect(late).toMatchObject({ message: "No connection was free within 50 ms" })
      expect(yield* query(borrowed, "SELECT 1 AS one")).toEqual([{ one: 1 }])
      expect(stateOf(pool)).toMatchObject({ checkedOut: 0, waiting: 0 })
    }),
  )

  it.live("keeps connections free of Errata's transactions", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make({ max: 3 })
      yield* Effect.gen(function* () {
        const { transaction } = yield* Storage
        const end = yield* Deferred.make<void>()
        const open = Effect.gen(function* () {
          const opened = yield* Deferred.make<void>()
          const inside = Effect.andThen(Deferred.succeed(opened, undefined), Deferred.await(end))
          const fiber = yield* Effect.forkChild(transaction(inside))
          return { fiber, opened: Deferred.await(opened) }
        })
        const first = yield* open
        const second = yield* open
        yield* Effect.all([first.opened, second.opened])
        const third = yield* open
        expect(yield* query(pool, "SELECT 1 AS one")).toEqual([{ one: 1 }])
        expect(third.fiber.pollUnsafe()).toBeUndefined()
        yield* Deferred.succeed(end, undefined)
        yield* Effect.all([first, second, third].map(({ fiber }) => Fiber.join(fiber)))
      }).pipe(Effect.provide(PostgresStorage.layerFromPool(pool)))
    }),
  )

  it.live("prepares statements if the application enables it", () =>
    Effect.gen(function* () {
      const prepared = Effect.fnUntraced(function* (option: boolean) {
        const pool = yield* HostPool.make({ max: 1 })
        const statement = Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql.unsafe(`${Prepared.mark} SELECT $1::integer AS one`, [1]),
        )
        expect(
          yield* Effect.provide(statement, PostgresClient.layerFromPool(pool, { prepared: option })),
        ).toEqual([{ one: 1 }])
        return (yield* query(pool, "SELECT 1 FROM pg_prepared_statements")).length
      })
      expect(yield* prepared(true)).toBe(1)
      expect(yield* prepared(false)).toBe(0)
    }),
  )

  it.live("is unavailable after the application ends it", () =>
    Effect.gen(function* () {
      const pool = yield* HostPool.make()
      yield* Effect.promise(() => pool.end())
      expect(yield* Effect.flip(Layer.build(PostgresStorage.layerFromPool(pool)))).toSatisfy(isUnavailable)
    }),
  )
})
