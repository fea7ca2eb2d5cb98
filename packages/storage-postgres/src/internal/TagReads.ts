/**
 * Reads the distribution of tags. A key can have a million values in a group, so no statement reads them all. It walks
 * the keys in the index of a group's tags and reads a limited number of values of each. Pending counts (see
 * `TagCounts.ts`) are read in the same snapshot.
 */
import { type GroupId, type ProjectId, reservedTags, type TagDistribution, type TagValue } from "@errata/core"
import {
  type GroupStore,
  maxCountedValues,
  maxShownKeys,
  maxSortedValues,
  maxTopValues,
} from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { byIndex } from "./ByIndex.js"
import * as GroupTree from "./GroupTree.js"
import { named } from "./PgStorageError.js"
import * as Rows from "./Rows.js"
import { boolean, int8, text } from "./SqlType.js"

type TagReads = Pick<
  GroupStore["Service"],
  "listTagKeys" | "tagDistributions" | "tagValuesOf" | "completeTag"
>

export const make = (sql: SqlClient.SqlClient): TagReads => {
  /** The group and its members. */
  const tree = (projectId: ProjectId, groupId: GroupId) =>
    sql`tree AS MATERIALIZED (SELECT id FROM (${GroupTree.idsOf(sql, projectId, groupId)}) AS t)`

  /** Values of a key in the tree, limited per group and in total. */
  const counted = (projectId: ProjectId, key: Statement.Fragment, ofGroup: number, together: number) => sql`
    SELECT t.value, t.count FROM tree CROSS JOIN LATERAL (
      SELECT t.value, t.count FROM errata.group_tags AS t
      WHERE t.project_id = ${projectId} AND t.group_id = tree.id AND t.key = ${key} LIMIT ${ofGroup}
    ) AS t LIMIT ${together}`

  /** Pending counts of the tree. The documents are those of `TagCounts.encode`. */
  const uncounted = sql`
    uncounted AS MATERIALIZED (
      SELECT doc -> 'tags' -> place.index ->> 0 AS key, doc -> 'tags' -> place.index ->> 1 AS value, place.count
      FROM (SELECT tags::jsonb AS doc FROM errata.uncounted OFFSET 0) AS u
      CROSS JOIN LATERAL jsonb_array_elements(doc -> 'groups') AS g (entry)
      CROSS JOIN LATERAL (
        SELECT (entry -> 2 ->> i)::integer AS index, (entry -> 2 ->> i + 1)::bigint AS count
        FROM generate_series(0, jsonb_array_length(entry -> 2) - 1, 2) AS i
      ) AS place
      WHERE (entry ->> 1)::bigint IN (SELECT id FROM tree)
    )`

  return {
    listTagKeys: (projectId, limit) =>
      sql`
        SELECT key FROM errata.tag_keys WHERE project_id = ${projectId} ORDER BY folded, key LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map((row) => keyRows.read(row).key)),
        byIndex(sql),
        named("GroupStore.listTagKeys"),
      ),

    tagDistributions: (projectId, groupId) => {
      const nextKey = (id: string, after: Statement.Fragment) => sql`
        SELECT t.key FROM errata.group_tags AS t
        WHERE t.project_id = ${projectId} AND t.group_id = ${sql.literal(id)} AND ${after}
        ORDER BY t.key LIMIT 1`
      return sql`
        WITH RECURSIVE ${tree(projectId, groupId)},
        ${uncounted},
        keys AS (
          SELECT tree.id, next.key FROM tree CROSS JOIN LATERAL (${nextKey("tree.id", sql`true`)}) AS next
          UNION ALL
          SELECT keys.id, next.key FROM keys
          CROSS JOIN LATERAL (${nextKey("keys.id", sql`t.key > keys.key`)}) AS next
        ),
        shown AS MATERIALIZED (
          (SELECT DISTINCT key FROM (SELECT key FROM keys LIMIT ${maxKeysRead}) AS k ORDER BY key LIMIT ${maxShownKeys})
          UNION
          SELECT unnest(${Object.values(reservedTags)}::text[])
        ),
        counted AS (
          SELECT shown.key, t.value, t.count, 1 AS read FROM shown CROSS JOIN LATERAL (
            ${counted(projectId, sql`shown.key`, maxCountedValues + 1, maxValuesRead)}) AS t
          UNION ALL
          SELECT key, value, count, 0 FROM uncounted WHERE key IN (SELECT key FROM shown)
        ),
        totals AS (SELECT key, value, sum(count) AS count, sum(read) AS read FROM counted GROUP BY key, value),
        ranked AS (
          SELECT key, value, count::bigint, row_number() OVER (PARTITION BY key ORDER BY count DESC, value) AS place,
            least(count(*) OVER (PARTITION BY key), ${maxCountedValues}) AS values_count,
            (sum(count) OVER (PARTITION BY key))::bigint AS reports_count,
            count(*) OVER (PARTITION BY key) > ${maxCountedValues}
              OR sum(read) OVER (PARTITION BY key) >= ${maxValuesRead} AS capped
          FROM totals
        )
        SELECT key, value, count, values_count, reports_count, capped FROM ranked
        WHERE place <= ${maxTopValues} ORDER BY reports_count DESC, key, place`.pipe(
        Effect.map((rows) => distributionsOf(rows.map(distributionRows.read))),
        byIndex(sql),
        named("GroupStore.tagDistributions"),
      )
    },

    tagValuesOf: (projectId, groupId, key, page) => {
      const before = page.cursor ?? 0
      return sql`
        WITH ${tree(projectId, groupId)},
        ${uncounted},
        counted AS (
          (${counted(projectId, sql`${key}`, maxSortedValues, maxSortedValues)})
          UNION ALL
          SELECT value, count FROM uncounted WHERE key = ${key}
        ),
        totals AS (SELECT value, sum(count)::bigint AS count FROM counted GROUP BY value)
        SELECT value, count FROM totals ORDER BY count DESC, value
        LIMIT ${page.limit + 1} OFFSET ${Math.min(before, maxSortedValues)}`.pipe(
        Effect.map((rows) => {
          const values = rows.map(valueRows.read)
          if (values.length === 0 && before === 0) return null
          const items = values.slice(0, page.limit).map(tagValueOf)
          return { items, nextCursor: values.length > page.limit ? before + page.limit : null }
        }),
        byIndex(sql),
        named("GroupStore.tagValuesOf"),
      )
    },

    completeTag: (projectId, key, prefix, limit) =>
      sql`
        WITH recent AS MATERIALIZED (
          SELECT g.id FROM errata.groups AS g
          WHERE g.project_id = ${projectId} AND g.merged_into_id IS NULL
          ORDER BY g.last_occurred_hour DESC, g.id DESC LIMIT ${recentGroups}
        ),
        tree AS MATERIALIZED (
          SELECT id FROM recent
          UNION ALL
          (SELECT m.id FROM recent CROSS JOIN LATERAL (
            SELECT m.id FROM errata.groups AS m
            WHERE m.project_id = ${projectId} AND m.merged_into_id = recent.id LIMIT ${recentGroups}
          ) AS m LIMIT ${recentGroups})
        )
        SELECT t.value FROM (
          ${counted(projectId, sql`${key}`, valuesOfRecent, recentGroups * valuesOfRecent)}
        ) AS t
        WHERE starts_with(lower(t.value), lower(${prefix} COLLATE "C"))
        GROUP BY t.value ORDER BY sum(t.count) DESC, t.value LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map((row) => completionRows.read(row).value)),
        byIndex(sql),
        named("GroupStore.completeTag"),
      ),
  }
}

// internal

/** Maximum number of keys in a tree, counted per group. */
const maxKeysRead = 10_000
/** Maximum number of values of one key in a tree, counted per group. */
const maxValuesRead = 5_000
const recentGroups = 500
const valuesOfRecent = 50

interface DistributionRow {
  readonly key: string
  readonly value: string
  readonly count: number
  readonly valuesCount: number
  readonly reportsCount: number
  readonly capped: boolean
}

/** Expects sorted rows. */
const distributionsOf = (rows: ReadonlyArray<DistributionRow>): ReadonlyArray<TagDistribution> => {
  const found = new Map<string, TagDistribution & { readonly values: Array<TagValue> }>()
  for (const row of rows) {
    const { capped, key, reportsCount, valuesCount } = row
    const known = found.get(key) ?? { key, reportsCount, valuesCount, valuesCountCapped: capped, values: [] }
    known.values.push(tagValueOf(row))
    found.set(key, known)
  }
  return [...found.values()]
}

const tagValueOf = ({ count, value }: { readonly value: string; readonly count: number }): TagValue => ({
  value,
  reportsCount: count,
})

const keyRows = Rows.make({ key: text() })
const completionRows = Rows.make({ value: text() })
const valueRows = Rows.make({ value: text(), count: int8() })
const distributionRows = Rows.make({
  key: text(),
  value: text(),
  count: int8(),
  valuesCount: int8(),
  reportsCount: int8(),
  capped: boolean,
})
