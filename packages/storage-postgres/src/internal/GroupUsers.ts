/**
 * Estimates the distinct users of groups with sketches. A sketch keeps the hashes of up to a thousand users. Beyond
 * that, it keeps hashes below a bound that falls as users come. Hashes are evenly distributed, so the number of users
 * is the number of kept hashes divided by the share of the hash space below the bound. The standard error is 1 /
 * sqrt(1,000 - 1), 3.2 %. Most users of a large group are never written.
 *
 * A root with members has a second sketch for its whole tree, under its negated id. Merges and unmerges derive it from
 * the groups' sketches. A user has the same hash everywhere, so the tree counts each user once.
 *
 * Sketches are written under the lock of the root.
 */

import { type GroupId, maxExactUsers, type ProjectId } from "@errata/core"
import { BoundedCache } from "@errata/core/internal"
import { type GroupUser, hashSpace } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import * as Rows from "./Rows.js"
import { int4, int8, nullable } from "./SqlType.js"

export interface GroupUsers {
  /** Returns the new number of users of each root that gained some. */
  readonly add: (
    users: ReadonlyArray<GroupUser>,
  ) => Effect.Effect<ReadonlyMap<GroupId, number>, SqlError.SqlError>
  /** Recounts the users of roots from their current groups. */
  readonly recount: (
    projectId: ProjectId,
    rootIds: ReadonlyArray<GroupId>,
  ) => Effect.Effect<void, SqlError.SqlError>
  /** Removes the tree sketches of former roots without members. */
  readonly removeTrees: (
    projectId: ProjectId,
    ids: ReadonlyArray<GroupId>,
  ) => Effect.Effect<void, SqlError.SqlError>
}

export const make = (sql: SqlClient.SqlClient): GroupUsers => {
  /** Bounds of groups, not of trees. A committed bound only falls, so hashes above it need no statement. */
  const bounds = new BoundedCache<number, number>(20_000)

  const boundsOfCounts = sql`SELECT counts.project_id, counts.sketch, counts.added, b.kept, b.below
        FROM counts LEFT JOIN LATERAL (
          SELECT b.kept, b.below FROM errata.group_user_bounds AS b
          WHERE b.project_id = counts.project_id AND b.sketch = counts.sketch LIMIT 1
        ) AS b ON true`

  const insertHashes = (entries: ReadonlyArray<Entry>) => sql`
          INSERT INTO errata.group_users (project_id, sketch, hash)
          SELECT c.project_id, c.sketch, c.hash FROM ${given.rows(sql, entries)}${Buckets.here(sql)}
          WHERE c.hash < coalesce((
            SELECT b.below FROM errata.group_user_bounds AS b
            WHERE b.project_id = c.project_id AND b.sketch = c.sketch), ${hashSpace}::bigint)
          ORDER BY c.project_id, c.sketch, c.hash
          ON CONFLICT DO NOTHING RETURNING project_id, sketch`

  const insert = (entries: ReadonlyArray<Entry>) =>
    Effect.map(
      Buckets.of(sql).count
        ? insertInSteps(entries)
        : sql`/* prepared */
        WITH added AS (${insertHashes(entries)}
        ),
        counts AS MATERIALIZED (SELECT project_id, sketch, count(*) AS added FROM added GROUP BY project_id, sketch)
        ${boundsOfCounts}`,
      (rows) => rows.map(addedRows.read),
    )

  /** The same in several statements, for Citus. */
  const insertInSteps = (
    entries: ReadonlyArray<Entry>,
  ): Effect.Effect<ReadonlyArray<object>, SqlError.SqlError> =>
    Effect.gen(function* () {
      const added = (yield* insertHashes(entries)).map(sketchRows.read)
      if (added.length === 0) return []
      return yield* sql`
        WITH counts AS MATERIALIZED (
          SELECT c.project_id, c.sketch, count(*) AS added FROM ${sketches.rows(sql, added)} GROUP BY c.project_id, c.sketch
        )
        ${boundsOfCounts}`
    })

  /** Counts the kept hashes, up to the number that triggers a trim. */
  const countKept = (projectId: ProjectId, sketch: number) =>
    Effect.map(
      sql`
        SELECT count(*) AS count FROM (
          SELECT FROM errata.group_users WHERE project_id = ${projectId} AND sketch = ${sketch} LIMIT ${mostKept + 1}
        ) AS kept`,
      ([row]) => countRows.read(row!).count,
    )

  /** In key order, so that the plan does not depend on statistics. */
  const setBounds = (bounds: ReadonlyArray<Bound>) => sql`
    INSERT INTO errata.group_user_bounds (project_id, sketch, below, kept)
    SELECT project_id, sketch, below, kept FROM ${givenBounds.rows(sql, bounds)}${Buckets.here(sql)} ORDER BY project_id, sketch
    ON CONFLICT (project_id, sketch) DO UPDATE SET below = excluded.below, kept = excluded.kept`

  /** Lowers the bound of a grown sketch to keep a thousand hashes. Returns the number of users. */
  const trim = (projectId: ProjectId, sketch: number) =>
    Effect.gen(function* () {
      const where = sql`project_id = ${projectId} AND sketch = ${sketch}`
      const [row] = yield* sql`
        SELECT hash AS count FROM errata.group_users WHERE ${where} ORDER BY hash OFFSET ${maxExactUsers} LIMIT 1`
      const below = countRows.read(row!).count
      yield* sql`DELETE FROM errata.group_users WHERE ${where} AND hash >= ${below}`
      yield* setBounds([{ projectId, sketch, below, kept: maxExactUsers }])
      return numberOf(maxExactUsers, below)
    })

  const numberOrTrim = (projectId: ProjectId, sketch: number, kept: number, below: number | null) =>
    kept > mostKept ? trim(projectId, sketch) : Effect.succeed(numberOf(kept, below))

  const removeTrees = Effect.fnUntraced(function* (projectId: ProjectId, ids: ReadonlyArray<GroupId>) {
    const trees = ids.map(treeOf)
    for (const table of ["errata.group_users", "errata.group_user_bounds"])
      yield* sql`DELETE FROM ${sql(table)} WHERE project_id = ${projectId} AND sketch = ANY (${trees}::bigint[])`
  })

  const boundOf = (projectId: ProjectId, sketches: ReadonlyArray<number>) =>
    Effect.map(
      sql`
        SELECT min(below) AS below FROM errata.group_user_bounds
        WHERE project_id = ${projectId} AND sketch = ANY (${sketches}::bigint[])`,
      ([row]) => boundRows.read(row!).below,
    )

  /** Derives the sketch of a tree from those of its groups. */
  const makeTree = (projectId: ProjectId, rootId: GroupId, ids: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const below = yield* boundOf(projectId, ids)
      yield* sql`
        INSERT INTO errata.group_users (project_id, sketch, hash)
        SELECT DISTINCT ${projectId}::bigint, ${treeOf(rootId)}::bigint, own.hash
        FROM unnest(${ids}::bigint[]) AS member (id)
        CROSS JOIN LATERAL (
          SELECT u.hash FROM errata.group_users AS u
          WHERE u.project_id = ${projectId} AND u.sketch = member.id AND u.hash < ${below ?? hashSpace}
          ORDER BY u.hash LIMIT ${mostKept + 1}
        ) AS own
        ORDER BY own.hash LIMIT ${mostKept + 1}`
      const kept = yield* countKept(projectId, treeOf(rootId))
      if (below !== null && kept <= mostKept)
        yield* setBounds([{ projectId, sketch: treeOf(rootId), below, kept }])
      return yield* numberOrTrim(projectId, treeOf(rootId), kept, below)
    })

  const recountOne = (projectId: ProjectId, rootId: GroupId) =>
    Effect.gen(function* () {
      yield* removeTrees(projectId, [rootId])
      const members = (yield* sql`
        SELECT id FROM errata.groups WHERE project_id = ${projectId} AND merged_into_id = ${rootId}`).map(
        (row) => idRows.read(row).id,
      )
      const usersCount =
        members.length > 0
          ? yield* makeTree(projectId, rootId, [rootId, ...members])
          : yield* numberOrTrim(
              projectId,
              rootId,
              yield* countKept(projectId, rootId),
              yield* boundOf(projectId, [rootId]),
            )
      yield* sql`
        UPDATE errata.groups SET users_count = ${usersCount} WHERE project_id = ${projectId} AND id = ${rootId}`
    })

  return {
    removeTrees,

    recount: (projectId, rootIds) =>
      Effect.forEach(rootIds, (id) => recountOne(projectId, id), { discard: true }),

    add: Effect.fnUntraced(function* (users: ReadonlyArray<GroupUser>) {
      const entries: Array<Entry> = []
      /** Roots by the id of the sketch that holds their count. */
      const roots = new Map<number, GroupUser["group"]>()
      for (const { group, groupId, user } of users) {
        const { hasMembers, id, projectId } = group
        if (user >= (bounds.get(groupId) ?? hashSpace)) continue
        entries.push({ projectId, sketch: groupId, hash: user })
        if (hasMembers) entries.push({ projectId, sketch: treeOf(id), hash: user })
        roots.set(hasMembers ? treeOf(id) : id, group)
      }
      const counts = new Map<GroupId, number>()
      if (entries.length === 0) return counts
      const grown: Array<Bound> = []
      for (const { added, below, kept: before, projectId, sketch } of yield* insert(entries)) {
        const root = roots.get(sketch)
        if (below !== null && sketch > 0) bounds.set(sketch, below)
        // Without a bound, a root's number of users is the number of hashes.
        const kept =
          before !== null
            ? before + added
            : root === undefined
              ? yield* countKept(projectId, sketch)
              : root.usersCount + added
        if (below !== null && kept <= mostKept) grown.push({ projectId, sketch, below, kept })
        const usersCount = kept > mostKept ? yield* trim(projectId, sketch) : numberOf(kept, below)
        if (root !== undefined) counts.set(root.id, usersCount)
      }
      if (grown.length > 0) yield* setBounds(grown)
      return counts
    }),
  }
}

// internal

interface Entry {
  readonly projectId: ProjectId
  readonly sketch: number
  readonly hash: number
}

interface Bound {
  readonly projectId: ProjectId
  readonly sketch: number
  readonly below: number
  readonly kept: number
}

const givenBounds = Batch.ofFields<Bound>({ projectId: int8(), sketch: int8(), below: int8(), kept: int4() })

const sketchRows = Rows.make({ projectId: int8<ProjectId>(), sketch: int8() })

const sketches = Batch.ofFields<Pick<Entry, "projectId" | "sketch">>({ projectId: int8(), sketch: int8() })

const given = Batch.ofFields<Entry>({ projectId: int8(), sketch: int8(), hash: int8() })

/** Id of the sketch of a root's tree. */
const treeOf = (rootId: GroupId): number => -rootId

/** Trim threshold: trimming then happens once per few hundred users. */
const mostKept = 1_250

/** Estimates the number of users from the kept hashes and the bound, if any. */
const numberOf = (kept: number, below: number | null): number =>
  below === null ? kept : Math.round((kept * hashSpace) / below)

const addedRows = Rows.make({
  projectId: int8<ProjectId>(),
  sketch: int8(),
  added: int8(),
  kept: nullable(int8()),
  below: nullable(int8()),
})
const countRows = Rows.make({ count: int8() })
const boundRows = Rows.make({ below: nullable(int8()) })
const idRows = Rows.make({ id: int8() })
