import type { Group, GroupId, ProjectId } from "@errata/core"
import { GroupLifecycle, type GroupPlace, GroupStore, type LockedGroup, maxTagKeys } from "@errata/core/ports"
import { type DateTime, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Buckets from "./internal/Buckets.js"
import { byIndex } from "./internal/ByIndex.js"
import { Dictionaries } from "./internal/Dictionaries.js"
import * as DiscardedGroups from "./internal/DiscardedGroups.js"
import * as FewGroups from "./internal/FewGroups.js"
import * as GroupList from "./internal/GroupList.js"
import * as GroupMerges from "./internal/GroupMerges.js"
import * as GroupRow from "./internal/GroupRow.js"
import * as GroupUsers from "./internal/GroupUsers.js"
import * as GroupWrites from "./internal/GroupWrites.js"
import * as LiveProjects from "./internal/LiveProjects.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as ProjectRow from "./internal/ProjectRow.js"
import * as Rows from "./internal/Rows.js"
import * as SortedGroupList from "./internal/SortedGroupList.js"
import { int8, nullable, text } from "./internal/SqlType.js"
import * as TagCounts from "./internal/TagCounts.js"
import * as TagReads from "./internal/TagReads.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(GroupRow.groupColumns)
  const listedColumns = sql.literal(GroupRow.listedColumns)
  const newest = GroupList.make(sql, GroupRow.listedColumns, GroupRow.toListed)
  const sorted = SortedGroupList.make(sql)
  const few = FewGroups.make(sql)
  const tagCounts = TagCounts.make(sql)
  const users = GroupUsers.make(sql)

  /**
   * Locks the root groups of known keys and of `others` (whose position is null). Locks are taken in the order of ids,
   * to prevent deadlocks. If fewer than `atLeast` keys are known, it locks nothing and returns no rows.
   */
  const lockKnown = (
    candidates: ReadonlyArray<GroupLifecycle.NewGroup>,
    others: ReadonlyArray<GroupPlace>,
    atLeast: number,
  ): Effect.Effect<ReadonlyArray<KnownGroup>, SqlError.SqlError> => {
    const known = sql`
      SELECT c.project_id, k.group_id, c.position
      FROM ${GroupWrites.keysByPosition.rows(sql, candidates)}
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
          SELECT project_id, group_id, NULL FROM ${GroupWrites.places.rows(sql, others)}`
    return Effect.map(
      // LATERAL subqueries with LIMIT 1 force an index lookup per key. With plain joins, the planner once read all
      // groups of a project for each candidate. The order of the roots is also the order of their locks.
      sql`/* prepared */
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
          SELECT ${listedColumns} FROM errata.groups AS g
          WHERE g.project_id = w.project_id AND g.id = w.root_id FOR NO KEY UPDATE
        ) AS root
        WHERE (SELECT count(position) FROM wanted) >= ${atLeast}`,
      (rows) => readKnown(rows, candidates),
    )
  }

  /**
   * Returns whether the locked rows are roots and still the roots of the wanted groups. The merge targets were read
   * before the lock was granted; after the wait, PostgreSQL rereads only the locked row.
   */
  const areRoots = (known: ReadonlyArray<KnownGroup>): Effect.Effect<boolean, SqlError.SqlError> => {
    const merged: Array<GroupPlace & { readonly rootId: GroupId }> = []
    for (const { group, groupId } of known) {
      const { id: rootId, mergedIntoId, projectId } = group
      if (mergedIntoId !== null) return Effect.succeed(false)
      if (groupId !== rootId) merged.push({ projectId, groupId, rootId })
    }
    if (merged.length === 0) return Effect.succeed(true)
    return Effect.map(
      sql`
        SELECT 1 FROM ${GroupWrites.merged.rows(sql, merged)}
        JOIN errata.groups AS own ON own.project_id = c.project_id AND own.id = c.group_id
        WHERE own.merged_into_id IS DISTINCT FROM c.root_id LIMIT 1`,
      (moved) => moved.length === 0,
    )
  }

  /** Locks the groups of candidates that `found` does not have yet, and adds them to it. */
  const takeKnown = Effect.fnUntraced(function* (
    candidates: ReadonlyArray<GroupLifecycle.NewGroup>,
    found: Array<LockedGroup | undefined>,
    others: ReadonlyArray<GroupPlace>,
    atLeast: number,
  ) {
    const places: Array<number> = []
    const sought: Array<GroupLifecycle.NewGroup> = []
    for (let place = 0; place < candidates.length; place++) {
      if (found[place] !== undefined) continue
      places.push(place)
      sought.push(candidates[place]!)
    }
    const known = yield* lockKnown(sought, others, atLeast)
    if (!(yield* areRoots(known))) return yield* changedMeanwhile
    for (const { group, groupId, position } of known) {
      if (position !== null) found[places[position - 1]!] = { group, groupId, created: false }
    }
  })

  /** Claims unknown keys in their order, to prevent deadlocks. Returns the claimed ones in the order of the candidates. */
  const claim = (candidates: ReadonlyArray<GroupLifecycle.NewGroup>) =>
    Effect.gen(function* () {
      const { ids } = yield* Buckets.nextIds(sql, "groups", candidates.length)
      const rows = yield* sql`
        INSERT INTO errata.grouping_keys (project_id, algorithm, key, group_id)
        SELECT c.project_id, c.algorithm, c.key, ${Buckets.idAt(sql, ids)}
        FROM ${GroupWrites.keysByPosition.rows(sql, candidates)}${Buckets.here(sql)}
        ORDER BY c.project_id, c.algorithm, c.key
        ON CONFLICT DO NOTHING
        RETURNING group_id AS id`
      const claimed = new Set(rows.map((row) => claimedIds.read(row).id))
      return ids.flatMap((id, i) =>
        claimed.has(id as GroupId) ? [{ position: i + 1, id: id as GroupId }] : [],
      )
    })

  /** Claims unknown keys and creates their groups. Omits keys that another transaction claimed in the meantime. */
  const createMissing = (candidates: ReadonlyArray<GroupLifecycle.NewGroup>, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const claimed = yield* claim(candidates)
      if (claimed.length === 0) return []
      // Share lock: a mute of the project either waits for the new groups or is seen by them.
      const projectIds = candidates.map(({ projectId }) => projectId)
      yield* Buckets.keep(sql, "projects", projectIds)
      const mutes = yield* sql`
        SELECT ${sql.literal(ProjectRow.muteRows.select())} FROM errata.projects${Buckets.here(sql)}
        WHERE id = ANY (${[...new Set(projectIds)]}::bigint[])
        ORDER BY id${Buckets.unlessKept(sql, sql` FOR SHARE`)}`
      const muteOf = new Map(
        mutes.map((row) => {
          const mute = ProjectRow.muteRows.read(row)
          return [mute.id, ProjectRow.muteOf(mute)]
        }),
      )
      const created = claimed.map(({ position, id }) => {
        const candidate = candidates[position - 1]!
        const projectMute = muteOf.get(candidate.projectId) ?? null
        const group = GroupLifecycle.create(id, candidate, projectMute, now)
        return { position, group, release: candidate.release }
      })
      yield* insert(created)
      return created
    })

  const insert = (created: ReadonlyArray<GroupRow.Evidence>) =>
    Effect.gen(function* () {
      yield* sql`
        INSERT INTO errata.group_evidence (${sql.literal(GroupRow.evidence.columns)})
        SELECT ${sql.literal(GroupRow.evidence.values)} FROM ${GroupRow.evidence.rows(sql, created)}${Buckets.here(sql)}`
      const groups = created.map(({ group }) => group)
      yield* sql`
        INSERT INTO errata.groups (${sql.literal(GroupRow.inserted.columns)}) OVERRIDING SYSTEM VALUE
        SELECT ${sql.literal(GroupRow.inserted.values)} FROM ${GroupRow.inserted.rows(sql, groups)}${Buckets.here(sql)}`
    })

  const changes = sql.literal(GroupRow.saved.changes)
  const save = (groups: ReadonlyArray<Group>) =>
    sql`/* prepared */
      UPDATE errata.groups AS g SET ${changes}
      FROM ${GroupRow.saved.rows(sql, groups)}
      WHERE g.project_id = c.project_id AND g.id = c.id
        AND g.project_id = ANY (${[...new Set(groups.map(projectIdOf))]}::bigint[])`

  const lockWhere = (projectId: ProjectId, ids: ReadonlyArray<number>) =>
    Effect.map(
      sql`
        SELECT ${columns} FROM errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id = ANY (${ids}::bigint[])
        ORDER BY g.id FOR NO KEY UPDATE`,
      (rows) => rows.map(GroupRow.toGroup),
    )

  return GroupStore.of({
    ...GroupMerges.make(sql, users, save),
    ...DiscardedGroups.make(sql, yield* Dictionaries),
    ...TagReads.make(sql),

    locate: (ids, projectIds) =>
      sql`
        SELECT g.project_id, g.id AS group_id
        FROM ${LiveProjects.among(sql, projectIds)}
        CROSS JOIN LATERAL (
          SELECT g.project_id, g.id FROM errata.groups AS g
          WHERE g.project_id = p.id AND g.id = ANY (${[...new Set(ids)]}::bigint[]) LIMIT ${ids.length}
        ) AS g
        ORDER BY g.id`.pipe(
        Effect.map((rows) => rows.map(placeRows.read)),
        named("GroupStore.locate"),
      ),

    find: (projectId, id) =>
      sql`/* prepared */
        SELECT ${columns} FROM errata.groups AS g WHERE g.project_id = ${projectId} AND g.id = ${id}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), GroupRow.toGroup)),
        named("GroupStore.find"),
      ),

    lock: (projectId, ids) => named("GroupStore.lock")(lockWhere(projectId, ids)),

    list: (projectId, filter, { sort = "newest", ...page }, now) =>
      named("GroupStore.list")(
        sort === "newest" ? newest(projectId, filter, page, now) : sorted(projectId, filter, page, now, sort),
      ),

    count: (projectId, filter, limit, now) =>
      named("GroupStore.count")(few.count(projectId, filter, limit, now)),

    lockOrCreate: Effect.fnUntraced(function* (
      candidates: ReadonlyArray<GroupLifecycle.NewGroup>,
      now: DateTime.Utc,
      others: ReadonlyArray<GroupPlace> = [],
    ) {
      const found = new Array<LockedGroup | undefined>(candidates.length).fill(undefined)
      yield* takeKnown(candidates, found, others, candidates.length)
      if (found.includes(undefined)) {
        // Claim keys before locking groups. A transaction that waits for a claimed key must not hold locks that the
        // claiming transaction needs next.
        for (const { position, group } of yield* createMissing(candidates, now)) {
          found[position - 1] = { group, groupId: group.id, created: true }
        }
        yield* takeKnown(candidates, found, others, 0)
        if (found.includes(undefined)) return yield* changedMeanwhile
      }
      return found as ReadonlyArray<LockedGroup>
    }, named("GroupStore.lockOrCreate")),

    addKey: ({ groupId, projectId }, { algorithm, key }) =>
      Effect.gen(function* () {
        // The lock waits for a concurrent removal of the group: a key must not point to a missing group.
        yield* sql`
          INSERT INTO errata.grouping_keys (project_id, algorithm, key, group_id, is_alias)
          SELECT g.project_id, ${algorithm}, ${key}, g.id, true FROM errata.groups AS g
          WHERE g.project_id = ${projectId} AND g.id = ${groupId} FOR KEY SHARE
          ON CONFLICT DO NOTHING`
        const [row] = yield* sql`
          SELECT group_id FROM errata.grouping_keys
          WHERE project_id = ${projectId} AND algorithm = ${algorithm} AND key = ${key}`
        const holder = row === undefined ? groupId : holderRows.read(row).groupId
        if (holder === groupId) return { groupId, isNewTwin: false }
        const twins = yield* sql`
          INSERT INTO errata.group_twins (project_id, group_id, twin_id)
          VALUES (${projectId}, ${groupId}, ${holder}) ON CONFLICT DO NOTHING RETURNING 1`
        return { groupId: holder, isNewTwin: twins.length > 0 }
      }).pipe(named("GroupStore.addKey")),

    save: (groups) => save(groups).pipe(Effect.asVoid, named("GroupStore.save")),

    discard: (groups) =>
      sql`
        WITH gone AS (
          DELETE FROM errata.groups AS g
          USING ${GroupWrites.places.rows(
            sql,
            groups.map((group) => ({ projectId: group.projectId, groupId: group.id })),
          )}
          WHERE g.project_id = c.project_id AND g.id = c.group_id
          RETURNING g.project_id, g.id
        ),
        evidence AS (
          DELETE FROM errata.group_evidence AS e USING gone
          WHERE e.project_id = gone.project_id AND e.group_id = gone.id
        )
        DELETE FROM errata.grouping_keys AS k
        USING ${GroupRow.keys.rows(sql, groups)}
        WHERE k.project_id = c.project_id AND k.algorithm = c.algorithm AND k.key = c.key
          AND k.group_id = c.group_id`.pipe(Effect.asVoid, named("GroupStore.discard")),

    tagKeys: (projectId, keys) =>
      Effect.map(
        sql`
          SELECT key FROM errata.tag_keys
          WHERE project_id = ${projectId} AND folded = ANY (
            SELECT lower(asked COLLATE "C") FROM unnest(${keys}::text[]) AS asked)
          ORDER BY key LIMIT ${maxTagKeys}`,
        (rows) => rows.map((row) => tagKeyRows.read(row).key),
      ).pipe(named("GroupStore.tagKeys")),

    addUsers: (added) => named("GroupStore.addUsers")(users.add(added)),

    addTagCounts: (counts, activity = []) =>
      named("GroupStore.addTagCounts")(tagCounts.add(counts, activity)),

    lockNext: (projectId, after, limit) =>
      sql`
        SELECT ${columns} FROM errata.groups AS g
        WHERE g.project_id = ${projectId} AND g.id > ${after} AND g.merged_into_id IS NULL
        ORDER BY g.id LIMIT ${limit} FOR NO KEY UPDATE`.pipe(
        Effect.map((rows) => rows.map(GroupRow.toGroup)),
        named("GroupStore.lockNext"),
      ),

    lockExpiredMutes: (now, limit) =>
      sql`
        SELECT ${columns} FROM errata.groups AS g
        WHERE (g.muted_until IS NOT NULL OR g.project_muted_until IS NOT NULL)
          AND least(g.muted_until, g.project_muted_until) <= ${toDate(now)} AND g.merged_into_id IS NULL
        ORDER BY least(g.muted_until, g.project_muted_until) LIMIT ${limit}
        FOR NO KEY UPDATE SKIP LOCKED`.pipe(
        Effect.map((rows) => rows.map(GroupRow.toGroup)),
        byIndex(sql),
        named("GroupStore.lockExpiredMutes"),
      ),
  })
})

export const layer = Layer.effect(GroupStore, make)

// internal

/** The caller retries from the start, without these locks, which rules out a deadlock. */
const changedMeanwhile = Effect.suspend(() => GroupMerges.treeChanged("GroupStore.lockOrCreate"))

/** A root and the group that it was locked for. `position` counts from 1; null if the group is no candidate's. */
interface KnownGroup {
  readonly position: number | null
  readonly groupId: GroupId
  readonly group: Group
}

const readKnown = (
  rows: ReadonlyArray<object>,
  candidates: ReadonlyArray<GroupLifecycle.NewGroup>,
): ReadonlyArray<KnownGroup> => {
  const known: Array<KnownGroup> = []
  for (const row of rows) {
    const { ownId, position } = knownRows.read(row)
    const candidate = position === null ? undefined : candidates[position - 1]
    const group =
      candidate === undefined ? GroupRow.toGroup(row) : GroupRow.toGroupWith(row, candidate.grouping.data)
    known.push({ position, groupId: ownId, group })
  }
  return known
}

const knownRows = Rows.make({ position: nullable(int8()), ownId: int8<GroupId>() })

const tagKeyRows = Rows.make({ key: text() })

const holderRows = Rows.make({ groupId: int8<GroupId>() })

const projectIdOf = (group: Group): ProjectId => group.projectId

const placeRows = Rows.make({ projectId: int8<ProjectId>(), groupId: int8<GroupId>() })

const claimedIds = Rows.make({ id: int8<GroupId>() })
