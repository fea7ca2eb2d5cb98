/**
 * Merges and unmerges groups. Reports, notes, tag counts and grouping keys stay with their group. A merge only changes
 * roots and figures, so its duration does not depend on the number of reports.
 *
 * `merged_into_id` names the root of a group, so that reads need not walk a tree; `group_merges` keeps the tree itself.
 * A change of a tree locks its root and every changed row of `groups` in one statement, in the order of ids.
 */

import {
  type Group,
  type GroupId,
  type GroupMerge,
  type ListedMerge,
  type MergeId,
  Page,
  type ProjectId,
  StorageError,
  type UserId,
} from "@errata/core"
import type { GroupStore, Half, LockedMerge } from "@errata/core/ports"
import { Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as Buckets from "./Buckets.js"
import { groupColumns, toGroup } from "./GroupRow.js"
import type { GroupUsers } from "./GroupUsers.js"
import * as GroupWrites from "./GroupWrites.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as ProjectRow from "./ProjectRow.js"
import * as Rows from "./Rows.js"
import { boolean, int4, int8, nullable, severity, text, time } from "./SqlType.js"

type GroupMerges = Pick<
  GroupStore["Service"],
  "addToParts" | "lockToMerge" | "merge" | "listMerges" | "lockMerge" | "unmerge"
>

/** `save` writes the columns of groups that transitions can change. */
export const make = (
  sql: SqlClient.SqlClient,
  users: GroupUsers,
  save: (groups: ReadonlyArray<Group>) => Effect.Effect<unknown, SqlError.SqlError>,
): GroupMerges => {
  const columns = sql.literal(groupColumns)

  const countGroups = (projectId: ProjectId, change: number) => sql`
    UPDATE errata.project_counts SET groups_count = groups_count + ${change}
    WHERE project_id = ${projectId}
      AND stripe = (SELECT min(stripe) FROM errata.project_counts WHERE project_id = ${projectId})`

  /** Returns the source of a merge with all groups merged into it, and its ancestors, nearest first. */
  const treeOf = (projectId: ProjectId, id: MergeId): Effect.Effect<Tree, SqlError.SqlError> =>
    Effect.map(
      sql`
        WITH RECURSIVE merge AS (
          SELECT source_id, target_id FROM errata.group_merges WHERE project_id = ${projectId} AND id = ${id}
        ),
        below (id) AS (
          SELECT source_id FROM merge
          UNION ALL
          SELECT m.source_id FROM below
          JOIN errata.group_merges AS m ON m.project_id = ${projectId} AND m.target_id = below.id
        ),
        above (id, depth) AS (
          SELECT target_id, 1 FROM merge
          UNION ALL
          SELECT m.target_id, above.depth + 1 FROM above
          JOIN errata.group_merges AS m ON m.project_id = ${projectId} AND m.source_id = above.id
        )
        SELECT id, 0 AS depth FROM below UNION ALL SELECT id, depth FROM above ORDER BY depth, id`,
      (found) => {
        const rows = found.map(depthRows.read)
        return {
          below: rows.filter(({ depth }) => depth === 0).map(({ id }) => id),
          above: rows.filter(({ depth }) => depth > 0).map(({ id }) => id),
        }
      },
    )

  /** Figures of a root's tree: one half for the groups to unmerge and one for the rest. */
  const halvesOf = (projectId: ProjectId, rootId: GroupId, below: ReadonlyArray<GroupId>) =>
    Effect.map(
      sql`
        SELECT p.group_id = ANY (${below}::bigint[]) AS freed, max(p.severity) AS severity,
          min(p.first_occurred_at) AS first_occurred_at, max(p.last_occurred_at) AS last_occurred_at,
          sum(p.reports_count)::bigint AS reports_count, count(*) AS groups
        FROM (
          SELECT ${rootId}::bigint AS id
          UNION ALL
          SELECT id FROM errata.groups WHERE project_id = ${projectId} AND merged_into_id = ${rootId}
        ) AS member
        JOIN errata.group_parts AS p ON p.project_id = ${projectId} AND p.group_id = member.id
        GROUP BY freed`,
      (found) => {
        const rows = found.map(halfRows.read)
        return { freed: rows.find(({ freed }) => freed), rest: rows.find(({ freed }) => !freed) }
      },
    )

  return {
    addToParts: (parts) =>
      sql`
        UPDATE errata.group_parts AS p SET
          severity = greatest(p.severity, c.severity),
          first_occurred_at = least(p.first_occurred_at, to_timestamp(c.first_occurred_at / 1000)),
          last_occurred_at = greatest(p.last_occurred_at, to_timestamp(c.last_occurred_at / 1000)),
          reports_count = p.reports_count + c.reports_count
        FROM ${GroupWrites.parts.rows(sql, parts)}
        WHERE p.project_id = c.project_id AND p.group_id = c.group_id`.pipe(
        Effect.asVoid,
        named("GroupStore.addToParts"),
      ),

    lockToMerge: (projectId, targetId, sourceIds) =>
      Effect.gen(function* () {
        const asked = new Set([targetId, ...sourceIds])
        const locked = yield* sql`
          SELECT ${columns} FROM errata.groups AS g
          WHERE g.project_id = ${projectId}
            AND (g.id = ANY (${[...asked]}::bigint[])
              OR g.merged_into_id = ANY (${sourceIds}::bigint[]))
          ORDER BY g.id FOR NO KEY UPDATE`
        const groups = locked.map(toGroup)
        // Groups that were merged into these during the wait are not locked, and waiting for them now could deadlock.
        const late = yield* sql`
          SELECT 1 FROM errata.groups
          WHERE project_id = ${projectId} AND merged_into_id = ANY (${sourceIds}::bigint[])
            AND id <> ALL (${idsOf(groups)}::bigint[]) LIMIT 1`
        if (late.length > 0) return yield* treeChanged("GroupStore.lockToMerge")
        return groups.filter(({ id }) => asked.has(id))
      }).pipe(named("GroupStore.lockToMerge")),

    merge: (target, sources, by, now) =>
      Effect.gen(function* () {
        const { projectId } = target
        const sourceIds = idsOf(sources)
        // An unmerged group has its own figures in its row only. Copy them before the merge.
        yield* sql`
          INSERT INTO errata.group_parts
            (project_id, group_id, severity, first_occurred_at, last_occurred_at, reports_count)
          SELECT project_id, id, severity, first_occurred_at, last_occurred_at, reports_count FROM errata.groups
          WHERE project_id = ${projectId} AND id = ANY (${idsOf([target, ...sources])}::bigint[])
            AND NOT has_members
          ORDER BY id`
        yield* sql`
          INSERT INTO errata.group_merges (project_id, source_id, target_id, merged_at, merged_by)
          SELECT ${projectId}::bigint, source_id, ${target.id}::bigint, ${toDate(now)}::timestamptz, ${by}::bigint
          FROM unnest(${sourceIds}::bigint[]) AS source_id ORDER BY source_id`
        yield* sql`
          UPDATE errata.groups SET merged_into_id = ${target.id}
          WHERE project_id = ${projectId} AND merged_into_id = ANY (${sourceIds}::bigint[])`
        yield* sql`
          UPDATE errata.groups SET notes_count = notes_count + (
            SELECT coalesce(sum(notes_count), 0) FROM errata.groups
            WHERE project_id = ${projectId} AND id = ANY (${sourceIds}::bigint[]))
          WHERE project_id = ${projectId} AND id = ${target.id}`
        yield* save([target, ...sources])
        yield* users.removeTrees(
          projectId,
          sources.map(({ id }) => id),
        )
        yield* users.recount(projectId, [target.id])
        yield* countGroups(projectId, -sources.length)
      }).pipe(named("GroupStore.merge")),

    listMerges: (projectId, rootId, page) =>
      sql`
        SELECT ${sql.literal(listedRows.select("m", titleOfSource))}
        FROM errata.groups AS source
        JOIN errata.group_merges AS m ON m.project_id = source.project_id AND m.source_id = source.id
        WHERE source.project_id = ${projectId} AND source.merged_into_id = ${rootId}
          AND m.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY m.id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toListed), page)),
        named("GroupStore.listMerges"),
      ),

    lockMerge: (projectId, id) =>
      Effect.gen(function* () {
        const before = yield* treeOf(projectId, id)
        const changing = [...before.below, ...before.above]
        const rows = yield* sql`
          SELECT ${columns} FROM errata.groups AS g
          WHERE g.project_id = ${projectId} AND g.id = ANY (${changing}::bigint[])
          ORDER BY g.id FOR NO KEY UPDATE`
        const [row] = yield* sql`
          SELECT ${sql.literal(mergeRows.select())} FROM errata.group_merges
          WHERE project_id = ${projectId} AND id = ${id}`
        if (row === undefined) return Option.none<LockedMerge>()
        const merge = toMerge(row)
        // The tree cannot change while its root is locked.
        const { above, below } = yield* treeOf(projectId, id)
        if (`${below}/${above}` !== `${before.below}/${before.above}`) {
          return yield* treeChanged("GroupStore.lockMerge")
        }
        const groups = new Map(rows.map(toGroup).map((group) => [group.id, group]))
        const source = groups.get(merge.sourceId)
        const root = groups.get(above[above.length - 1]!)
        if (root === undefined || source === undefined) return Option.none<LockedMerge>()
        const halves = yield* halvesOf(projectId, root.id, below)
        // Some groups are gone if the project is being purged.
        if (halves.freed === undefined || halves.rest === undefined) return Option.none<LockedMerge>()
        // A share lock on the project's mute, as for new groups.
        yield* Buckets.keep(sql, "projects", [projectId])
        const [mute] = yield* sql`
          SELECT ${sql.literal(ProjectRow.muteRows.select())} FROM errata.projects${Buckets.here(sql)}
          WHERE id = ${projectId}${Buckets.unlessKept(sql, sql` FOR SHARE`)}`
        return Option.some<LockedMerge>({
          merge,
          root,
          source,
          between: above.slice(0, -1).flatMap((id) => groups.get(id) ?? []),
          freed: toHalf(halves.freed),
          rest: toHalf(halves.rest),
          projectMute: mute === undefined ? null : ProjectRow.muteOf(ProjectRow.muteRows.read(mute)),
        })
      }).pipe(named("GroupStore.lockMerge")),

    unmerge: (merge, { between, root, source }) =>
      Effect.gen(function* () {
        const { projectId } = merge
        const both = idsOf([root, source])
        yield* sql`DELETE FROM errata.group_merges WHERE project_id = ${projectId} AND id = ${merge.id}`
        yield* sql`
          WITH RECURSIVE below (id) AS (
            SELECT source_id FROM errata.group_merges
            WHERE project_id = ${projectId} AND target_id = ${source.id}
            UNION ALL
            SELECT m.source_id FROM below
            JOIN errata.group_merges AS m ON m.project_id = ${projectId} AND m.target_id = below.id
          )
          UPDATE errata.groups SET merged_into_id = ${source.id}
          WHERE project_id = ${projectId} AND id IN (SELECT id FROM below)`
        yield* save([root, source, ...between])
        yield* sql`
          UPDATE errata.groups AS g SET notes_count = (
            SELECT count(*) FROM errata.notes AS n
            WHERE n.project_id = g.project_id AND n.group_id IN (
              SELECT g.id
              UNION ALL
              SELECT m.id FROM errata.groups AS m WHERE m.project_id = g.project_id AND m.merged_into_id = g.id))
          WHERE g.project_id = ${projectId} AND g.id = ANY (${both}::bigint[])`
        yield* users.recount(projectId, [root.id, source.id])
        yield* sql`
          DELETE FROM errata.group_parts AS p USING errata.groups AS g
          WHERE g.project_id = ${projectId} AND g.id = ANY (${both}::bigint[]) AND NOT g.has_members
            AND p.project_id = g.project_id AND p.group_id = g.id`
        yield* countGroups(projectId, 1)
      }).pipe(named("GroupStore.unmerge")),
  }
}

/** The caller retries from the start, without these locks, which rules out a deadlock. */
export const treeChanged = (operation: string) =>
  new StorageError({
    operation,
    reason: "conflict",
    cause: new Error("groups were merged or unmerged while waiting for their locks"),
  })

// internal

interface Tree {
  readonly below: ReadonlyArray<GroupId>
  readonly above: ReadonlyArray<GroupId>
}

const depthRows = Rows.make({ id: int8<GroupId>(), depth: int4() })

const merge = {
  id: int8<MergeId>(),
  projectId: int8<ProjectId>(),
  sourceId: int8<GroupId>(),
  targetId: int8<GroupId>(),
  mergedAt: time,
  mergedBy: nullable(int8<UserId>()),
}

const mergeRows = Rows.make(merge)
const listedRows = Rows.make({ ...merge, errorType: text(), errorMessage: text(), culprit: text() })
const titleOfSource = {
  errorType: "source.error_type",
  errorMessage: "source.error_message",
  culprit: "source.culprit",
}

const toMerge = (row: object): GroupMerge => mergeRows.read(row)

const toListed = (row: object): ListedMerge => {
  const { culprit, errorMessage, errorType, ...merge } = listedRows.read(row)
  return { ...merge, sourceTitle: { errorType, errorMessage, culprit } }
}

const half = {
  freed: boolean,
  severity,
  firstOccurredAt: time,
  lastOccurredAt: time,
  reportsCount: int8(),
  groups: int8(),
}

const halfRows = Rows.make(half)

const toHalf = ({ freed: _, groups, ...figures }: Rows.RowOf<typeof half>): Half => ({
  ...figures,
  hasMembers: groups > 1,
})

const idsOf = (groups: ReadonlyArray<Group>) => groups.map((group) => group.id)
