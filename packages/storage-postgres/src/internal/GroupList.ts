/**
 * Lists of groups, newest first. A filter can match nearly all groups, or a handful of many thousands, and what the
 * planner knows of it is an estimate that takes matches as spread evenly. Taken at its word it reads a whole project
 * from its newest group on where the matches are all old. So a page is filled in steps that cost little whatever the
 * filter:
 *
 * 1. The newest groups are looked at one by one; most filters fill a page from them. Where the planner could only
 *    guess it is more of them, and none where every condition has an index in the order of the list.
 * 2. What is missing comes from older groups, by whatever index the planner finds best.
 *
 * Groups that have a tag only by those that they stand for are looked for by themselves, and come in between. They are
 * few, and once a page is full only those can be on it that are as new as the last of it.
 *
 * A list that ends at a moment long ago starts where groups were new at that moment; the few that are newer, and
 * match because their reports came in late, are looked for before.
 */
import type { SqlClient, Statement } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { GroupFilter, type GroupId, type ListedGroup, Page, type ProjectId } from "@errata/core"
import { type DateTime, Effect } from "effect"
import { conditions, maxTagConditions, rootsWithRarest, rootsWithTag, tagsOfTree } from "./GroupFilterSql.js"
import { listedColumns, toListed } from "./GroupRow.js"
import * as PgLiteral from "./PgLiteral.js"
import * as Rows from "./Rows.js"
import { int8, nullable } from "./SqlType.js"

export type GroupList = (
  projectId: ProjectId,
  filter: GroupFilter.GroupFilter,
  page: Page.PageRequest,
  now: DateTime.Utc,
) => Effect.Effect<Page.Page<ListedGroup>, SqlError>

export const make = (sql: SqlClient.SqlClient): GroupList => {
  const columns = sql.literal(listedColumns)

  const select = (
    groups: Statement.Fragment,
    where: ReadonlyArray<Statement.Fragment>,
    limit: number,
  ): Effect.Effect<ReadonlyArray<ListedGroup>, SqlError> =>
    Effect.map(
      sql`SELECT ${columns} FROM ${groups} AS g WHERE ${sql.and(where)} ORDER BY g.id DESC LIMIT ${limit}`,
      (rows) => rows.map(toListed),
    )

  /** The newest of the groups that were the last to occur by a moment; none where no group had occurred. */
  const newestBy = (inProject: Statement.Fragment, moment: number): Effect.Effect<number | null, SqlError> =>
    Effect.map(
      sql`
        SELECT max(last.id) AS id FROM (
          SELECT g.id FROM errata.groups AS g
          WHERE ${inProject} AND g.last_occurred_hour <= errata.hour_of(${new Date(moment)})
          ORDER BY g.last_occurred_hour DESC, g.id DESC LIMIT ${sampled}
        ) AS last`,
      ([row]) => (row === undefined ? null : newestRows.read(row).id),
    )

  const all = sql`errata.groups`

  /**
   * Those that match by the tags of groups that they stand for, or may. Where a page is full without them, only those newer
   * than its last group matter. Where it is not, or there are more tags, one of the tags is rare mostly, and they are among
   * the groups that have it.
   */
  const matchingByMembers = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    olderThanCursor: Statement.Fragment,
    { cursor, last }: { readonly cursor: number | null; readonly last: GroupId | null },
    now: DateTime.Utc,
    limit: number,
  ) =>
    Effect.gen(function* () {
      const wanted = last === null ? olderThanCursor : sql`${olderThanCursor} AND g.id > ${last}`
      const [tag, ...others] = filter.tags
      if (tag === undefined) return []
      const rows = yield* last === null || others.length > 0
        ? sql`${rootsWithRarest(sql, projectId, filter.tags)}`
        : sql`${rootsWithTag(sql, projectId, tag, last, cursor)}`
      const roots = rows.map((row) => rootRows.read(row).id)
      if (roots.length === 0) return []
      const matching = [...conditions(sql, { ...filter, tags: [] }, now, null), tagsOfTree(sql, filter.tags)]
      if (roots.includes(null)) return yield* select(all, [wanted, sql`g.has_members`, ...matching], limit)
      const few = sql`(
        SELECT * FROM errata.groups AS g
        WHERE ${wanted} AND g.id = ANY (${PgLiteral.numbers(roots)}::bigint[])
        ORDER BY g.id DESC OFFSET 0)`
      return yield* select(few, matching, limit)
    })

  /** Those that match by what they are themselves. */
  const matching = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    wanted: Statement.Fragment,
    now: DateTime.Utc,
    limit: number,
  ) =>
    Effect.gen(function* () {
      const filtered = conditions(sql, filter, now, projectId)
      if (filtered.length === 0) return yield* select(all, [wanted], limit)

      const found = new Map<number, ListedGroup>()
      const add = (groups: ReadonlyArray<ListedGroup>) => {
        for (const group of groups) found.set(group.id, group)
        return found.size >= limit
      }
      const first = () => newestOf(found.values(), limit)

      let older = wanted
      const filteredOfFew = conditions(sql, filter, now, null)
      const { lastOccurredTo } = filter
      if (lastOccurredTo !== undefined) {
        const start = yield* newestBy(sql.and(listed(projectId)), lastOccurredTo)
        if (start === null) return []
        older = sql.and([wanted, sql`g.id <= ${start}`])
        // All of them, and then those that match: asked for these, the planner would begin at the newest, or look for all
        // that match.
        const occurred = conditions(sql, { ...GroupFilter.all, lastOccurredTo }, now, null)
        const late = sql`(SELECT * FROM errata.groups AS g WHERE ${sql.and([wanted, sql`g.id > ${start}`, ...occurred])} OFFSET 0)`
        if (add(yield* select(late, filteredOfFew, limit))) return first()
      }
      for (const pages of looks(filter)) {
        const newest = sql`FROM errata.groups AS g WHERE ${older} ORDER BY g.id DESC`
        const looked = pages * limit
        if (add(yield* select(sql`(SELECT * ${newest} LIMIT ${looked})`, filteredOfFew, limit)))
          return first()
        // New groups may move this meanwhile: a group can come twice, but none is left out.
        older = sql.and([older, sql`g.id < (SELECT g.id ${newest} OFFSET ${looked - 1} LIMIT 1)`])
      }
      add(yield* select(all, [older, ...filtered], limit))
      return first()
    })

  const listed = (projectId: ProjectId) => [sql`g.project_id = ${projectId}`, sql`g.merged_into_id IS NULL`]

  const read = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    { cursor, limit: size }: Page.PageRequest,
    now: DateTime.Utc,
  ) =>
    Effect.gen(function* () {
      // Conditions that contradict each other.
      if (filter.severities?.length === 0) return []
      const limit = size + 1
      const wanted = [...listed(projectId), ...(cursor === null ? [] : [sql`g.id < ${cursor}`])]
      const own = yield* matching(projectId, filter, sql.and(wanted), now, limit)
      const last = own.length < limit ? null : own[limit - 1]!.id
      const byMembers = yield* matchingByMembers(
        projectId,
        filter,
        sql.and(wanted),
        { cursor, last },
        now,
        limit,
      )
      if (byMembers.length === 0) return own
      const both = new Map([...byMembers, ...own].map((group) => [group.id, group]))
      return newestOf(both.values(), limit)
    })

  return (projectId, filter, page, now) =>
    Effect.map(read(projectId, filter, page, now), (groups) => Page.fromRows(groups, page))
}

// internal

const newestRows = Rows.make({ id: nullable(int8()) })
const rootRows = Rows.make({ id: nullable(int8()) })

const newestOf = (groups: Iterable<ListedGroup>, limit: number): ReadonlyArray<ListedGroup> =>
  [...groups].sort((a, b) => b.id - a.id).slice(0, limit)

/** So many that one of them was new at that moment, most likely. */
const sampled = 200

/** How many pages' worth of the newest groups are looked at one by one, time and again. */
const looks = (filter: GroupFilter.GroupFilter): ReadonlyArray<number> =>
  isGuessed(filter) ? [10, 100] : isInOrder(filter) ? [] : [10]

/** Whether every condition has an index in the order of the list: a page is the first entries of the best of them. */
const isInOrder = (filter: GroupFilter.GroupFilter): boolean =>
  filter.muted !== false &&
  filter.tags.length <= maxTagConditions &&
  (filter.severities === undefined || filter.severities.length < 2) &&
  filter.reportsCount === undefined &&
  filter.lastOccurredFrom === undefined &&
  filter.lastOccurredTo === undefined &&
  filter.text.length === 0

/**
 * Whether the planner's estimate is a guess. Words that stand together are taken as independent of one another: what
 * thousands of groups have in common seems to be rare then.
 */
const isGuessed = ({ text }: GroupFilter.GroupFilter): boolean =>
  text.length > 1 || text.some(({ words }) => words.length > 1)
