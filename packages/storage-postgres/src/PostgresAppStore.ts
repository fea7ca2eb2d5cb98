import { type App, type AppId, Page, type ProjectId } from "@errata/core"
import { AppStore, type RefusedProject } from "@errata/core/ports"
import { Array, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { isTaken } from "./internal/PgConstraint.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { int8, integers, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const select = (rest: Statement.Fragment): Effect.Effect<ReadonlyArray<App>, SqlError.SqlError> =>
    Effect.map(sql`SELECT ${sql.literal(appColumns)} FROM errata.apps AS a ${rest}`, (rows) =>
      rows.map(toApp),
    )

  return AppStore.of({
    insert: (name, now) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.apps (name, created_at, updated_at) VALUES (${name}, ${toDate(now)}, ${toDate(now)})
          ON CONFLICT (name) DO NOTHING
          RETURNING id`
        return row === undefined ? [] : yield* select(sql`WHERE a.id = ${idRows.read(row).id}`)
      }).pipe(Effect.map(Array.head), named("AppStore.insert")),

    find: (id) => select(sql`WHERE a.id = ${id}`).pipe(Effect.map(Array.head), named("AppStore.find")),

    // In two statements: a statement that waited for the lock would read outdated projects.
    lock: (id) =>
      Effect.gen(function* () {
        const locked = yield* sql`SELECT id FROM errata.apps WHERE id = ${id} FOR UPDATE`
        return locked.length === 0 ? [] : yield* select(sql`WHERE a.id = ${id}`)
      }).pipe(Effect.map(Array.head), named("AppStore.lock")),

    list: ({ only }, page) =>
      select(sql`
        WHERE ${sql.and([
          sql`a.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}`,
          ...(only === null
            ? []
            : [
                sql`EXISTS (
                  SELECT 1 FROM errata.projects AS p
                  WHERE p.app_id = a.id AND p.deleted_at IS NULL AND p.id = ANY (${only}::bigint[])
                )`,
              ]),
        ])} ORDER BY a.id DESC LIMIT ${page.limit + 1}`).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("AppStore.list"),
      ),

    rename: (id, name, now) =>
      sql`UPDATE errata.apps SET name = ${name}, updated_at = ${toDate(now)} WHERE id = ${id} RETURNING id`.pipe(
        sql.withTransaction,
        Effect.catchIf(isTaken("apps_name"), () => Effect.succeed([])),
        Effect.map((renamed) => renamed.length > 0),
        named("AppStore.rename"),
      ),

    setProjects: (id, projectIds, now) => {
      const wanted = sql`${projectIds}::bigint[]`
      return Effect.gen(function* () {
        yield* sql`UPDATE errata.apps SET updated_at = ${toDate(now)} WHERE id = ${id}`
        // In the order of ids: two apps that exchange projects could deadlock otherwise.
        yield* sql`
          SELECT id FROM errata.projects WHERE app_id = ${id} OR id = ANY (${wanted})
          ORDER BY id FOR NO KEY UPDATE`
        yield* sql`UPDATE errata.projects SET app_id = NULL WHERE app_id = ${id} AND NOT id = ANY (${wanted})`
        yield* sql`
          UPDATE errata.projects SET app_id = ${id}
          WHERE id = ANY (${wanted}) AND deleted_at IS NULL AND app_id IS NULL`
        return yield* sql`
          SELECT wanted.id AS project_id,
            CASE WHEN p.id IS NULL THEN 'unknown' ELSE 'in_another_app' END AS reason
          FROM unnest(${wanted}) WITH ORDINALITY AS wanted (id, position)
          LEFT JOIN errata.projects AS p ON p.id = wanted.id AND p.deleted_at IS NULL
          WHERE p.app_id IS DISTINCT FROM ${id} ORDER BY wanted.position`
      }).pipe(
        sql.withTransaction,
        Effect.map((rows) => rows.map(refusedRows.read)),
        named("AppStore.setProjects"),
      )
    },

    remove: (id) =>
      sql`DELETE FROM errata.apps WHERE id = ${id} RETURNING id`.pipe(
        Effect.map((removed) => removed.length > 0),
        named("AppStore.remove"),
      ),
  })
})

export const layer = Layer.effect(AppStore, make)

// internal

const idRows = Rows.make({ id: int8<AppId>() })

const appRows = Rows.make({
  id: int8<AppId>(),
  name: text(),
  projectIds: integers<ProjectId>(),
  createdAt: time,
  updatedAt: time,
})

const appColumns = appRows.select("a", {
  projectIds: `ARRAY(
    SELECT p.id FROM errata.projects AS p WHERE p.app_id = a.id AND p.deleted_at IS NULL ORDER BY p.id)`,
})

const toApp = (row: object): App => appRows.read(row)

const refusedRows = Rows.make({ projectId: int8<ProjectId>(), reason: text<RefusedProject["reason"]>() })
