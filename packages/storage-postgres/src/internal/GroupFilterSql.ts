/**
 * The core's group filter as conditions on `errata.groups AS g`. Values are parameters, never text of the statement.
 *
 * Conditions have the form that an index was made for (see the migration of the list indexes), whatever else they say.
 */

import { GroupFilter, type ProjectId, type SearchQuery, Severity } from "@errata/core"
import { TextIndex } from "@errata/core/internal"
import { DateTime } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as PgLiteral from "./PgLiteral.js"
import { toDate } from "./PgTime.js"

/**
 * `across` is the project where all of its groups are looked at; null where they are few. With `isTextLast` the text has
 * no index, and is looked for in what the other conditions find.
 */
export const conditions = (
  sql: SqlClient.SqlClient,
  filter: GroupFilter.GroupFilter,
  now: DateTime.Utc,
  across: ProjectId | null,
  isTextLast = false,
): ReadonlyArray<Statement.Fragment> => {
  const all: Array<Statement.Fragment> = []

  /**
   * A comparison of a column of which a coarse form is indexed. What it excludes within the bound's own bucket is said
   * as an exception: two bounds would count twice in the planner's estimate.
   */
  const within = (
    coarse: string,
    bucket: Statement.Fragment,
    column: string,
    op: SearchQuery.Comparison,
    value: Statement.Fragment,
  ) => {
    const [about, unlike] = bounds[op]
    return sql`g.${sql.literal(coarse)} ${sql.literal(about)} ${bucket}
      AND NOT (g.${sql.literal(coarse)} = ${bucket} AND g.${sql.literal(column)} ${sql.literal(unlike)} ${value})`
  }
  if (filter.resolved !== undefined) {
    all.push(filter.resolved ? sql`g.resolved_at IS NOT NULL` : sql`g.resolved_at IS NULL`)
  }
  if (filter.muted !== undefined) {
    const at = toDate(now)
    const marked = sql`(g.muted_at IS NOT NULL OR g.project_muted_at IS NOT NULL)`
    const holds = sql`(
      (g.muted_at IS NOT NULL AND (g.muted_until IS NULL OR g.muted_until > ${at})
        AND (g.muted_until_reports_count IS NULL OR g.reports_count < g.muted_until_reports_count))
      OR (g.project_muted_at IS NOT NULL AND (g.project_muted_until IS NULL OR g.project_muted_until > ${at})))`
    all.push(
      filter.muted
        ? sql`${marked} AND ${holds}`
        : sql`(g.muted_at IS NULL AND g.project_muted_at IS NULL OR ${marked} AND NOT ${holds})`,
    )
  }
  if (filter.severities !== undefined) {
    all.push(sql`g.severity = ANY (${PgLiteral.numbers(filter.severities.map(Severity.rank))}::smallint[])`)
  }
  all.push(...tagConditions(sql, filter.tags, across))
  if (filter.errorType !== undefined) {
    all.push(sql`md5(g.error_type) = md5(${filter.errorType}) AND g.error_type = ${filter.errorType}`)
  }
  if (filter.assignee !== undefined) {
    all.push(sql`coalesce(g.assignee_id, 0) = ${filter.assignee === "none" ? 0 : filter.assignee}`)
  }
  if (filter.reportsCount !== undefined) {
    const { op, value } = filter.reportsCount
    all.push(
      within("reports_bucket", sql`errata.reports_bucket(${value})`, "reports_count", op, sql`${value}`),
    )
  }
  if (filter.usersCount !== undefined) {
    const { op, value } = filter.usersCount
    all.push(within("users_bucket", sql`errata.reports_bucket(${value})`, "users_count", op, sql`${value}`))
  }
  if (filter.lastOccurredFrom !== undefined) {
    const from = sql`${new Date(filter.lastOccurredFrom)}`
    all.push(within("last_occurred_hour", sql`errata.hour_of(${from})`, "last_occurred_at", ">=", from))
  }
  if (filter.lastOccurredTo !== undefined) {
    const to = sql`${new Date(filter.lastOccurredTo)}`
    all.push(within("last_occurred_hour", sql`errata.hour_of(${to})`, "last_occurred_at", "<=", to))
  }
  if (filter.text.length > 0) {
    // No index is for conditions of this form.
    all.push(isTextLast ? sql`(${hasText(sql, filter)}) IS TRUE` : hasText(sql, filter))
  }
  if (filter.ids !== undefined) all.push(sql`g.id = ANY (${PgLiteral.distinct(filter.ids)}::bigint[])`)
  if (filter.createdFrom !== undefined) all.push(sql`g.created_at >= ${new Date(filter.createdFrom)}`)
  if (filter.resolvedFrom !== undefined) all.push(sql`g.resolved_at >= ${new Date(filter.resolvedFrom)}`)
  const neighbors = filter.text.flatMap(neighborsOf)
  // It says nothing more, but has an index: frequent words that are found together may rarely stand together.
  if (across !== null && neighbors.length > 0) {
    const pairs = neighbors.map(([word, next]) => sql`errata.neighbors(${word}::text, ${next}::text)`)
    all.push(sql`errata.neighbors(g.search) @> ARRAY[${sql.csv(pairs)}]`)
  }
  return all
}

/**
 * The same for groups that are checked one by one, with the tags and texts of those that they stand for. Each is a scalar
 * subquery, which the planner neither joins nor evaluates for all groups at once, whatever it believes of the tables.
 */
export const conditionsOfOne = (
  sql: SqlClient.SqlClient,
  filter: GroupFilter.GroupFilter,
  now: DateTime.Utc,
): ReadonlyArray<Statement.Fragment> => {
  const all = [...conditions(sql, { ...filter, tags: [], text: [] }, now, null)]
  if (filter.tags.length > 0) {
    const wanted = hashesOf(sql, filter.tags)
    all.push(sql`(
      cardinality(${wanted}) = (
        SELECT count(*) FROM errata.group_tags AS t
        WHERE t.project_id = g.project_id AND t.tag = ANY (${wanted}) AND t.group_id = g.id)
      OR g.has_members AND ${tagsOfTree(sql, filter.tags)})`)
  }
  if (filter.text.length > 0) {
    all.push(sql`(
      ${hasText(sql, filter)} OR g.has_members AND 0 < (
        SELECT count(*) FROM errata.groups AS m
        WHERE m.project_id = g.project_id AND m.merged_into_id = g.id
          AND m.search @@ ${TextIndex.toTsQuery(filter.text)}::tsquery))`)
  }
  return all
}

/** True for a filter of a few groups, or of those of a short time: they are found by themselves, and checked one by one. */
export const isOfFew = ({ createdFrom, ids, resolvedFrom }: GroupFilter.GroupFilter): boolean =>
  ids !== undefined || createdFrom !== undefined || resolvedFrom !== undefined

/** The condition of all lists of a project. */
export const listed = (sql: SqlClient.SqlClient, projectId: ProjectId): Array<Statement.Fragment> => [
  sql`g.project_id = ${projectId}`,
  sql`g.merged_into_id IS NULL`,
]

export type CoarseColumn = "last_occurred_hour" | "reports_bucket" | "users_bucket"

/** The range of a coarse index in which all matches are, with a few groups too many. */
export const coarseBounds = (
  sql: SqlClient.SqlClient,
  {
    lastOccurredFrom,
    lastOccurredTo,
    reportsCount,
    usersCount,
  }: Pick<GroupFilter.GroupFilter, "lastOccurredFrom" | "lastOccurredTo" | "reportsCount" | "usersCount">,
  column: CoarseColumn,
): ReadonlyArray<Statement.Fragment> => {
  const all: Array<Statement.Fragment> = []
  if (column === "last_occurred_hour") {
    if (lastOccurredFrom !== undefined) {
      all.push(sql`g.last_occurred_hour >= errata.hour_of(${new Date(lastOccurredFrom)})`)
    }
    if (lastOccurredTo !== undefined) {
      all.push(sql`g.last_occurred_hour <= errata.hour_of(${new Date(lastOccurredTo)})`)
    }
  } else {
    const compared = column === "reports_bucket" ? reportsCount : usersCount
    if (compared === undefined) return all
    const [about] = bounds[compared.op]
    all.push(sql`g.${sql.literal(column)} ${sql.literal(about)} errata.reports_bucket(${compared.value})`)
  }
  return all
}

/** Of groups that are called `g`. */
export const hasText = (sql: SqlClient.SqlClient, { text }: GroupFilter.GroupFilter): Statement.Fragment =>
  sql`g.search @@ ${TextIndex.toTsQuery(text)}::tsquery`

/**
 * Groups that stand for one that has a tag: newer than a group, and older than another one if that is given. The tag is
 * written out, for the planner to see how frequent it is: it goes by the merged groups or by the tag.
 */
export const rootsWithTag = (
  sql: SqlClient.SqlClient,
  projectId: ProjectId,
  { key, value }: GroupFilter.GroupFilter["tags"][number],
  newerThan: number,
  olderThan: number | null,
): Statement.Fragment => sql`
  SELECT DISTINCT m.merged_into_id AS id FROM errata.groups AS m
  WHERE m.project_id = ${projectId} AND m.merged_into_id > ${newerThan}
    AND m.merged_into_id < ${olderThan ?? Number.MAX_SAFE_INTEGER} AND EXISTS (
      SELECT 1 FROM errata.group_tags AS t
      WHERE t.project_id = m.project_id AND t.group_id = m.id AND t.tag = errata.tag_hash(${key}, ${value}))`

/**
 * Groups that have the rarest of the tags, or stand for one that has it, among those that stand for others; null in place
 * of them where none of the tags is rare.
 */
export const rootsWithRarest = (
  sql: SqlClient.SqlClient,
  projectId: ProjectId,
  tags: GroupFilter.GroupFilter["tags"],
): Statement.Fragment => sql`
  WITH rarest AS MATERIALIZED (
    SELECT wanted.tag, (
      SELECT count(*) FROM (
        SELECT FROM errata.group_tags AS t WHERE t.project_id = ${projectId} AND t.tag = wanted.tag LIMIT ${rare}
      ) AS counted
    ) AS count
    FROM unnest(${hashesOf(sql, tags)}) AS wanted (tag)
    ORDER BY count LIMIT 1
  )
  SELECT DISTINCT m.root_id AS id
  FROM rarest
  CROSS JOIN LATERAL (
    SELECT t.group_id FROM errata.group_tags AS t
    WHERE t.project_id = ${projectId} AND t.tag = rarest.tag LIMIT ${rare}
  ) AS t
  CROSS JOIN LATERAL (
    SELECT coalesce(m.merged_into_id, m.id) AS root_id FROM errata.groups AS m
    WHERE m.project_id = ${projectId} AND m.id = t.group_id AND (m.merged_into_id IS NOT NULL OR m.has_members)
    LIMIT 1
  ) AS m
  WHERE rarest.count < ${rare}
  UNION ALL
  SELECT NULL FROM rarest WHERE count = ${rare}`

/** Groups that stand for one that has the text; null besides where they are many. */
export const rootsWithText = (
  sql: SqlClient.SqlClient,
  projectId: ProjectId,
  { text }: GroupFilter.GroupFilter,
  olderThan: number | null,
): Statement.Fragment => {
  const has = sql.and(conditions(sql, { ...GroupFilter.all, text }, DateTime.makeUnsafe(0), projectId))
  return sql`
    WITH found AS MATERIALIZED (
      SELECT DISTINCT g.merged_into_id AS id FROM errata.groups AS g
      WHERE g.project_id = ${projectId} AND g.merged_into_id < ${olderThan ?? Number.MAX_SAFE_INTEGER} AND ${has}
      LIMIT ${rare}
    )
    SELECT id FROM found
    UNION ALL
    SELECT NULL FROM found HAVING count(*) = ${rare}`
}

/** Groups that have the text, or stand for one that has it; for groups that are few. */
export const textOfTree = (
  sql: SqlClient.SqlClient,
  { text }: GroupFilter.GroupFilter,
): Statement.Fragment => sql`
  (g.search @@ ${TextIndex.toTsQuery(text)}::tsquery OR EXISTS (
    SELECT FROM errata.groups AS m
    WHERE m.project_id = g.project_id AND m.merged_into_id = g.id
      AND m.search @@ ${TextIndex.toTsQuery(text)}::tsquery))`

/** Groups that have all of the tags together with those that they stand for; for groups that are few. */
export const tagsOfTree = (
  sql: SqlClient.SqlClient,
  tags: GroupFilter.GroupFilter["tags"],
): Statement.Fragment => sql`
  cardinality(${hashesOf(sql, tags)}) = (
    SELECT count(DISTINCT t.tag) FROM errata.group_tags AS t
    WHERE t.project_id = g.project_id AND t.tag = ANY (${hashesOf(sql, tags)}) AND t.group_id IN (
      SELECT g.id
      UNION ALL
      SELECT m.id FROM errata.groups AS m WHERE m.project_id = g.project_id AND m.merged_into_id = g.id))`

/** So many tags are a condition each; more are one. */
export const maxTagConditions = 3

/** A tag that fewer groups have is looked for by itself. */
const rare = 1_000

// internal

/** The words of a term that stand next to one another; the last one may be the beginning of a word only. */
const neighborsOf = ({ phrase, words }: TextIndex.TextTerm): ReadonlyArray<readonly [string, string]> => {
  const whole = phrase ? words : words.slice(0, -1)
  return whole.slice(1).map((next, i) => [whole[i]!, next] as const)
}

/**
 * The planner finds the best order of a few conditions on tags. With each more it takes several times as long to plan,
 * seconds for dozens: many are one condition, in the form that is best for the groups that are looked at.
 */
const tagConditions = (
  sql: SqlClient.SqlClient,
  tags: GroupFilter.GroupFilter["tags"],
  across: ProjectId | null,
): ReadonlyArray<Statement.Fragment> => {
  if (tags.length <= maxTagConditions) {
    return tags.map(
      ({ key, value }) => sql`EXISTS (
        SELECT 1 FROM errata.group_tags AS t
        WHERE t.project_id = g.project_id AND t.group_id = g.id AND t.tag = errata.tag_hash(${key}, ${value}))`,
    )
  }
  const wanted = hashesOf(sql, tags)
  return [
    across === null
      ? sql`cardinality(${wanted}) = (
          SELECT count(*) FROM errata.group_tags AS t
          WHERE t.project_id = g.project_id AND t.group_id = g.id AND t.tag = ANY (${wanted}))`
      : sql`g.id IN (
          SELECT t.group_id FROM errata.group_tags AS t
          WHERE t.project_id = ${across} AND t.tag = ANY (${wanted})
          GROUP BY t.group_id HAVING count(*) = cardinality(${wanted}))`,
  ]
}

/** A tag that is asked for twice is one tag. */
export const hashesOf = (
  sql: SqlClient.SqlClient,
  tags: GroupFilter.GroupFilter["tags"],
): Statement.Fragment => sql`
  ARRAY(
    SELECT DISTINCT errata.tag_hash(key, value) FROM unnest(
      ${PgLiteral.texts(tags.map(({ key }) => key))}::text[], ${PgLiteral.texts(tags.map(({ value }) => value))}::text[]
    ) AS wanted (key, value))`

/** How buckets compare, and what is not meant of the bucket that the bound lies in. */
const bounds = {
  "=": ["=", "<>"],
  ">": [">=", "<="],
  ">=": [">=", "<"],
  "<": ["<=", ">="],
  "<=": ["<=", ">"],
} as const satisfies Record<SearchQuery.Comparison, readonly [string, string]>
