/** A group and those that it stands for: what is read as its own is theirs as well. */

import type { GroupId, ProjectId } from "@errata/core"
import type { SqlClient, Statement } from "effect/sql"

/**
 * Their ids, each with that of the root; none for a group that is merged. Where nothing is merged it costs a look into an
 * index that is empty.
 */
export const idsOf = (
  sql: SqlClient.SqlClient,
  projectId: ProjectId,
  rootId: GroupId,
): Statement.Fragment => sql`
  SELECT g.id, g.id AS root_id FROM errata.groups AS g
  WHERE g.project_id = ${projectId} AND g.id = ${rootId} AND g.merged_into_id IS NULL
  UNION ALL
  SELECT m.id, m.merged_into_id FROM errata.groups AS m
  WHERE m.project_id = ${projectId} AND m.merged_into_id = ${rootId}`
