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
 * Groups that have a tag or a text only by those that they stand for are looked for by themselves, and come in between. They are
 * few, and once a page is full only those can be on it that are as new as the last of it.
 *
 * A list that ends at a moment long ago starts where groups were new at that moment; the few that are newer, and
 * match because their reports came in late, are looked for before.
 *
 * A frequent word beside conditions that few groups meet is looked for in these few.
 */

import { GroupFilter, Page, type ProjectId } from "@errata/core"
import { type DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { byIndex } from "./ByIndex.js"
import * as GroupCandidates from "./GroupCandidates.js"
import {
  conditions,
  conditionsOfOne,
  hasText,
  isOfFew,
  listed,
  maxTagConditions,
  rootsWithRarest,
  rootsWithTag,
  rootsWithText,
  tagsOfTree,
  textOfTree,
} from "./GroupFilterSql.js"
import * as PgLiteral from "./PgLiteral.js"
import * as Rows from "./Rows.js"
import { int8, nullable } from "./SqlType.js"

export type GroupList<A> = (
  projectId: ProjectId,
  filter: GroupFilter.GroupFilter,
  page: Page.PageRequest,
  now: DateTime.Utc,
) => Effect.Effect<Page.Page<A>, SqlError>

/** Lists what `read` makes of rows with `selected`, the columns of `g`. */
export const make = <A extends Listed>(
  sql: SqlClient.SqlClient,
  selected: string,
  read: (row: object) => A,
): GroupList<A> => {
  const columns = sql.literal(selected)
  const candidates = GroupCandidates.make(sql)

  const select = (
    groups: Statement.Fragment,
    where: ReadonlyArray<Statement.Fragment>,
    limit: number,
  ): Effect.Effect<ReadonlyArray<A>, SqlError> =>
    Effect.map(
      sql`SELECT ${columns} FROM ${groups} AS g WHERE ${sql.and(where)} ORDER BY g.id DESC LIMIT ${limit}`,
      (rows) => rows.map(read),
    )

  /** The newest of the groups that were the last to occur by a moment; none where no group had occurred. */
  const newestBy = (inProject: Statement.Fragment, moment: number): Effect.Effect<number | null, SqlError> =>
    Effect.map(
      sql`/* prepared */
        SELECT max(last.id) AS id FROM (
          SELECT g.id FROM errata.groups AS g
          WHERE ${inProject} AND g.last_occurred_hour <= errata.hour_of(${new Date(moment)})
          ORDER BY g.last_occurred_hour DESC, g.id DESC LIMIT ${sampled}
        ) AS last`,
      ([row]) => (row === undefined ? null : newestRows.read(row).id),
    )

  /**
   * Whether the text is so frequent, and the other conditions so rare, that it is looked for in what these find. By the
   * planner's estimates, which are good: what it does not know is that an index of texts reads all that it finds, whatever
   * else is looked for.
   */
  const isTextBestLast = (
    wanted: Statement.Fragment,
    filter: GroupFilter.GroupFilter,
    now: DateTime.Utc,
  ): Effect.Effect<boolean, SqlError> => {
    const others = conditions(sql, { ...filter, text: [] }, now, null)
    if (filter.text.length === 0 || others.length === 0) return Effect.succeed(false)
    return Effect.map(
      sql`
        EXPLAIN (FORMAT JSON)
        SELECT 1 FROM errata.groups AS g WHERE ${sql.and([wanted, ...others])}
        UNION ALL
        SELECT 1 FROM errata.groups AS g WHERE ${hasText(sql, filter)}`,
      (rows) => {
        const [ofOthers, ofText] = estimatesOf(rows[0])
        return ofOthers !== undefined && ofText !== undefined && ofText > 5_000 && ofOthers * 10 < ofText
      },
    )
  }

  const all = sql`errata.groups`

  /** Groups that stand for others and may have one of the tags, or the text, by these. */
  const rootsOf = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    cursor: number | null,
    between: { readonly last: number } | null,
  ): Effect.Effect<ReadonlyArray<number | null>, SqlError> => {
    const [tag] = filter.tags
    if (tag === undefined && filter.text.length === 0) return Effect.succeed([])
    const found =
      tag === undefined
        ? rootsWithText(sql, projectId, filter, cursor)
        : between === null
          ? rootsWithRarest(sql, projectId, filter.tags)
          : rootsWithTag(sql, projectId, tag, between.last, cursor)
    return Effect.map(sql`${found}`, (rows) => rows.map((row) => rootRows.read(row).id))
  }

  /** Those of some roots that match; of all roots where null is among them. */
  const matchingByMembers = (
    roots: ReadonlyArray<number | null>,
    filter: GroupFilter.GroupFilter,
    wanted: Statement.Fragment,
    now: DateTime.Utc,
    limit: number,
  ) => {
    const otherwise = conditions(sql, { ...filter, tags: [], text: [] }, now, null)
    const ofTree = [
      ...(filter.tags.length > 0 ? [tagsOfTree(sql, filter.tags)] : []),
      ...(filter.text.length > 0 ? [textOfTree(sql, filter)] : []),
    ]
    if (roots.includes(null)) {
      // Which of them match otherwise, and then their tags and texts: the planner takes these to be looked for in all of them.
      const few = sql`(SELECT * FROM errata.groups AS g WHERE ${sql.and([wanted, sql`g.has_members`, ...otherwise])} OFFSET 0)`
      return select(few, ofTree, limit)
    }
    const few = sql`(
      SELECT * FROM errata.groups AS g
      WHERE ${wanted} AND g.id = ANY (${PgLiteral.numbers(roots)}::bigint[])
      ORDER BY g.id DESC OFFSET 0)`
    return select(few, [...otherwise, ...ofTree], limit)
  }

  /** Those that match of a few. */
  const among = (
    ids: ReadonlyArray<number>,
    filter: GroupFilter.GroupFilter,
    wanted: Statement.Fragment,
    now: DateTime.Utc,
    limit: number,
  ) => {
    const few = sql`(
      SELECT * FROM errata.groups AS g WHERE ${wanted} AND g.id = ANY (${PgLiteral.distinct(ids)}::bigint[]) OFFSET 0)`
    const matching = select(few, [sql`true`, ...conditionsOfOne(sql, filter, now)], limit)
    return filter.ids === undefined ? byIndex(sql)(matching) : matching
  }

  /** Those that match by what they are themselves. */
  const matching = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    wanted: Statement.Fragment,
    isTextLast: Effect.Effect<boolean, SqlError>,
    now: DateTime.Utc,
    limit: number,
  ) =>
    Effect.gen(function* () {
      const filteredOfFew = conditions(sql, filter, now, null)
      const found = new Map<number, A>()
      const add = (groups: ReadonlyArray<A>) => {
        for (const group of groups) found.set(group.id, group)
        return found.size >= limit
      }
      const first = () => newestOf(found.values(), limit)
      const withTextLast = select(all, [wanted, ...conditions(sql, filter, now, projectId, true)], limit)

      if (filteredOfFew.length === 0) {
        add(yield* select(all, [wanted], limit))
        return first()
      }
      let older = wanted
      const { lastOccurredTo } = filter
      if (lastOccurredTo !== undefined) {
        const [start, isBest] = yield* Effect.all(
          [newestBy(sql.and(listed(sql, projectId)), lastOccurredTo), isTextLast],
          { concurrency: 2 },
        )
        if (start === null) return first()
        if (isBest) return yield* withTextLast
        older = sql.and([wanted, sql`g.id <= ${start}`])
        // All of them, and then those that match: asked for these, the planner would begin at the newest, or look for all
        // that match.
        const occurred = conditions(sql, { ...GroupFilter.all, lastOccurredTo }, now, null)
        const late = sql`(SELECT * FROM errata.groups AS g WHERE ${sql.and([wanted, sql`g.id > ${start}`, ...occurred])} OFFSET 0)`
        if (add(yield* select(late, filteredOfFew, limit))) return first()
      }
      for (const pages of looks(filter)) {
        const newest = sql`FROM errata.groups AS g WHERE ${older} ORDER BY g.id DESC`
        const looked = pages * Math.min(limit, Page.maxPageSize + 1)
        if (add(yield* select(sql`(SELECT * ${newest} LIMIT ${looked})`, filteredOfFew, limit)))
          return first()
        // New groups may move this meanwhile: a group can come twice, but none is left out.
        older = sql.and([older, sql`g.id < (SELECT g.id ${newest} OFFSET ${looked - 1} LIMIT 1)`])
      }
      if (lastOccurredTo === undefined && (yield* isTextLast)) return yield* withTextLast
      add(yield* select(all, [older, ...conditions(sql, filter, now, projectId)], limit))
      return first()
    })

  const list = (
    projectId: ProjectId,
    filter: GroupFilter.GroupFilter,
    { cursor, limit: size }: Page.PageRequest,
    now: DateTime.Utc,
  ) =>
    Effect.gen(function* () {
      // Conditions that contradict each other.
      if (filter.severities?.length === 0) return []
      const limit = size + 1
      const wanted = [...listed(sql, projectId), ...(cursor === null ? [] : [sql`g.id < ${cursor}`])]
      if (isOfFew(filter)) {
        const some = yield* candidates(projectId, { ...filter, tags: [], text: [] })
        if (some?.complete) return yield* among(some.ids, filter, sql.and(wanted), now, limit)
      }
      const isTextLast = yield* Effect.cached(isTextBestLast(sql.and(wanted), filter, now))
      const matchingOwn = matching(projectId, filter, sql.and(wanted), isTextLast, now, limit)
      const byMembers = (roots: ReadonlyArray<number | null>, last: number | null) => {
        if (roots.length === 0) return Effect.succeed([])
        const newer = last === null ? wanted : [...wanted, sql`g.id > ${last}`]
        return matchingByMembers(roots, filter, sql.and(newer), now, limit)
      }
      const rootsWithoutBounds = rootsOf(projectId, filter, cursor, null)
      // The page is seldom full of what matches by itself: both at one time.
      if (filter.lastOccurredTo !== undefined) {
        const others = Effect.flatMap(rootsWithoutBounds, (roots) => byMembers(roots, null))
        const found = yield* Effect.all([matchingOwn, others], { concurrency: 2 })
        return newestOfBoth(...found, limit)
      }
      // Where it is likely that these are asked for, at the same time: the page may be full without them.
      const isLikely = filter.tags.length > 1 || !isInOrder(filter)
      const [own, asked] = yield* Effect.all(
        [matchingOwn, isLikely ? rootsWithoutBounds : Effect.succeed(null)],
        { concurrency: 2 },
      )
      // Where the page is full, only those newer than its last group matter.
      const last = own.length < limit ? null : own[limit - 1]!.id
      const roots = asked ?? (yield* rootsOf(projectId, filter, cursor, last === null ? null : { last }))
      return newestOfBoth(own, yield* byMembers(roots, last), limit)
    })

  return (projectId, filter, page, now) =>
    Effect.map(list(projectId, filter, page, now), (groups) => Page.fromRows(groups, page))
}

// internal

interface Listed {
  readonly id: number
}

const newestRows = Rows.make({ id: nullable(int8()) })

/** How many rows each part of a union is estimated to have. */
const estimatesOf = (row: object | undefined): ReadonlyArray<number | undefined> => {
  const [explained] = Object.values(row ?? {})
  const [top] = typeof explained === "string" ? JSON.parse(explained) : explained
  const parts: ReadonlyArray<{ readonly "Plan Rows"?: number }> = top?.Plan?.Plans ?? []
  return parts.map((part) => part["Plan Rows"])
}

const rootRows = Rows.make({ id: nullable(int8()) })

const newestOf = <A extends Listed>(groups: Iterable<A>, limit: number): ReadonlyArray<A> =>
  [...groups].sort((a, b) => b.id - a.id).slice(0, limit)

/** What comes second may be there twice. */
const newestOfBoth = <A extends Listed>(
  own: ReadonlyArray<A>,
  byMembers: ReadonlyArray<A>,
  limit: number,
): ReadonlyArray<A> => {
  if (byMembers.length === 0) return own
  return newestOf(new Map([...byMembers, ...own].map((group) => [group.id, group])).values(), limit)
}

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
  filter.usersCount === undefined &&
  filter.lastOccurredFrom === undefined &&
  filter.lastOccurredTo === undefined &&
  filter.text.length === 0

/**
 * Whether the planner's estimate is a guess. Words that stand together are taken as independent of one another: what
 * thousands of groups have in common seems to be rare then.
 */
const isGuessed = ({ text }: GroupFilter.GroupFilter): boolean =>
  text.length > 1 || text.some(({ words }) => words.length > 1)
