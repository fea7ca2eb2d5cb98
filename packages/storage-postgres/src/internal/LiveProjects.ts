/** Projects for lookups by an id alone: one lookup per project in a key that begins with it. */
import type { SqlClient, Statement } from "effect/sql"

/** Projects `p` that are not deleted, restricted to the given ids unless null. */
export const among = (
  sql: SqlClient.SqlClient,
  projectIds: ReadonlyArray<number> | null,
): Statement.Fragment => sql`(
    SELECT id FROM errata.projects
    WHERE deleted_at IS NULL
      AND ${projectIds === null ? sql`true` : sql`id = ANY (${[...new Set(projectIds)]}::bigint[])`}
  ) AS p`
