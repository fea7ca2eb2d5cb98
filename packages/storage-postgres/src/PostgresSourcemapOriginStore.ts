import { SqlClient } from "@effect/sql"
import {
  Page,
  type ProjectId,
  SourcemapOrigin,
  type SourcemapOriginId,
  SourcemapOriginStore,
} from "@errata/core"
import { Array, Effect, Layer } from "effect"
import { named } from "./internal/PgStorageError.js"
import { toDate, toUtc } from "./internal/PgTime.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal("id, project_id, origin, created_at, updated_at")

  return SourcemapOriginStore.of({
    insert: (projectId, origin, now) =>
      sql<OriginRow>`
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

    // The project's row stands for the set: rows that are not there yet cannot be locked.
    lockCount: (projectId) =>
      Effect.gen(function* () {
        yield* sql`SELECT FROM errata.projects WHERE id = ${projectId} FOR NO KEY UPDATE`
        const [row] = yield* sql<{ count: number }>`
          SELECT count(*) AS count FROM errata.sourcemap_origins WHERE project_id = ${projectId}`
        return row?.count ?? 0
      }).pipe(named("SourcemapOriginStore.lockCount")),

    list: (projectId, page) =>
      sql<OriginRow>`
        SELECT ${columns} FROM errata.sourcemap_origins
        WHERE project_id = ${projectId} AND id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toOrigin), page)),
        named("SourcemapOriginStore.list"),
      ),

    remove: (projectId, id) =>
      sql`
        DELETE FROM errata.sourcemap_origins WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("SourcemapOriginStore.remove"),
      ),
  })
})

export const layer = Layer.effect(SourcemapOriginStore, make)

// internal

interface OriginRow {
  readonly id: SourcemapOriginId
  readonly project_id: ProjectId
  readonly origin: string
  readonly created_at: Date
  readonly updated_at: Date
}

const toOrigin = (row: OriginRow): SourcemapOrigin =>
  new SourcemapOrigin(
    {
      id: row.id,
      projectId: row.project_id,
      origin: row.origin,
      createdAt: toUtc(row.created_at),
      updatedAt: toUtc(row.updated_at),
    },
    { disableValidation: true },
  )
