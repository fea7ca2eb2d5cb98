import {
  Group,
  type GroupId,
  type GroupingAlgorithm,
  type GroupingData,
  type Mute,
  type ProjectId,
  Severity,
  type UserId,
} from "@errata/core"
import { toUtc, toUtcOrNull } from "./PgTime.js"

/** A row of `errata.groups` as the driver reads it. */
export interface GroupRow {
  readonly id: GroupId
  readonly project_id: ProjectId
  readonly grouping_algorithm: GroupingAlgorithm
  readonly grouping_key: string
  readonly grouping_data: GroupingData
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly severity: number
  readonly first_occurred_at: Date
  readonly last_occurred_at: Date
  readonly reports_count: number
  readonly notes_count: number
  readonly resolved_at: Date | null
  readonly resolver_id: UserId | null
  readonly muted_at: Date | null
  readonly muter_id: UserId | null
  readonly muted_until: Date | null
  readonly muted_until_reports_count: number | null
  readonly project_muted_at: Date | null
  readonly project_muter_id: UserId | null
  readonly project_muted_until: Date | null
  readonly assignee_id: UserId | null
  readonly merged_into_id: GroupId | null
  readonly has_members: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

const columnsWith = (groupingData: string) =>
  `g.id, g.project_id, g.grouping_algorithm, g.grouping_key, ${groupingData}, g.error_type, g.error_message, g.culprit,
  g.severity, g.first_occurred_at, g.last_occurred_at, g.reports_count, g.notes_count, g.resolved_at, g.resolver_id,
  g.muted_at, g.muter_id, g.muted_until, g.muted_until_reports_count, g.project_muted_at, g.project_muter_id,
  g.project_muted_until, g.assignee_id, g.merged_into_id, g.has_members, g.created_at, g.updated_at`

/** All but the search index, which is only ever searched. */
export const groupColumns = columnsWith(
  `(SELECT e.data FROM errata.group_evidence AS e WHERE e.project_id = g.project_id AND e.group_id = g.id)
  AS grouping_data`,
)

/**
 * Without the grouping evidence, which is the larger part of a group: who locks a group by its key while recording has
 * evidence of that key at hand.
 */
export const groupColumnsWithoutEvidence = columnsWith("NULL AS grouping_data")

export const toGroup = (row: GroupRow): Group =>
  new Group(
    {
      id: row.id,
      projectId: row.project_id,
      errorType: row.error_type,
      errorMessage: row.error_message,
      culprit: row.culprit,
      grouping: { algorithm: row.grouping_algorithm, key: row.grouping_key, data: row.grouping_data },
      severity: Severity.fromRank(row.severity),
      firstOccurredAt: toUtc(row.first_occurred_at),
      lastOccurredAt: toUtc(row.last_occurred_at),
      reportsCount: row.reports_count,
      notesCount: row.notes_count,
      resolution: row.resolved_at === null ? null : { at: toUtc(row.resolved_at), by: row.resolver_id },
      mute: toMute(row),
      projectMute:
        row.project_muted_at === null
          ? null
          : {
              at: toUtc(row.project_muted_at),
              by: row.project_muter_id,
              until: toUtcOrNull(row.project_muted_until),
            },
      assigneeId: row.assignee_id,
      mergedIntoId: row.merged_into_id,
      hasMembers: row.has_members,
      createdAt: toUtc(row.created_at),
      updatedAt: toUtc(row.updated_at),
    },
    { disableValidation: true },
  )

// internal

const toMute = (row: GroupRow): Mute | null =>
  row.muted_at === null
    ? null
    : {
        at: toUtc(row.muted_at),
        by: row.muter_id,
        condition:
          row.muted_until !== null
            ? { _tag: "Until", until: toUtc(row.muted_until) }
            : row.muted_until_reports_count !== null
              ? { _tag: "UntilReportsCount", reportsCount: row.muted_until_reports_count }
              : { _tag: "Permanent" },
      }
