import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { tables } from "../src/internal/ProjectPurge.js"
import * as PostgresClient from "../src/PostgresClient.js"
import { freshDatabase } from "./support/database.js"

it.scopedLive("a deleted project's rows are looked for in every table that has some", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.provide(PostgresClient.migrate, PostgresClient.layerMigration({ url }))
    const columns = yield* Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ table_name: string }>`
        SELECT table_name FROM information_schema.columns
        WHERE table_schema = 'errata' AND column_name = 'project_id'`,
    ).pipe(Effect.provide(PostgresClient.layer({ url })))
    expect(columns.length).toBeGreaterThan(0)
    expect([...tables].sort()).toEqual(columns.map((column) => column.table_name).sort())
  }),
)
