/**
 * Counts tag values of groups, and reports by time. Each report counts several tags, most of which its group already
 * has. Updating a row for each would dominate the cost of recording. Rows are therefore written only for tags that may
 * be new, because lists filter by them. Other counts, and those by time, are stored in one row per batch and added up
 * after several batches.
 */

import type { GroupId, ProjectId } from "@errata/core"
import { BoundedCache } from "@errata/core/internal"
import type { ActivityCount, TagCount } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as ActivityCounts from "./ActivityCounts.js"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import { getOrMake } from "./GetOrMake.js"
import * as Rows from "./Rows.js"
import { boolean, int8, text } from "./SqlType.js"

export interface TagCounts {
  readonly add: (
    counts: ReadonlyArray<TagCount>,
    activity: ReadonlyArray<ActivityCount>,
  ) => Effect.Effect<void, SqlError>
  /**
   * Adds up all pending counts in the caller's transaction. Blocks other nodes from doing so until it ends. Do not call
   * it after writing tag rows in the same transaction: that could deadlock.
   */
  readonly foldAll: Effect.Effect<void, SqlError>
}

export const make = (sql: SqlClient.SqlClient): TagCounts => {
  /** By bucket: each counts its removals. */
  const caches = new Map<Buckets.Place, Cache>()
  // Batches since the last fold, by bucket. Starts with a fold, which includes what an earlier process left.
  const batches = new Map<Buckets.Place, number>()

  /** Counts as rows, with the hashes of the tags. One row per hash: an upsert cannot write a row twice. */
  const rowsOf = (counts: ReadonlyArray<TagCount>) => sql`
    SELECT project_id, group_id, tag, (min(named))[1] AS key, (min(named))[2] AS value, sum(count)::bigint AS count
    FROM (
      SELECT project_id, group_id, errata.tag_hash(key, value) AS tag, ARRAY[key, value] AS named, count
      FROM ${given.rows(sql, counts)}
    ) AS hashed
    GROUP BY project_id, tag, group_id`

  /** Upserts rows in key order, to prevent deadlocks. */
  const write = (rows: Statement.Fragment) =>
    sql`INSERT INTO errata.group_tags AS t (project_id, group_id, tag, key, value, count)
        SELECT project_id, group_id, tag, key, value, count FROM ${rows}
        ORDER BY project_id, tag, group_id
        ON CONFLICT (project_id, tag, group_id) DO UPDATE SET count = t.count + excluded.count`

  const insertUncounted = (counts: ReadonlyArray<TagCount>, activity: ReadonlyArray<ActivityCount>) =>
    sql`INSERT INTO errata.uncounted (tags, ${sql.literal(ActivityCounts.columns)})
        SELECT ${encode(counts)}::text, ${ActivityCounts.values(sql, activity)}
        ${Buckets.of(sql).count ? sql`FROM errata.here` : sql``} WHERE ${counts.length + activity.length > 0}::boolean`

  /** Stores `again` and the activity as pending, and writes `fresh`. Returns which of `fresh` had a row before. */
  const put = (
    fresh: ReadonlyArray<TagCount>,
    again: ReadonlyArray<TagCount>,
    activity: ReadonlyArray<ActivityCount>,
  ) =>
    sql`/* prepared */
      WITH uncounted AS (${insertUncounted(again, activity)}),
      added AS MATERIALIZED (${rowsOf(fresh)}),
      -- Locked before the rows of tags: a transaction that waits here holds no rows that this one needs.
      keys AS MATERIALIZED (
        INSERT INTO errata.tag_keys (project_id, key)
        SELECT DISTINCT project_id, key FROM added ORDER BY project_id, key
        ON CONFLICT DO NOTHING RETURNING 1
      ),
      written AS (
        ${write(sql`added WHERE (SELECT count(*) FROM keys) >= 0`)}
        RETURNING project_id, group_id, tag, count
      )
      -- Had there been no row, it would have what was added and no more.
      SELECT added.group_id, added.key, added.value
      FROM written JOIN added USING (project_id, group_id, tag) WHERE written.count > added.count`

  /** The same in several statements, because Citus moves rows of common table expressions between nodes. */
  const putInSteps = (
    fresh: ReadonlyArray<TagCount>,
    again: ReadonlyArray<TagCount>,
    activity: ReadonlyArray<ActivityCount>,
  ): Effect.Effect<ReadonlyArray<object>, SqlError> =>
    Effect.gen(function* () {
      if (again.length + activity.length > 0) yield* insertUncounted(again, activity)
      if (fresh.length === 0) return []
      yield* sql`
        INSERT INTO errata.tag_keys (project_id, key)
        SELECT DISTINCT project_id, key FROM ${given.rows(sql, fresh)}${Buckets.here(sql)} ORDER BY project_id, key
        ON CONFLICT DO NOTHING`
      const added = new Map(fresh.map((item) => [nameOf(item), item.count]))
      const written =
        yield* sql`${write(sql`(${rowsOf(fresh)}) AS c${Buckets.here(sql)}`)} RETURNING group_id, key, value, count`
      return written.filter((row) => {
        const read = writtenRows.read(row)
        return read.count > (added.get(nameOf(read)) ?? read.count)
      })
    })

  const deleteInSteps = Effect.gen(function* () {
    const rows =
      yield* sql`DELETE FROM errata.uncounted RETURNING tags, ${sql.literal(ActivityCounts.columns)}`
    if (rows.length > 0) yield* ActivityCounts.addInSteps(sql, rows)
    return rows
  })

  /** Adds up the activity of all stored batches; returns their tags. */
  const deleteUncounted = Effect.map(
    Effect.suspend(
      (): Effect.Effect<ReadonlyArray<object>, SqlError> =>
        Buckets.of(sql).count
          ? deleteInSteps
          : sql`
      WITH taken AS (DELETE FROM errata.uncounted RETURNING *),
      ${ActivityCounts.added(sql)}
      SELECT tags FROM taken`,
    ),
    (rows) => sum(rows.map((row) => takenRows.read(row).tags)),
  )

  const fold = (counts: ReadonlyArray<TagCount>): Effect.Effect<unknown, SqlError> => {
    if (counts.length === 0) return Effect.void
    // Do not recreate counts of deleted groups. OFFSET 0 forces one lookup per group, in its project's partition,
    // instead of a join.
    return write(sql`
      (${rowsOf(counts)}) AS c
      WHERE EXISTS (
        SELECT FROM errata.groups AS g WHERE g.project_id = c.project_id AND g.id = c.group_id OFFSET 0)`)
  }

  const foldUnlessOthersDo = Effect.gen(function* () {
    const [lock] = yield* Buckets.lock(sql, sql`pg_try_advisory_xact_lock(${sql.literal(foldLock)})`)
    if (!lockRows.read(lock!).taken) return
    batches.set(yield* Buckets.Current, 0)
    yield* fold(yield* deleteUncounted)
  }).pipe(sql.withTransaction)

  const foldAll = Buckets.lock(sql, sql`pg_advisory_xact_lock(${sql.literal(foldLock)})`).pipe(
    Effect.andThen(deleteUncounted),
    Effect.flatMap(fold),
    Effect.asVoid,
  )

  /**
   * Recording commits asynchronously, so a crashed database may lose its last commits. A crash also closes all
   * connections, so the cache is only valid on known ones. A connection is identified by process id and server start
   * time, because process ids are reused.
   */
  const cacheOfConnection = Effect.zipWith(
    Buckets.Current,
    sql`/* prepared */
      SELECT pg_backend_pid() || ' ' || pg_postmaster_start_time() AS backend, count AS removals FROM errata.tag_removals`,
    (bucket, [row]) => {
      const { backend, removals } = backendRows.read(row!)
      const cache = caches.get(bucket)
      // Retention locks groups while it removes their rows, as this transaction does. The removal is therefore complete
      // or has not begun.
      if (cache !== undefined && cache.removals === removals && cache.backends.has(backend)) return cache
      const isFull = (cache?.backends.size ?? 0) >= maxBackends
      const backends = new Set([...(isFull ? [] : (cache?.backends ?? [])), backend])
      const made = { removals, backends, known: new BoundedCache<string, true>(cacheSize(sql)) }
      caches.set(bucket, made)
      return made
    },
  )

  return {
    foldAll,

    add: Effect.fnUntraced(function* (
      counts: ReadonlyArray<TagCount>,
      activity: ReadonlyArray<ActivityCount>,
    ) {
      const { known } = yield* cacheOfConnection
      const fresh: Array<TagCount> = []
      const again: Array<TagCount> = []
      for (const item of counts) {
        if (known.get(nameOf(item))) again.push(item)
        else fresh.push(item)
      }
      // Only rows from before this transaction are known to stay. A rollback removes the others.
      const written = yield* (Buckets.of(sql).count ? putInSteps : put)(fresh, again, activity)
      for (const row of written) {
        known.set(nameOf(existingRows.read(row)), true)
      }
      const bucket = yield* Buckets.Current
      const waiting = (batches.get(bucket) ?? batchesTogether) + 1
      batches.set(bucket, waiting)
      if (waiting >= batchesTogether) yield* foldUnlessOthersDo
    }),
  }
}

// internal

/** Includes the schema, because advisory locks belong to the database. */
const foldLock = "hashtextextended('errata.fold', 0)"

interface Cache {
  /** The count of removals at which the cache was made. */
  readonly removals: number
  /** Connections on which the cache is valid. */
  readonly backends: ReadonlySet<string>
  /** Tags of groups that have rows, by `nameOf`. */
  readonly known: BoundedCache<string, true>
}

/** With many buckets, the cache of each is smaller. */
const cacheSize = (sql: SqlClient.SqlClient) => {
  const { count } = Buckets.of(sql)
  return count ? Math.max(2_000, Math.floor(20_000 / count)) : 20_000
}

const batchesTogether = 16

const maxBackends = 100

const given = Batch.ofFields<TagCount>({
  projectId: int8(),
  groupId: int8(),
  key: text(),
  value: text(),
  count: int8(),
})

const existingRows = Rows.make({ groupId: int8<GroupId>(), key: text(), value: text() })
const writtenRows = Rows.make({ groupId: int8<GroupId>(), key: text(), value: text(), count: int8() })

const nameOf = ({ groupId, key, value }: Pick<TagCount, "groupId" | "key" | "value">) =>
  JSON.stringify([groupId, key, value])

const takenRows = Rows.make({ tags: text() })
const lockRows = Rows.make({ taken: boolean })
const backendRows = Rows.make({ backend: text(), removals: int8() })

/** `tags` lists each tag once. The counts of a group are pairs of an index in `tags` and a number. */
interface Uncounted {
  readonly tags: Array<readonly [key: string, value: string]>
  readonly groups: Array<readonly [projectId: ProjectId, groupId: GroupId, counts: Array<number>]>
}

const encode = (counts: ReadonlyArray<TagCount>): string => {
  const { groups, tags }: Uncounted = { tags: [], groups: [] }
  const places = new Map<string, Map<string, number>>()
  let groupId: GroupId | null = null
  for (const item of counts) {
    const values = getOrMake(places, item.key, () => new Map<string, number>())
    const place = getOrMake(values, item.value, () => tags.push([item.key, item.value]) - 1)
    if (item.groupId !== groupId) {
      groupId = item.groupId
      groups.push([item.projectId, groupId, []])
    }
    groups[groups.length - 1]![2].push(place, item.count)
  }
  return JSON.stringify({ tags, groups } satisfies Uncounted)
}

type TagSum = { -readonly [K in keyof TagCount]: TagCount[K] }

/** Sums pending counts. */
export const sum = (documents: ReadonlyArray<string>): ReadonlyArray<TagCount> => {
  const all: Array<TagSum> = []
  const sums = new Map<GroupId, Map<string, Map<string, TagSum>>>()
  for (const document of documents) {
    const { groups, tags } = JSON.parse(document) as Uncounted
    for (const [projectId, groupId, counts] of groups) {
      const ofGroup = getOrMake(sums, groupId, () => new Map<string, Map<string, TagSum>>())
      for (let i = 0; i < counts.length; i += 2) {
        const [key, value] = tags[counts[i]!]!
        const ofKey = getOrMake(ofGroup, key, () => new Map<string, TagSum>())
        const total = getOrMake(ofKey, value, () => {
          const item = { projectId, groupId, key, value, count: 0 }
          all.push(item)
          return item
        })
        total.count += counts[i + 1]!
      }
    }
  }
  return all
}
