/** Projects in which something is looked up by an id alone: each by its own look-up into a key that begins with it. */
import type { SqlClient, Statement } from "effect/sql"
import * as PgLiteral from "./PgLiteral.js"

/** Those that are not deleted, as `p`; only the given ones where they are not null. */
export const among = (
  sql: SqlClient.SqlClient,
  projectIds: ReadonlyArray<number> | null,
): Statement.Fragment => sql`(
    SELECT id FROM errata.projects
    WHERE deleted_at IS NULL
      AND ${projectIds === null ? sql`true` : sql`id = ANY (${PgLiteral.distinct(projectIds)}::bigint[])`}
  ) AS p`
