/** A group and the groups merged into it, whose data reads as its own. */

import type { GroupId, ProjectId } from "@errata/core"
import type { SqlClient, Statement } from "effect/sql"

/**
 * Selects their ids with that of the root. Returns no rows for a merged group. Without merges it costs one lookup in an
 * empty index.
 */
export const idsOf = (
  sql: SqlClient.SqlClient,
  projectId: ProjectId,
  rootId: GroupId | Statement.Fragment,
): Statement.Fragment => sql`
  SELECT g.id, g.id AS root_id FROM errata.groups AS g
  WHERE g.project_id = ${projectId} AND g.id = ${rootId} AND g.merged_into_id IS NULL
  UNION ALL
  SELECT m.id, m.merged_into_id FROM errata.groups AS m
  WHERE m.project_id = ${projectId} AND m.merged_into_id = ${rootId}`
