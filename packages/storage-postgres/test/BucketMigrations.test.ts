/** Schema changes with buckets: on one server, and on the cluster at `CITUS_URL`. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Buckets from "../src/internal/Buckets.js"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import { clusterUrl, freshCluster } from "./support/citus.js"
import { migratedDatabase } from "./support/database.js"

/** A later migration: a column for projects' rows and for shared rows, and an index. */
const change = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.all([
    sql`ALTER TABLE errata.groups ADD COLUMN probe integer NOT NULL DEFAULT 7`,
    sql`ALTER TABLE errata.users ADD COLUMN probe integer`,
    sql`CREATE INDEX groups_probe ON errata.groups (project_id, probe)`,
  ]).pipe(sql.withTransaction),
)

const check = <E>(database: Effect.Effect<Redacted.Redacted, E, Scope.Scope>, onCitus: boolean) =>
  Effect.gen(function* () {
    const url = yield* database
    const migration = PostgresClient.layerMigration({ url })
    yield* Effect.provide(Distribution.distribute({ buckets: 2, onCitus }), migration)
    yield* Effect.provide(Buckets.within("every")(change), migration)
    yield* Effect.provide(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const columns = yield* sql`
          SELECT c.relnamespace::regnamespace || '.' || c.relname AS name
          FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
          WHERE a.attname = 'probe' AND c.relkind = 'r' ORDER BY 1`
        expect(columns.map(({ name }) => name)).toEqual([
          "errata.users",
          "errata_b0.groups",
          "errata_b1.groups",
        ])
        const each = yield* Buckets.inEach(sql, sql`SELECT count(probe) AS count FROM errata.groups`)
        expect(each.flat().map(({ count }) => Number(count))).toEqual([0, 0])
        // A server of this version still finds nothing to migrate, and all partitions.
        expect(yield* PostgresClient.isMigrationDue).toBe(false)
        expect(yield* PostgresClient.pendingSql).toBe("")
      }),
      PostgresClient.layer({ url }),
    )
  }).pipe(Effect.scoped)

describe("a migration of projects in buckets", () => {
  it.live(
    "changes the tables of each bucket, and shared tables once",
    () => check(migratedDatabase, false),
    60_000,
  )

  it.live.skipIf(clusterUrl === undefined)(
    "changes them on a cluster",
    () => check(freshCluster, true),
    120_000,
  )
})
