/** Removes artifact bundles with their files and links. */

import type { ArtifactStore } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { byIndex } from "./ByIndex.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import { int8 } from "./SqlType.js"

type Removal = Pick<
  ArtifactStore["Service"],
  "remove" | "removeReleaseFiles" | "removeFailed" | "removeOldest" | "removeOfReleases"
>

/** Removes the bundles `b` that match a condition in one statement, and returns their number. */
export const removeWhere = (sql: SqlClient.SqlClient, where: Statement.Fragment) =>
  Effect.map(
    sql`
      WITH gone AS (DELETE FROM errata.artifact_bundles AS b WHERE ${where} RETURNING b.project_id, b.id),
      links AS (
        DELETE FROM errata.artifact_links AS l USING gone
        WHERE l.project_id = gone.project_id AND l.bundle_id = gone.id
      ),
      ids AS (
        DELETE FROM errata.artifact_file_ids AS i USING gone
        WHERE i.project_id = gone.project_id AND i.bundle_id = gone.id
      ),
      files AS (
        DELETE FROM errata.artifact_files AS f USING gone
        WHERE f.project_id = gone.project_id AND f.bundle_id = gone.id
      )
      SELECT count(*) AS count FROM gone`,
    ([row]) => countRows.read(row!).count,
  )

export const make = (sql: SqlClient.SqlClient): Removal => {
  /**
   * Removes the first `limit` bundles that are not locked. The ids are in an array because a subquery may be evaluated
   * per row. Forces index scans: the planner might otherwise read all bundles.
   */
  const removeSome = (where: Statement.Fragment, order: Statement.Fragment, limit: number) =>
    byIndex(sql)(
      removeWhere(
        sql,
        sql`b.ctid = ANY (ARRAY(
          SELECT b.ctid FROM errata.artifact_bundles AS b WHERE ${where}
          ORDER BY ${order} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
      ),
    )

  return {
    remove: (projectId, id) =>
      removeWhere(sql, sql`b.project_id = ${projectId} AND b.id = ${id}`).pipe(
        Effect.map((count) => count > 0),
        named("ArtifactStore.remove"),
      ),

    removeReleaseFiles: (projectId, release, id) =>
      removeWhere(
        sql,
        sql`b.project_id = ${projectId} AND b.kind = 'release_file'
          AND b.id IN (
            SELECT bundle_id FROM errata.artifact_links
            WHERE project_id = ${projectId} AND release = ${release} AND release <> '')
          AND ${id === null ? sql`true` : sql`b.id = ${id}`}`,
      ).pipe(named("ArtifactStore.removeReleaseFiles")),

    removeFailed: (before, limit) =>
      removeSome(
        sql`b.state = 'failed' AND b.uploaded_at < ${toDate(before)}`,
        sql`b.uploaded_at`,
        limit,
      ).pipe(named("ArtifactStore.removeFailed")),

    removeOldest: (before, limit) =>
      removeSome(
        sql`b.state = 'ok' AND ${
          before === null ? sql`true` : sql`greatest(b.uploaded_at, b.last_used_at) < ${toDate(before)}`
        }`,
        sql`greatest(b.uploaded_at, b.last_used_at)`,
        limit,
      ).pipe(named("ArtifactStore.removeOldest")),

    removeOfReleases: (projectId, releases) =>
      removeWhere(
        sql,
        sql`b.project_id = ${projectId} AND b.state = 'ok'
          AND EXISTS (
            SELECT FROM errata.artifact_links AS l WHERE l.project_id = ${projectId} AND l.bundle_id = b.id)
          AND NOT EXISTS (
            SELECT FROM errata.artifact_links AS l WHERE l.project_id = ${projectId} AND l.bundle_id = b.id
              AND (l.release = '' OR l.release <> ALL (${releases}::text[])))`,
      ).pipe(named("ArtifactStore.removeOfReleases")),
  }
}

// internal

const countRows = Rows.make({ count: int8() })
