import { Page, type ProjectId, type SourcemapOrigin, type SourcemapOriginId } from "@errata/core"
import { SourcemapOriginStore } from "@errata/core/ports"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(originRows.select())

  return SourcemapOriginStore.of({
    insert: (projectId, origin, now) =>
      sql`
        INSERT INTO errata.sourcemap_origins ${sql.insert({
          project_id: projectId,
          origin,
          created_at: toDate(now),
          updated_at: toDate(now),
        })}
        ON CONFLICT (project_id, origin) DO NOTHING RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toOrigin))),
        named("SourcemapOriginStore.insert"),
      ),

    // Locks the project's row, because rows that do not exist yet cannot be locked.
    lockCount: (projectId) =>
      Effect.gen(function* () {
        yield* sql`SELECT FROM errata.projects WHERE id = ${projectId} FOR NO KEY UPDATE`
        const [row] = yield* sql`
          SELECT count(*) AS count FROM errata.sourcemap_origins WHERE project_id = ${projectId}`
        return countRows.read(row!).count
      }).pipe(named("SourcemapOriginStore.lockCount")),

    list: (projectId, page) =>
      sql`
        SELECT ${columns} FROM errata.sourcemap_origins
        WHERE project_id = ${projectId} AND id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toOrigin), page)),
        named("SourcemapOriginStore.list"),
      ),

    remove: (projectId, id) =>
      sql`
        DELETE FROM errata.sourcemap_origins WHERE project_id = ${projectId} AND id = ${id} RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toOrigin))),
        named("SourcemapOriginStore.remove"),
      ),
  })
})

export const layer = Layer.effect(SourcemapOriginStore, make)

// internal

const countRows = Rows.make({ count: int8() })

const originRows = Rows.make({
  id: int8<SourcemapOriginId>(),
  projectId: int8<ProjectId>(),
  origin: text(),
  createdAt: time,
  updatedAt: time,
})

const toOrigin = (row: object): SourcemapOrigin => originRows.read(row)
