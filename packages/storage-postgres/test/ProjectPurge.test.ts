import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tables } from "../src/internal/ProjectTables.js"
import * as PostgresClient from "../src/PostgresClient.js"
import { freshDatabase } from "./support/database.js"

it.live("a purge covers every table with rows of a project", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.provide(PostgresClient.migrate, PostgresClient.layerMigration({ url }))
    const columns = yield* Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ table_name: string }>`
        SELECT c.relname AS table_name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'errata'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND a.attname = 'project_id'`,
    ).pipe(Effect.provide(PostgresClient.layer({ url })))
    expect(columns.length).toBeGreaterThan(0)
    // The archiving job deletes rows of archives after their objects.
    expect([...tables, "archives"].sort()).toEqual(columns.map((column) => column.table_name).sort())
  }),
)
