/** The parameters of statements that write groups: one array a column. */
import {
  type Group,
  type GroupLifecycle,
  type ProjectId,
  type ProjectMute,
  Severity,
  type UserId,
} from "@errata/core"
import * as PgLiteral from "./PgLiteral.js"
import { toUtc, toUtcOrNull } from "./PgTime.js"

/** `position` counts from 1; null for what is no candidate's. */
export interface CandidateRow {
  readonly position: number | null
}

export const candidateArrays = (candidates: ReadonlyArray<GroupLifecycle.NewGroup>) => ({
  projectIds: PgLiteral.numbers(candidates.map((candidate) => candidate.projectId)),
  algorithms: PgLiteral.texts(candidates.map((candidate) => candidate.grouping.algorithm)),
  keys: PgLiteral.texts(candidates.map((candidate) => candidate.grouping.key)),
})

export const mutableArrays = (groups: ReadonlyArray<Group>) => {
  const numbers = (value: (group: Group) => number | null) => PgLiteral.numbers(groups.map(value))
  return {
    projectIds: numbers((group) => group.projectId),
    ids: numbers((group) => group.id),
    severities: numbers((group) => Severity.rank(group.severity)),
    firstOccurredAt: numbers((group) => group.firstOccurredAt.epochMillis),
    lastOccurredAt: numbers((group) => group.lastOccurredAt.epochMillis),
    reportsCounts: numbers((group) => group.reportsCount),
    resolvedAt: numbers((group) => group.resolution?.at.epochMillis ?? null),
    resolverIds: numbers((group) => group.resolution?.by ?? null),
    mutedAt: numbers((group) => group.mute?.at.epochMillis ?? null),
    muterIds: numbers((group) => group.mute?.by ?? null),
    mutedUntil: numbers(({ mute }) =>
      mute?.condition._tag === "Until" ? mute.condition.until.epochMillis : null,
    ),
    mutedUntilReportsCounts: numbers(({ mute }) =>
      mute?.condition._tag === "UntilReportsCount" ? mute.condition.reportsCount : null,
    ),
    projectMutedAt: numbers((group) => group.projectMute?.at.epochMillis ?? null),
    projectMuterIds: numbers((group) => group.projectMute?.by ?? null),
    projectMutedUntil: numbers((group) => group.projectMute?.until?.epochMillis ?? null),
    assigneeIds: numbers((group) => group.assigneeId),
    mergedIntoIds: numbers((group) => group.mergedIntoId),
    hasMembers: PgLiteral.booleans(groups.map((group) => group.hasMembers)),
    updatedAt: numbers((group) => group.updatedAt.epochMillis),
  }
}

export interface ProjectMuteRow {
  readonly id: ProjectId
  readonly muted_at: Date | null
  readonly muter_id: UserId | null
  readonly muted_until: Date | null
}

export const projectMuteOf = (row: ProjectMuteRow): ProjectMute | null =>
  row.muted_at === null
    ? null
    : { at: toUtc(row.muted_at), by: row.muter_id, until: toUtcOrNull(row.muted_until) }
