/**
 * Translates the core's group filter to conditions on `errata.groups AS g`. Values are always parameters.
 *
 * Conditions have the exact form of the index expressions; see the migration of the list indexes.
 */

import { GroupFilter, type ProjectId, type SearchQuery, Severity } from "@errata/core"
import { TextIndex } from "@errata/core/internal"
import { DateTime } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { toDate } from "./PgTime.js"

/**
 * Returns the conditions of a filter. `across` is the project if all of its groups are searched, or null if they are
 * few. With `isTextLast`, the text search uses no index and only filters the groups that match the rest.
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
   * Compares a column by the index on its coarse form. Mismatches in the boundary bucket are excluded by a negated
   * condition: the planner's estimate would count two range conditions twice.
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
  if (filter.reopened !== undefined) {
    all.push(filter.reopened ? sql`g.reopened_at IS NOT NULL` : sql`g.reopened_at IS NULL`)
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
    all.push(sql`g.severity = ANY (${filter.severities.map(Severity.rank)}::smallint[])`)
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
    // IS TRUE keeps the planner from using an index.
    all.push(isTextLast ? sql`(${hasText(sql, filter)}) IS TRUE` : hasText(sql, filter))
  }
  if (filter.ids !== undefined) all.push(sql`g.id = ANY (${[...new Set(filter.ids)]}::bigint[])`)
  if (filter.createdFrom !== undefined) all.push(sql`g.created_at >= ${new Date(filter.createdFrom)}`)
  if (filter.resolvedFrom !== undefined) all.push(sql`g.resolved_at >= ${new Date(filter.resolvedFrom)}`)
  const neighbors = filter.text.flatMap(neighborsOf)
  // Redundant, but indexed: frequent words may occur in many groups together, but rarely next to each other.
  if (across !== null && neighbors.length > 0) {
    const pairs = neighbors.map(([word, next]) => sql`errata.neighbors(${word}::text, ${next}::text)`)
    all.push(sql`errata.neighbors(g.search) @> ARRAY[${sql.csv(pairs)}]`)
  }
  return all
}

/**
 * The same for groups that are checked one by one, including the tags and texts of groups merged into them. The
 * conditions are scalar subqueries, so that the planner neither joins them nor evaluates them for all groups.
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

/** True if a filter selects given groups or a short time range. Those are found first and checked one by one. */
export const isOfFew = ({ createdFrom, ids, resolvedFrom }: GroupFilter.GroupFilter): boolean =>
  ids !== undefined || createdFrom !== undefined || resolvedFrom !== undefined

/** Conditions that all lists of a project share. */
export const listed = (sql: SqlClient.SqlClient, projectId: ProjectId): Array<Statement.Fragment> => [
  sql`g.project_id = ${projectId}`,
  sql`g.merged_into_id IS NULL`,
]

export type CoarseColumn = "last_occurred_hour" | "reports_bucket" | "users_bucket"

/** Returns the range of a coarse index that contains all matches and a few other groups. */
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

/** Text condition on groups called `g`. */
export const hasText = (sql: SqlClient.SqlClient, { text }: GroupFilter.GroupFilter): Statement.Fragment =>
  sql`g.search @@ ${TextIndex.toTsQuery(text)}::tsquery`

/**
 * Selects roots with a merged group that has a tag, in a range of root ids. The tag is a plain condition, so that the
 * planner estimates its frequency and starts from the merged groups or from the tag.
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
 * Selects roots with members that have the rarest of the tags, or a member that has it. Returns null instead if no tag
 * is rare.
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

/** Selects roots with a merged group that matches the text. Adds null if there are too many to list. */
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

/** Matches roots by their own text or that of a member. For few groups. */
export const textOfTree = (
  sql: SqlClient.SqlClient,
  { text }: GroupFilter.GroupFilter,
): Statement.Fragment => sql`
  (g.search @@ ${TextIndex.toTsQuery(text)}::tsquery OR EXISTS (
    SELECT FROM errata.groups AS m
    WHERE m.project_id = g.project_id AND m.merged_into_id = g.id
      AND m.search @@ ${TextIndex.toTsQuery(text)}::tsquery))`

/** Matches roots that have all tags together with their members. For few groups. */
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

/** Up to this number, each tag is a condition of its own; more tags form a single one. */
export const maxTagConditions = 3

/** A tag is rare if fewer groups have it. */
const rare = 1_000

// internal

/** Adjacent words of a term. The last word may be a prefix, which is omitted. */
const neighborsOf = ({ phrase, words }: TextIndex.TextTerm): ReadonlyArray<readonly [string, string]> => {
  const whole = phrase ? words : words.slice(0, -1)
  return whole.slice(1).map((next, i) => [whole[i]!, next] as const)
}

/**
 * Few tags are one condition each, whose order the planner optimizes. Planning time multiplies with each one and
 * reaches seconds for dozens. Many tags therefore form one condition, in a form that suits few or many groups.
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

/** Hashes of the tags, without duplicates. */
export const hashesOf = (
  sql: SqlClient.SqlClient,
  tags: GroupFilter.GroupFilter["tags"],
): Statement.Fragment => sql`
  ARRAY(
    SELECT DISTINCT errata.tag_hash(key, value) FROM unnest(
      ${tags.map(({ key }) => key)}::text[], ${tags.map(({ value }) => value)}::text[]
    ) AS wanted (key, value))`

/** How buckets compare, and the negated comparison in the boundary bucket. */
const bounds = {
  "=": ["=", "<>"],
  ">": [">=", "<="],
  ">=": [">=", "<"],
  "<": ["<=", ">="],
  "<=": ["<=", ">"],
} as const satisfies Record<SearchQuery.Comparison, readonly [string, string]>
