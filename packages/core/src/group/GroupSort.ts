/**
 * Sort orders of group lists. A group sorts by a coarse rank (hour of the last report, or magnitude of a count), then
 * by id. Ranks rarely change when reports arrive, so lists can be read page by page. The groups of a page are then
 * sorted by their exact values.
 */
import type { PageRequest } from "../storage/Page.js"
import type { Group } from "./Group.js"

/** The sort orders of group lists. */
export const groupSorts = ["newest", "last_seen", "reports_count", "users_count"] as const
/** A sort order of group lists. */
export type GroupSort = (typeof groupSorts)[number]

/** The error message for an unknown sort order. */
export const notGroupSort = "must be newest, last_seen, reports_count or users_count"

/** Maximum number of projects in one list. */
export const maxListedProjects = 50

/** A page of a list. A cursor is only valid for the sort order that it was created with. */
export interface GroupPageRequest extends PageRequest {
  /** `newest` by default. */
  readonly sort?: GroupSort | undefined
}

/** The fields that sort orders depend on. */
export type SortedGroup = Pick<Group, "id" | "lastOccurredAt" | "reportsCount" | "usersCount">

/** The position of a group in a list, descending. The cursor of a page is the position of its last group. */
export const placeOf = (sort: GroupSort, group: SortedGroup): number =>
  rankOf(sort, group) * idsOfRank + group.id

/** Sorts the groups of one page by their exact values. Pages follow each other in the order of ranks. */
export const inExactOrder = <G extends SortedGroup>(
  groups: ReadonlyArray<G>,
  sort: GroupSort = "newest",
): ReadonlyArray<G> => groups.toSorted((a, b) => valueOf(sort, b) - valueOf(sort, a) || b.id - a.id)

/** Splits a cursor into rank and id. The rank is meaningless for `newest`. */
export const readPlace = (place: number): { readonly rank: number; readonly id: number } => ({
  rank: Math.floor(place / idsOfRank),
  id: place % idsOfRank,
})

/** Hours since 2000, clamped to the years 2000 to 2119. */
export const hourOf = (millis: number): number =>
  Math.min(Math.max(Math.floor((millis - firstHour) / hour), 0), lastRank)

/** The start of an hour, in epoch milliseconds. */
export const startOfHour = (rank: number): number => firstHour + rank * hour

/** The number of magnitudes that a count has reached. */
export const magnitudeOf = (count: number): number => magnitudes.filter((start) => start <= count).length

// internal

/** Larger than any id. Leaves 20 of the 53 bits of a JSON integer for the rank. */
const idsOfRank = 2 ** 33
const lastRank = 2 ** 20 - 1
const firstHour = Date.UTC(2000, 0)
const hour = 3_600_000

const magnitudes = [
  ...[2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000],
  ...[100_000, 200_000, 500_000, 1_000_000, 10_000_000, 100_000_000],
]

const valueOf = (sort: GroupSort, { lastOccurredAt, reportsCount, usersCount }: SortedGroup): number => {
  switch (sort) {
    case "newest":
      return 0
    case "last_seen":
      return lastOccurredAt.epochMilliseconds
    case "reports_count":
      return reportsCount
    case "users_count":
      return usersCount
  }
}

const rankOf = (sort: GroupSort, group: SortedGroup): number => {
  const value = valueOf(sort, group)
  return sort === "newest" ? 0 : sort === "last_seen" ? hourOf(value) : magnitudeOf(value)
}
