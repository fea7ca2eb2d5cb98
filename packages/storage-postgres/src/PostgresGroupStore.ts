import { SqlClient, type SqlError } from "@effect/sql"
import {
  type Group,
  type GroupId,
  GroupLifecycle,
  type GroupPlace,
  GroupStore,
  type LockedGroup,
  type ProjectId,
  Severity,
  TextIndex,
} from "@errata/core"
import { Array, type DateTime, Effect, Layer } from "effect"
import * as GroupList from "./internal/GroupList.js"
import * as GroupMerges from "./internal/GroupMerges.js"
import { type GroupRow, groupColumns, groupColumnsWithoutEvidence, toGroup } from "./internal/GroupRow.js"
import {
  type CandidateRow,
  candidateArrays,
  mutableArrays,
  type ProjectMuteRow,
  projectMuteOf,
} from "./internal/GroupWrites.js"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as TagCounts from "./internal/TagCounts.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(groupColumns)
  const list = GroupList.make(sql)
  const tagCounts = TagCounts.make(sql)

  /**
   * The roots that stand for groups of known keys and for others, locked in the order of their ids so that no two
   * transactions wait for each other. The others have no position.
   */
  const lockKnown = (
    candidates: ReadonlyArray<GroupLifecycle.NewGroup>,
    others: ReadonlyArray<GroupPlace>,
  ): Effect.Effect<ReadonlyArray<KnownRow>, SqlError.SqlError> => {
    const { projectIds, algorithms, keys } = candidateArrays(candidates)
    const known = sql`
      SELECT c.project_id, k.group_id, c.position
      FROM unnest(${projectIds}::bigint[], ${algorithms}::text[], ${keys}::text[])
        WITH ORDINALITY AS c (project_id, algorithm, key, position)
      CROSS JOIN LATERAL (
        SELECT k.group_id FROM errata.grouping_keys AS k
        WHERE k.project_id = c.project_id AND k.algorithm = c.algorithm AND k.key = c.key LIMIT 1
      ) AS k`
    const wanted =
      others.length === 0
        ? known
        : sql`
          ${known}
          UNION ALL
          SELECT project_id, group_id, NULL FROM unnest(
            ${PgLiteral.numbers(others.map(({ projectId }) => projectId))}::bigint[],
            ${PgLiteral.numbers(others.map(({ groupId }) => groupId))}::bigint[]
          ) AS other (project_id, group_id)`
    // Each is looked up by its key, whatever the planner knows of the tables: in joins it once read all groups of a
    // project for each candidate. Nothing comes between the order of the roots and that of their locks.
    return sql`/* prepared */
      WITH wanted AS MATERIALIZED (
        SELECT w.position, w.project_id, own.id AS own_id, own.root_id
        FROM (${wanted}) AS w
        CROSS JOIN LATERAL (
          SELECT g.id, coalesce(g.merged_into_id, g.id) AS root_id FROM errata.groups AS g
          WHERE g.project_id = w.project_id AND g.id = w.group_id LIMIT 1
        ) AS own
        ORDER BY w.project_id, own.root_id
      )
      SELECT w.position, w.own_id, root.*
      FROM wanted AS w
      CROSS JOIN LATERAL (
        SELECT ${sql.literal(groupColumnsWithoutEvidence)} FROM errata.groups AS g
        WHERE g.project_id = w.project_id AND g.id = w.root_id FOR NO KEY UPDATE
      ) AS root`
  }

  /**
   * Whether the rows that are locked are roots, and those of the groups they are meant for. What a group was merged into
   * is read before its root is waited for, and only the root itself is read again then.
   */
  const areRoots = (known: ReadonlyArray<KnownRow>): Effect.Effect<boolean, SqlError.SqlError> => {
    if (known.some((row) => row.merged_into_id !== null)) return Effect.succeed(false)
    const merged = known.filter((row) => row.own_id !== row.id)
    if (merged.length === 0) return Effect.succeed(true)
    return Effect.map(
      sql`
        SELECT 1 FROM unnest(
          ${PgLiteral.numbers(merged.map((row) => row.project_id))}::bigint[],
          ${PgLiteral.numbers(merged.map((row) => row.own_id))}::bigint[],
          ${PgLiteral.numbers(merged.map((row) => row.id))}::bigint[]
        ) AS c (project_id, id, root_id)
        JOIN errata.groups AS own ON own.project_id = c.project_id AND own.id = c.id
        WHERE own.merged_into_id IS DISTINCT FROM c.root_id LIMIT 1`,
      (moved) => moved.length === 0,
    )
  }

  /** Claims keys that nobody has; what another transaction has claimed meanwhile is left out. */
  const createMissing = (candidates: ReadonlyArray<GroupLifecycle.NewGroup>, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const { projectIds, algorithms, keys } = candidateArrays(candidates)
      // In the order of the keys, for the same reason as above.
      const claimed = yield* sql<{ readonly position: number; readonly id: Group["id"] }>`
        WITH claimed AS (
          INSERT INTO errata.grouping_keys (project_id, algorithm, key, group_id)
          SELECT project_id, algorithm, key, nextval(pg_get_serial_sequence('errata.groups', 'id'))
          FROM unnest(${projectIds}::bigint[], ${algorithms}::text[], ${keys}::text[]) AS c (project_id, algorithm, key)
          ORDER BY project_id, algorithm, key
          ON CONFLICT DO NOTHING
          RETURNING project_id, algorithm, key, group_id
        )
        SELECT c.position, claimed.group_id AS id
        FROM claimed
        JOIN unnest(${projectIds}::bigint[], ${algorithms}::text[], ${keys}::text[])
          WITH ORDINALITY AS c (project_id, algorithm, key, position)
          ON claimed.project_id = c.project_id AND claimed.algorithm = c.algorithm AND claimed.key = c.key
        ORDER BY id`
      if (claimed.length === 0) return []
      // Shared locks: muting a project waits for the groups being created, or is seen by them.
      const mutes = yield* sql<ProjectMuteRow>`
        SELECT id, muted_at, muter_id, muted_until FROM errata.projects
        WHERE id = ANY (${projectIds}::bigint[]) ORDER BY id FOR SHARE`
      const muteOf = new Map(mutes.map((row) => [row.id, projectMuteOf(row)]))
      const created = claimed.map(({ position, id }) => {
        const candidate = candidates[position - 1]!
        const projectMute = muteOf.get(candidate.projectId) ?? null
        return { position, group: GroupLifecycle.create(id, candidate, projectMute, now) }
      })
      yield* insert(created.map(({ group }) => group))
      return created
    })

  const insert = (groups: ReadonlyArray<Group>) =>
    sql`
      WITH evidence AS (
        INSERT INTO errata.group_evidence (project_id, group_id, data)
        SELECT project_id, group_id, data FROM unnest(
          ${PgLiteral.numbers(groups.map((group) => group.projectId))}::bigint[],
          ${PgLiteral.numbers(groups.map((group) => group.id))}::bigint[],
          ${PgLiteral.texts(groups.map((group) => JSON.stringify(group.grouping.data)))}::json[]
        ) AS c (project_id, group_id, data)
      )
      INSERT INTO errata.groups (
        id, project_id, grouping_algorithm, grouping_key, error_type, error_message, culprit, search, severity, first_occurred_at, last_occurred_at, reports_count, project_muted_at, project_muter_id,
        project_muted_until, created_at, updated_at)
      OVERRIDING SYSTEM VALUE
      SELECT id, project_id, algorithm, key, error_type, error_message, culprit, search, severity,
        to_timestamp(first_occurred_at / 1000), to_timestamp(last_occurred_at / 1000), 0,
        to_timestamp(project_muted_at / 1000), project_muter_id, to_timestamp(project_muted_until / 1000),
        to_timestamp(created_at / 1000), to_timestamp(created_at / 1000)
      FROM unnest(
        ${PgLiteral.numbers(groups.map((group) => group.id))}::bigint[],
        ${PgLiteral.numbers(groups.map((group) => group.projectId))}::bigint[],
        ${PgLiteral.texts(groups.map((group) => group.grouping.algorithm))}::text[],
        ${PgLiteral.texts(groups.map((group) => group.grouping.key))}::text[],
        ${PgLiteral.texts(groups.map((group) => group.errorType))}::text[],
        ${PgLiteral.texts(groups.map((group) => group.errorMessage))}::text[],
        ${PgLiteral.texts(groups.map((group) => group.culprit))}::text[],
        ${PgLiteral.texts(
          groups.map((group) =>
            TextIndex.toTsVector(TextIndex.documentOf(group.errorType, group.errorMessage, group.culprit)),
          ),
        )}::tsvector[],
        ${PgLiteral.numbers(groups.map((group) => Severity.rank(group.severity)))}::smallint[],
        ${PgLiteral.numbers(groups.map((group) => group.firstOccurredAt.epochMillis))}::float8[],
        ${PgLiteral.numbers(groups.map((group) => group.lastOccurredAt.epochMillis))}::float8[],
        ${PgLiteral.numbers(groups.map((group) => group.projectMute?.at.epochMillis ?? null))}::float8[],
        ${PgLiteral.numbers(groups.map((group) => group.projectMute?.by ?? null))}::bigint[],
        ${PgLiteral.numbers(groups.map((group) => group.projectMute?.until?.epochMillis ?? null))}::float8[],
        ${PgLiteral.numbers(groups.map((group) => group.createdAt.epochMillis))}::float8[]
      ) AS c (id, project_id, algorithm, key, error_type, error_message, culprit, search, severity,
        first_occurred_at, last_occurred_at, project_muted_at, project_muter_id, project_muted_until, created_at)`

  const save = (groups: ReadonlyArray<Group>) => {
    const arrays = mutableArrays(groups)
    return sql`/* prepared */
      UPDATE errata.groups AS g SET
        severity = c.severity,
        first_occurred_at = to_timestamp(c.first_occurred_at / 1000),
        last_occurred_at = to_timestamp(c.last_occurred_at / 1000),
        reports_count = c.reports_count,
        resolved_at = to_timestamp(c.resolved_at / 1000),
        resolver_id = c.resolver_id,
        muted_at = to_timestamp(c.muted_at / 1000),
        muter_id = c.muter_id,
        muted_until = to_timestamp(c.muted_until / 1000),
        muted_until_reports_count = c.muted_until_reports_count,
        project_muted_at = to_timestamp(c.project_muted_at / 1000),
        project_muter_id = c.project_muter_id,
        project_muted_until = to_timestamp(c.project_muted_until / 1000),
        assignee_id = c.assignee_id,
        merged_into_id = c.merged_into_id,
        has_members = c.has_members,
        updated_at = to_timestamp(c.updated_at / 1000)
      FROM unnest(
        ${arrays.projectIds}::bigint[], ${arrays.ids}::bigint[], ${arrays.severities}::smallint[],
        ${arrays.firstOccurredAt}::float8[], ${arrays.lastOccurredAt}::float8[], ${arrays.reportsCounts}::bigint[],
        ${arrays.resolvedAt}::float8[], ${arrays.resolverIds}::bigint[], ${arrays.mutedAt}::float8[],
        ${arrays.muterIds}::bigint[], ${arrays.mutedUntil}::float8[], ${arrays.mutedUntilReportsCounts}::bigint[],
        ${arrays.projectMutedAt}::float8[], ${arrays.projectMuterIds}::bigint[], ${arrays.projectMutedUntil}::float8[],
        ${arrays.assigneeIds}::bigint[], ${arrays.mergedIntoIds}::bigint[], ${arrays.hasMembers}::boolean[],
        ${arrays.updatedAt}::float8[]
      ) AS c (project_id, id, severity, first_occurred_at, last_occurred_at, reports_count, resolved_at, resolver_id,
        muted_at, muter_id, muted_until, muted_until_reports_count, project_muted_at, project_muter_id,
        project_muted_until, assignee_id, merged_into_id, has_members, updated_at)
      WHERE g.project_id = c.project_id AND g.id = c.id
        AND g.project_id = ANY (${PgLiteral.distinct(groups.map((group) => group.projectId))}::bigint[])`
  }

  const lockWhere = (projectId: ProjectId, ids: ReadonlyArray<number>) =>
    Effect.map(
      sql<GroupRow>`
        SELECT ${columns} FROM errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id = ANY (${PgLiteral.numbers(ids)}::bigint[])
        ORDER BY g.id FOR NO KEY UPDATE`,
      (rows) => rows.map(toGroup),
    )

  return GroupStore.of({
    ...GroupMerges.make(sql, save),

    find: (projectId, id) =>
      sql<GroupRow>`SELECT ${columns} FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.id = ${id}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toGroup))),
        named("GroupStore.find"),
      ),

    lock: (projectId, ids) => named("GroupStore.lock")(lockWhere(projectId, ids)),

    list: (projectId, filter, page, now) => named("GroupStore.list")(list(projectId, filter, page, now)),

    lockOrCreate: (candidates, now, others = []) =>
      Effect.gen(function* () {
        const found: Array<LockedGroup | undefined> = candidates.map(() => undefined)
        let missing = candidates.map((_, i) => i)
        // A key can be claimed by another transaction: the next round takes what that left committed.
        let asked = others
        for (let round = 0; missing.length + asked.length > 0 && round < maxRounds; round++) {
          const wanted = missing.map((i) => candidates[i]!)
          const known = yield* lockKnown(wanted, asked)
          if (!(yield* areRoots(known))) return yield* GroupMerges.treeChanged("GroupStore.lockOrCreate")
          for (const row of known) {
            if (row.position === null) continue
            const i = missing[row.position - 1]!
            const group = toGroup({ ...row, grouping_data: candidates[i]!.grouping.data })
            found[i] = { group, groupId: row.own_id, created: false }
          }
          const absent = missing.filter((i) => found[i] === undefined)
          if (absent.length > 0) {
            const created = yield* createMissing(
              absent.map((i) => candidates[i]!),
              now,
            )
            for (const { position, group } of created) {
              found[absent[position - 1]!] = { group, groupId: group.id, created: true }
            }
          }
          missing = absent.filter((i) => found[i] === undefined)
          asked = []
        }
        if (missing.length > 0)
          return yield* Effect.dieMessage("groups changed hands too often while being locked")
        return found as ReadonlyArray<LockedGroup>
      }).pipe(named("GroupStore.lockOrCreate")),

    save: (groups) => save(groups).pipe(Effect.asVoid, named("GroupStore.save")),

    discard: (groups) =>
      sql`
        WITH gone AS (
          DELETE FROM errata.groups AS g
          USING unnest(
            ${PgLiteral.numbers(groups.map((group) => group.projectId))}::bigint[],
            ${PgLiteral.numbers(groups.map((group) => group.id))}::bigint[]
          ) AS c (project_id, id)
          WHERE g.project_id = c.project_id AND g.id = c.id
          RETURNING g.project_id, g.id
        ),
        evidence AS (
          DELETE FROM errata.group_evidence AS e USING gone
          WHERE e.project_id = gone.project_id AND e.group_id = gone.id
        )
        DELETE FROM errata.grouping_keys AS k
        USING unnest(
          ${PgLiteral.numbers(groups.map((group) => group.projectId))}::bigint[],
          ${PgLiteral.texts(groups.map((group) => group.grouping.algorithm))}::text[],
          ${PgLiteral.texts(groups.map((group) => group.grouping.key))}::text[],
          ${PgLiteral.numbers(groups.map((group) => group.id))}::bigint[]
        ) AS c (project_id, algorithm, key, group_id)
        WHERE k.project_id = c.project_id AND k.algorithm = c.algorithm AND k.key = c.key
          AND k.group_id = c.group_id`.pipe(Effect.asVoid, named("GroupStore.discard")),

    addTagCounts: (counts) => named("GroupStore.addTagCounts")(tagCounts.add(counts)),

    lockNext: (projectId, after, limit) =>
      sql<GroupRow>`
        SELECT ${columns} FROM errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id > ${after} AND g.merged_into_id IS NULL
        ORDER BY g.id LIMIT ${limit} FOR NO KEY UPDATE`.pipe(
        Effect.map((rows) => rows.map(toGroup)),
        named("GroupStore.lockNext"),
      ),

    lockExpiredMutes: (now, limit) =>
      sql<GroupRow>`
        SELECT ${columns} FROM errata.groups AS g
        WHERE (g.muted_until IS NOT NULL OR g.project_muted_until IS NOT NULL)
          AND least(g.muted_until, g.project_muted_until) <= ${toDate(now)} AND g.merged_into_id IS NULL
        ORDER BY least(g.muted_until, g.project_muted_until) LIMIT ${limit}
        FOR NO KEY UPDATE SKIP LOCKED`.pipe(
        Effect.map((rows) => rows.map(toGroup)),
        named("GroupStore.lockExpiredMutes"),
      ),
  })
})

export const layer = Layer.effect(GroupStore, make)

// internal

const maxRounds = 4

/** A root, and the group that it was locked for. */
interface KnownRow extends GroupRow, CandidateRow {
  readonly own_id: GroupId
}
