/** Looks up uploaded files by debug id or name. */
import type { ProjectId } from "@errata/core"
import {
  type ArtifactFile,
  type ArtifactStore,
  type ArtifactType,
  maxBundlesLookedInto,
} from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import { boolean, int4, int8, nullable, text } from "./SqlType.js"

export const make = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(fileRows.select("f", { blob: "encode(f.blob, 'hex')" }))

  return {
    projectsWithFiles: (projectIds) =>
      sql`
        SELECT p.id FROM unnest(${[...new Set(projectIds)]}::bigint[]) AS p (id)
        WHERE EXISTS (SELECT FROM errata.artifact_files AS f WHERE f.project_id = p.id)`.pipe(
        Effect.map((rows) => new Set(rows.map((row) => idRows.read(row).id))),
        named("ArtifactStore.projectsWithFiles"),
      ),

    filesByDebugIds: (projectId, debugIds) => {
      const ids = [...new Set(debugIds.filter((id) => uuid.test(id)))]
      return sql`
        SELECT d.id AS found_by, false AS is_other, f.*
        FROM unnest(${ids}::uuid[]) AS d (id) CROSS JOIN LATERAL (
          SELECT ${columns}, f.position FROM errata.artifact_files AS f
          WHERE f.project_id = ${projectId} AND f.debug_id = d.id
          ORDER BY f.bundle_id DESC, f.position LIMIT ${maxFiles}
        ) AS f
        UNION ALL
        SELECT d.id, true, f.*
        FROM unnest(${ids}::uuid[]) AS d (id) CROSS JOIN LATERAL (
          SELECT ${columns}, f.position
          FROM errata.artifact_file_ids AS o JOIN errata.artifact_files AS f
            ON f.project_id = ${projectId} AND f.bundle_id = o.bundle_id AND f.position = o.position
          WHERE o.project_id = ${projectId} AND o.debug_id = d.id
          ORDER BY o.bundle_id DESC, o.position LIMIT ${maxFiles}
        ) AS f`.pipe(
        Effect.map((rows) => byDebugId(rows)),
        named("ArtifactStore.filesByDebugIds"),
      )
    },

    filesByNames: (projectId, release, dist, names) =>
      sql`
        WITH linked AS MATERIALIZED (
          SELECT l.bundle_id, l.rank, l.linked_at
          FROM (VALUES (0, ${dist}), (1, '')) AS d (rank, dist) CROSS JOIN LATERAL (
            SELECT l.bundle_id, d.rank, l.linked_at FROM errata.artifact_links AS l
            WHERE l.project_id = ${projectId} AND l.release = ${release} AND l.dist = d.dist
            ORDER BY l.linked_at DESC, l.bundle_id DESC LIMIT ${maxBundlesLookedInto}
          ) AS l
          WHERE ${release} <> ''
        ),
        bundles AS (
          SELECT DISTINCT ON (bundle_id) bundle_id, rank, linked_at FROM linked ORDER BY bundle_id, rank
        )
        SELECT ${columns}
        FROM bundles AS b
          CROSS JOIN unnest(${[...new Set(names)]}::text[]) AS n (name)
          CROSS JOIN LATERAL (
            SELECT * FROM errata.artifact_files AS f
            WHERE f.project_id = ${projectId} AND f.bundle_id = b.bundle_id
              AND hashtextextended(f.url, 0) = hashtextextended(n.name, 0) AND f.url = n.name OFFSET 0
          ) AS f
        ORDER BY b.rank, b.linked_at DESC, b.bundle_id DESC, f.position`.pipe(
        Effect.map((rows) => rows.map(fileRows.read)),
        named("ArtifactStore.filesByNames"),
      ),

    markUsed: (projectId, bundleIds, now) =>
      sql`
        UPDATE errata.artifact_bundles SET last_used_at = ${toDate(now)}
        WHERE project_id = ${projectId} AND id = ANY (${[...new Set(bundleIds)]}::bigint[])`.pipe(
        Effect.asVoid,
        named("ArtifactStore.markUsed"),
      ),
  } satisfies Partial<ArtifactStore["Service"]>
}

// internal

/** Other strings match no file. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Limit for one debug id. */
const maxFiles = 100

const idRows = Rows.make({ id: int8<ProjectId>() })

const file = {
  bundleId: int8(),
  type: text<ArtifactType>(),
  url: nullable(text()),
  debugId: nullable(text()),
  mapReference: nullable(text()),
  size: int8(),
  blob: text(),
}
const fileRows = Rows.make(file)
const foundRows = Rows.make({ ...file, foundBy: text(), isOther: boolean, position: int4() })

const byDebugId = (rows: ReadonlyArray<object>): ReadonlyArray<ArtifactFile> => {
  const found = rows.map(foundRows.read)
  const own = new Set(found.flatMap(({ foundBy, isOther }) => (isOther ? [] : [foundBy])))
  return found
    .filter(({ foundBy, isOther }) => !isOther || !own.has(foundBy))
    .sort(
      (a, b) => Number(a.isOther) - Number(b.isOther) || b.bundleId - a.bundleId || a.position - b.position,
    )
    .map(({ foundBy, isOther: _, position: __, ...rest }) => ({ ...rest, debugId: foundBy }))
}
