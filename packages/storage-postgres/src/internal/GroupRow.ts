/** Rows of `errata.groups`. */
import {
  type Group,
  type GroupId,
  type GroupingAlgorithm,
  type GroupingData,
  type ListedGroup,
  type Mute,
  mutedUntilRelease,
  type ProjectId,
  type UserId,
} from "@errata/core"
import { TextIndex } from "@errata/core/internal"
import type { DateTime } from "effect"
import * as Batch from "./Batch.js"
import * as Rows from "./Rows.js"
import { boolean, int4, int8, json, nullable, severity, text, time, tsvector } from "./SqlType.js"

const { changing, once } = Rows.writtenFrom<Group>()

const description = {
  id: once(int8<GroupId>(), (group) => group.id),
  projectId: once(int8<ProjectId>(), (group) => group.projectId),
  groupingAlgorithm: once(text<GroupingAlgorithm>(), (group) => group.grouping.algorithm),
  groupingKey: once(text(), (group) => group.grouping.key),
  /** In its own table. */
  groupingData: json<GroupingData>(),
  errorType: once(text(), (group) => group.errorType),
  errorMessage: once(text(), (group) => group.errorMessage),
  culprit: once(text(), (group) => group.culprit),
  /** Used in searches only. */
  search: once(tsvector, ({ culprit, errorMessage, errorType }) =>
    TextIndex.toTsVector(TextIndex.documentOf(errorType, errorMessage, culprit)),
  ),
  severity: changing(severity, (group) => group.severity),
  firstOccurredAt: changing(time, (group) => group.firstOccurredAt),
  lastOccurredAt: changing(time, (group) => group.lastOccurredAt),
  reportsCount: changing(int8(), (group) => group.reportsCount),
  usersCount: changing(int8(), (group) => group.usersCount),
  /** Updated when notes are written. */
  notesCount: int4(),
  resolvedAt: changing(nullable(time), (group) => group.resolution?.at ?? null),
  resolverId: changing(nullable(int8<UserId>()), (group) => group.resolution?.by ?? null),
  resolvedInRelease: changing(nullable(text()), (group) => group.resolution?.inRelease ?? null),
  reopenedAt: changing(nullable(time), (group) => group.reopenedAt),
  mutedAt: changing(nullable(time), (group) => group.mute?.at ?? null),
  muterId: changing(nullable(int8<UserId>()), (group) => group.mute?.by ?? null),
  mutedUntil: changing(nullable(time), ({ mute }) =>
    mute?.condition._tag === "Until" ? mute.condition.until : null,
  ),
  mutedUntilReportsCount: changing(nullable(int8()), ({ mute }) =>
    mute?.condition._tag === "UntilReportsCount" ? mute.condition.reportsCount : null,
  ),
  mutedUntilRelease: changing(nullable(text()), ({ mute }) => mutedUntilRelease(mute)),
  projectMutedAt: changing(nullable(time), (group) => group.projectMute?.at ?? null),
  projectMuterId: changing(nullable(int8<UserId>()), (group) => group.projectMute?.by ?? null),
  projectMutedUntil: changing(nullable(time), (group) => group.projectMute?.until ?? null),
  assigneeId: changing(nullable(int8<UserId>()), (group) => group.assigneeId),
  issueUrl: changing(nullable(text()), (group) => group.issueUrl),
  mergedIntoId: changing(nullable(int8<GroupId>()), (group) => group.mergedIntoId),
  hasMembers: changing(boolean, (group) => group.hasMembers),
  createdAt: once(time, (group) => group.createdAt),
  updatedAt: changing(time, (group) => group.updatedAt),
}

const { groupingData: _, ...listed } = description

const rows = Rows.make(description)

/** Columns that lists are sorted by. */
const place = {
  id: description.id,
  lastOccurredAt: description.lastOccurredAt,
  reportsCount: description.reportsCount,
  usersCount: description.usersCount,
}
export const placeRows = Rows.make(place)
export type PlaceRow = Rows.RowOf<typeof place>

const listedRows = Rows.make(listed)
type ListedRow = Rows.RowOf<typeof listed>

/** Inserts new groups, and saves the columns that transitions can change. */
export const inserted = Batch.make(description)
export const saved = Batch.make(Batch.changesOf(description, "projectId", "id"))

/** Grouping keys of new groups. */
export const keys = Batch.make<Group>({
  projectId: description.projectId,
  algorithm: description.groupingAlgorithm,
  key: description.groupingKey,
  groupId: description.id,
})

/** A new group, and the release of its first report. */
export interface Evidence {
  readonly group: Group
  readonly release: string
}

const ofEvidence = Rows.writtenFrom<Evidence>().once

export const evidence = Batch.make<Evidence>({
  projectId: ofEvidence(int8<ProjectId>(), ({ group }) => group.projectId),
  groupId: ofEvidence(int8<GroupId>(), ({ group }) => group.id),
  data: ofEvidence(json<GroupingData>(), ({ group }) => group.grouping.data),
  firstRelease: ofEvidence(text(), ({ release }) => release),
})

export const groupColumns = rows.select("g", {
  groupingData:
    "(SELECT e.data FROM errata.group_evidence AS e WHERE e.project_id = g.project_id AND e.group_id = g.id)",
})

/**
 * Omits the grouping evidence, the larger part of a group. Lists do not show it, and recording already has it when it
 * locks a group by key.
 */
export const listedColumns = listedRows.select("g")

/** `row` must have `groupColumns`. */
export const toGroup = (row: object): Group => {
  const { groupingData, ...group } = rows.read(row)
  return groupOf(group, groupingData)
}

/** `row` must have `listedColumns`. */
export const toListed = (row: object): ListedGroup => fieldsOf(listedRows.read(row))

/** `row` must have `listedColumns`. */
export const toGroupWith = (row: object, groupingData: GroupingData): Group =>
  groupOf(listedRows.read(row), groupingData)

// internal

const groupOf = (row: ListedRow, data: GroupingData): Group => {
  const fields = fieldsOf(row)
  return { ...fields, grouping: { ...fields.grouping, data } }
}

const fieldsOf = (row: ListedRow) => ({
  id: row.id,
  projectId: row.projectId,
  errorType: row.errorType,
  errorMessage: row.errorMessage,
  culprit: row.culprit,
  grouping: { algorithm: row.groupingAlgorithm, key: row.groupingKey },
  severity: row.severity,
  firstOccurredAt: row.firstOccurredAt,
  lastOccurredAt: row.lastOccurredAt,
  reportsCount: row.reportsCount,
  usersCount: row.usersCount,
  notesCount: row.notesCount,
  resolution:
    row.resolvedAt === null
      ? null
      : { at: row.resolvedAt, by: row.resolverId, inRelease: row.resolvedInRelease },
  reopenedAt: row.reopenedAt,
  mute: row.mutedAt === null ? null : muteOf(row, row.mutedAt),
  projectMute:
    row.projectMutedAt === null
      ? null
      : { at: row.projectMutedAt, by: row.projectMuterId, until: row.projectMutedUntil },
  assigneeId: row.assigneeId,
  issueUrl: row.issueUrl,
  mergedIntoId: row.mergedIntoId,
  hasMembers: row.hasMembers,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

const muteOf = (row: ListedRow, at: DateTime.Utc): Mute => ({
  at,
  by: row.muterId,
  condition:
    row.mutedUntil !== null
      ? { _tag: "Until", until: row.mutedUntil }
      : row.mutedUntilReportsCount !== null
        ? { _tag: "UntilReportsCount", reportsCount: row.mutedUntilReportsCount }
        : { _tag: row.mutedUntilRelease === null ? "Permanent" : "UntilNextRelease" },
})
