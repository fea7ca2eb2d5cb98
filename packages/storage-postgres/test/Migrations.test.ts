import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { freshDatabase } from "./support/database.js"

it.live("a database that a newer version has migrated is rejected and unchanged", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      expect((yield* PostgresClient.migrate).length).toBeGreaterThan(0)
      expect(yield* PostgresClient.migrate).toEqual([])
      const migrations = sql<{ migration_id: number }>`SELECT * FROM errata.migrations ORDER BY migration_id`
      yield* sql`INSERT INTO errata.migrations (migration_id, name) VALUES (9999, 'of the future')`
      const before = yield* migrations

      const refused = yield* Effect.flip(Effect.scoped(Layer.build(PostgresStorage.layer({ url }))))
      expect(refused.reason).toBe("rejected")
      expect(String(refused.cause)).toContain("migrated by a newer version of Errata")
      expect(yield* migrations).toEqual(before)
    }).pipe(Effect.provide(PostgresClient.layerMigration({ url })))
  }),
)

it.live("a database that a newer version has migrated is used if it declares this version compatible", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* PostgresClient.migrate
      yield* sql`INSERT INTO errata.migrations (migration_id, name, works_with) VALUES (9999, 'of the future', 1)`
      yield* Effect.scoped(Layer.build(PostgresStorage.layer({ url })))
      expect(yield* PostgresClient.pendingSql).toBe("")
    }).pipe(Effect.provide(PostgresClient.layerMigration({ url })))
  }),
)

it.live("a database whose encoding lacks characters is rejected with the command to create another", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const name = `${new URL(Redacted.value(url)).pathname.slice(1)}_latin`
    yield* Effect.acquireUseRelease(
      run(
        url,
        `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'`,
      ),
      () =>
        Effect.gen(function* () {
          const latin = Redacted.make(Redacted.value(url).replace(/\/[^/?]+(\?|$)/, `/${name}$1`))
          const refused = yield* Effect.flip(
            Effect.scoped(Layer.build(PostgresStorage.layer({ url: latin }))),
          )
          expect(refused.reason).toBe("rejected")
          expect(String(refused.cause)).toContain("its encoding is LATIN1. Create one with createdb")
        }),
      () => run(url, `DROP DATABASE ${name} WITH (FORCE)`),
    )
  }),
)

const run = (url: Redacted.Redacted, statement: string) =>
  Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)),
    PostgresClient.layerMigration({ url }),
  )
