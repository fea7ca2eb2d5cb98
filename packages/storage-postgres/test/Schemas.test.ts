import { describe, expect, it } from "@effect/vitest"
import type { Services } from "@errata/core"
import { GroupStore, PendingPayloads, Storage } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { type Context, Duration, Effect, Layer, Option, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { freshDatabase } from "./support/database.js"
import * as HostPool from "./support/hostPool.js"

describe("two schemas in one database", () => {
  const buildBoth = (
    storage: (schema: string) => Layer.Layer<Services.Stores, unknown>,
    schemas: readonly [string, string] = ["shop", "blog"],
  ) =>
    Effect.all(
      schemas.map((schema) => Layer.build(Layer.fresh(storage(schema)))),
      { concurrency: "unbounded" },
    ) as Effect.Effect<[Context.Context<Services.Stores>, Context.Context<Services.Stores>], unknown>

  /** Rows of every table in a schema. */
  const rowsIn = (url: Redacted.Redacted, schema: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class
        WHERE relnamespace = ${schema}::text::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`
      const counts: Record<string, number> = {}
      for (const { name } of tables) {
        const [row] = yield* sql<{ readonly count: number }>`
          SELECT count(*)::integer AS count FROM ${sql(`${schema}.${name}`)}`
        counts[name] = row!.count
      }
      return counts
    }).pipe(Effect.provide(PostgresClient.layerProbe({ url })))

  const work = Effect.gen(function* () {
    const project = yield* Given.project()
    const pending = yield* PendingPayloads
    yield* pending.append([Factory.payload(project.id), Factory.payload(project.id)])
    yield* Given.group(project.id)
    yield* (yield* Storage).prepare
    return project
  })

  it.live("are migrated at the same time, by several nodes of each", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const storage = (schema: string) => PostgresStorage.layer({ url, schema })
      yield* Effect.all([buildBoth(storage), buildBoth(storage), buildBoth(storage)], {
        concurrency: "unbounded",
      })
      const [shop, blog] = [yield* rowsIn(url, "shop"), yield* rowsIn(url, "blog")]
      expect(Object.keys(shop)).toEqual(Object.keys(blog))
      expect(Object.keys(shop).filter((name) => /^reports_\d/.test(name))).toHaveLength(5)
      expect(shop.migrations).toBe(1)
    }).pipe(Effect.scoped),
  )

  it.live("share nothing, with pools and with connections", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      // One connection: session state of one schema must not affect the other.
      const pool = yield* HostPool.onDatabase(url, { max: 2 })
      for (const [storage, names] of [
        [(schema: string) => PostgresStorage.layer({ url, schema }), ["shop", "blog"]],
        [
          (schema: string) => PostgresStorage.layerFromPool(pool, { schema, prepared: true }),
          ["pool_shop", "pool_blog"],
        ],
      ] as const) {
        const [one, other] = yield* buildBoth(storage, names)
        const before = yield* rowsIn(url, names[1])
        const project = yield* Effect.provide(work, one)
        expect(yield* rowsIn(url, names[1])).toEqual(before)
        expect((yield* rowsIn(url, names[0])).pending_batches).toBe(1)
        const theirs = yield* Effect.provide(work, other)
        // Each schema has its own ids.
        expect([project.id, theirs.id]).toEqual([1, 1])
        expect(yield* Effect.provide(leased, one)).toEqual([project.id])
        expect((yield* rowsIn(url, names[1])).pending_batches).toBe(1)
        expect(yield* Effect.provide(leased, other)).toEqual([theirs.id])
      }
    }).pipe(Effect.scoped),
  )

  it.live("do not wait for each other's locks", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const pool = yield* HostPool.onDatabase(url, { max: 4 })
      const [, blog] = yield* buildBoth((schema) => PostgresStorage.layerFromPool(pool, { schema }))
      const holder = yield* Effect.acquireRelease(
        Effect.promise(() => pool.connect()),
        (client) => Effect.sync(() => client.release()),
      )
      // All advisory locks of the schema shop.
      yield* Effect.promise(() =>
        holder.query(`
          SELECT pg_advisory_lock(hashtextextended('shop.' || name, 0))
          FROM unnest(ARRAY['setup', 'fold', 'partitions']) AS name;
          SELECT pg_advisory_lock(hashtext('shop.weeks'), shop.generation_of(shop.week_of(shop.now())))`),
      )
      const locks = yield* Effect.promise(() =>
        holder.query(`
          SELECT count(*)::integer AS count FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`),
      )
      expect(locks.rows).toEqual([{ count: 4 }])
      yield* Effect.provide(work, blog)
      yield* Effect.promise(() => holder.query("SELECT pg_advisory_unlock_all()"))
    }).pipe(Effect.scoped),
  )

  const leased = Effect.gen(function* () {
    const pending = yield* PendingPayloads
    const batches = yield* pending.lease({ payloads: 100, bytes: 2 ** 20, duration: Duration.minutes(1) })
    return batches.map(({ projectId }) => projectId)
  })
})

describe("the name of a schema", () => {
  it.live("is a plain identifier", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const failureOf = (schema: string) =>
        Effect.scoped(Effect.flip(Layer.build(PostgresStorage.layer({ url, schema }))))
      for (const name of [
        "Shop",
        "a b",
        'a"; DROP SCHEMA errata; --',
        "1st",
        "",
        "a".repeat(64),
        "pg_errata",
      ]) {
        const { cause, operation } = yield* failureOf(name)
        expect(operation).toBe("open")
        expect(String(cause)).toContain(`the schema ${JSON.stringify(name)} must`)
      }
      expect(String((yield* failureOf("public")).cause)).toContain("for Errata alone")
      expect(String((yield* failureOf("order")).cause)).toContain("must not be a key word of SQL")
    }),
  )

  it.live("leaves room for the numbers of buckets, or nothing is distributed", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const distribute = (schema: string, buckets: number) =>
        Distribution.distribute({ buckets, onCitus: false }).pipe(
          Effect.provide(PostgresClient.layerMigration({ url, schema })),
        )
      // PostgreSQL would cut `_b10` to `_b1`.
      const schema = "a".repeat(60)
      const { projectId, id } = yield* Effect.flatMap(Given.project(), (project) =>
        Given.group(project.id),
      ).pipe(Effect.provide(PostgresStorage.layer({ url, schema })))
      const groups = Effect.flatMap(GroupStore, (store) => store.find(projectId, id)).pipe(
        Effect.provide(PostgresStorage.layer({ url, schema })),
      )
      const { cause } = yield* Effect.flip(distribute(schema, 11))
      expect(String(cause)).toContain(
        "with 11 buckets, the name of the schema may have at most 59 characters",
      )
      expect(Option.isSome(yield* groups)).toBe(true)
      yield* distribute(schema, 10)
      expect(Option.isSome(yield* groups)).toBe(true)
    }).pipe(Effect.scoped),
  )

  it.live("cannot be that of a bucket, so that a distribution replaces no other instance", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const at = (schema: string) => PostgresStorage.layer({ url, schema })
      const { projectId, id } = yield* Effect.flatMap(Given.project(), (project) =>
        Given.group(project.id),
      ).pipe(Effect.provide(at("shop_b1")))
      yield* Effect.scoped(Layer.build(at("shop")))
      const distribute = Distribution.distribute({ buckets: 2, onCitus: false }).pipe(
        Effect.provide(PostgresClient.layerMigration({ url, schema: "shop" })),
      )
      const { cause } = yield* Effect.flip(distribute)
      expect(String(cause)).toContain("there is a schema shop_b1, and a bucket needs this name")
      const found = yield* Effect.flatMap(GroupStore, (store) => store.find(projectId, id)).pipe(
        Effect.provide(at("shop_b1")),
      )
      expect(Option.isSome(found)).toBe(true)
    }).pipe(Effect.scoped),
  )
})
