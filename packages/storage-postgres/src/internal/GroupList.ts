/**
 * Lists groups, newest first. The planner assumes that matches are spread evenly. If all matches are old, it would scan
 * a whole project from the newest group. Pages are therefore filled in steps with bounded cost:
 *
 * 1. Check the newest groups one by one, which fills the page for most filters. Check more of them if the planner can
 *    only guess, and none if every condition has an index in list order.
 * 2. Take the rest from older groups, by the index that the planner chooses.
 *
 * Roots that match only by the tags or texts of their members are searched separately and merged into the page. They
 * are few. Once a page is full, only those newer than its last group count.
 *
 * A list that ends at a past moment starts at groups that were new then. The few newer groups that match, because their
 * reports arrived late, are searched first.
 *
 * A frequent word combined with rare conditions is only checked on the groups that match those conditions.
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
import * as Rows from "./Rows.js"
import { int8, nullable } from "./SqlType.js"

export type GroupList<A> = (
  projectId: ProjectId,
  filter: GroupFilter.GroupFilter,
  page: Page.PageRequest,
  now: DateTime.Utc,
) => Effect.Effect<Page.Page<A>, SqlError>

/** Lists groups by the columns `selected` of `g`, decoded by `read`. */
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

  /** Returns the newest id among the groups that occurred last before a moment, or null if there are none. */
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
   * Returns whether the text is frequent and the other conditions are rare, by the planner's estimates. The estimates
   * are good, but the planner ignores that a text index always reads all of its matches.
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

  /** Roots that may match by the tags or the text of their members. */
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

  /** Returns which of the roots match; of all roots if the list contains null. */
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
      // Apply the other conditions first: the planner would search tags and texts in all groups.
      const few = sql`(SELECT * FROM errata.groups AS g WHERE ${sql.and([wanted, sql`g.has_members`, ...otherwise])} OFFSET 0)`
      return select(few, ofTree, limit)
    }
    const few = sql`(
      SELECT * FROM errata.groups AS g
      WHERE ${wanted} AND g.id = ANY (${roots}::bigint[])
      ORDER BY g.id DESC OFFSET 0)`
    return select(few, [...otherwise, ...ofTree], limit)
  }

  /** Returns which of a few groups match. */
  const among = (
    ids: ReadonlyArray<number>,
    filter: GroupFilter.GroupFilter,
    wanted: Statement.Fragment,
    now: DateTime.Utc,
    limit: number,
  ) => {
    const few = sql`(
      SELECT * FROM errata.groups AS g WHERE ${wanted} AND g.id = ANY (${[...new Set(ids)]}::bigint[]) OFFSET 0)`
    const matching = select(few, [sql`true`, ...conditionsOfOne(sql, filter, now)], limit)
    return filter.ids === undefined ? byIndex(sql)(matching) : matching
  }

  /** Returns groups that match by their own data. */
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
        // OFFSET 0 selects late groups before filtering them. Otherwise, the planner would start at the newest group or
        // search for all matches.
        const occurred = conditions(sql, { ...GroupFilter.all, lastOccurredTo }, now, null)
        const late = sql`(SELECT * FROM errata.groups AS g WHERE ${sql.and([wanted, sql`g.id > ${start}`, ...occurred])} OFFSET 0)`
        if (add(yield* select(late, filteredOfFew, limit))) return first()
      }
      for (const pages of looks(filter)) {
        const newest = sql`FROM errata.groups AS g WHERE ${older} ORDER BY g.id DESC`
        const looked = pages * Math.min(limit, Page.maxPageSize + 1)
        if (add(yield* select(sql`(SELECT * ${newest} LIMIT ${looked})`, filteredOfFew, limit)))
          return first()
        // New groups may shift this offset: a group may be found twice, but none is missed.
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
      // Contradictory conditions.
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
      // Here a page is rarely filled by the groups' own data, so run both searches at once.
      if (filter.lastOccurredTo !== undefined) {
        const others = Effect.flatMap(rootsWithoutBounds, (roots) => byMembers(roots, null))
        const found = yield* Effect.all([matchingOwn, others], { concurrency: 2 })
        return newestOfBoth(...found, limit)
      }
      // Start the second search at once if it is likely needed; otherwise the page may be full without it.
      const isLikely = filter.tags.length > 1 || !isInOrder(filter)
      const [own, asked] = yield* Effect.all(
        [matchingOwn, isLikely ? rootsWithoutBounds : Effect.succeed(null)],
        { concurrency: 2 },
      )
      // If the page is full, only roots newer than its last group matter.
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

/** Returns the row estimate of each part of a UNION ALL. */
const estimatesOf = (row: object | undefined): ReadonlyArray<number | undefined> => {
  const [explained] = Object.values(row ?? {})
  const [top] = typeof explained === "string" ? JSON.parse(explained) : explained
  const parts: ReadonlyArray<{ readonly "Plan Rows"?: number }> = top?.Plan?.Plans ?? []
  return parts.map((part) => part["Plan Rows"])
}

const rootRows = Rows.make({ id: nullable(int8()) })

const newestOf = <A extends Listed>(groups: Iterable<A>, limit: number): ReadonlyArray<A> =>
  [...groups].sort((a, b) => b.id - a.id).slice(0, limit)

/** Merges both lists without duplicates. */
const newestOfBoth = <A extends Listed>(
  own: ReadonlyArray<A>,
  byMembers: ReadonlyArray<A>,
  limit: number,
): ReadonlyArray<A> => {
  if (byMembers.length === 0) return own
  return newestOf(new Map([...byMembers, ...own].map((group) => [group.id, group])).values(), limit)
}

/** Sample size. At least one of these groups was most likely new at that moment. */
const sampled = 200

/** Numbers of pages of the newest groups to check one by one, in order. */
const looks = (filter: GroupFilter.GroupFilter): ReadonlyArray<number> =>
  isGuessed(filter) ? [10, 100] : isInOrder(filter) ? [] : [10]

/** Returns whether every condition has an index in list order, so that a page is the start of one index. */
const isInOrder = (filter: GroupFilter.GroupFilter): boolean =>
  filter.muted !== false &&
  filter.reopened !== false &&
  filter.tags.length <= maxTagConditions &&
  (filter.severities === undefined || filter.severities.length < 2) &&
  filter.reportsCount === undefined &&
  filter.usersCount === undefined &&
  filter.lastOccurredFrom === undefined &&
  filter.lastOccurredTo === undefined &&
  filter.text.length === 0

/**
 * Returns whether the planner's estimate is a guess. It treats adjacent words as independent, so a phrase that
 * thousands of groups share looks rare.
 */
const isGuessed = ({ text }: GroupFilter.GroupFilter): boolean =>
  text.length > 1 || text.some(({ words }) => words.length > 1)
