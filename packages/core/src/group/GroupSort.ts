/**
 * The orders of lists of groups. A group has a coarse rank, the hour of its last report or the magnitude of its number of
 * reports, and its id decides within a rank. Groups that get reports keep their places for the most part, so a list can
 * be read page by page.
 */
import type { PageRequest } from "../storage/Page.js"
import type { Group } from "./Group.js"

/** The orders that lists of groups can have. */
export const groupSorts = ["newest", "last_seen", "reports_count", "users_count"] as const
/** An order of a list of groups. */
export type GroupSort = (typeof groupSorts)[number]

/** The message about an unknown order. */
export const notGroupSort = "must be newest, last_seen, reports_count or users_count"

/** Projects that one list can be of. */
export const maxListedProjects = 50

/** The cursor of a page is only valid for the order that it came from. */
export interface GroupPageRequest extends PageRequest {
  /** `newest` unless given. */
  readonly sort?: GroupSort | undefined
}

/** The fields that an order depends on. */
export type SortedGroup = Pick<Group, "id" | "lastOccurredAt" | "reportsCount" | "usersCount">

/** Where a group stands in a list, descending. It is the cursor of a page that ends with the group. */
export const placeOf = (sort: GroupSort, group: SortedGroup): number =>
  rankOf(sort, group) * idsOfRank + group.id

/** The rank and the id of a cursor. The rank of `newest` says nothing. */
export const readPlace = (place: number): { readonly rank: number; readonly id: number } => ({
  rank: Math.floor(place / idsOfRank),
  id: place % idsOfRank,
})

/** Hours since the year 2000. Groups before it, and after the year 2119, have the first and the last hour. */
export const hourOf = (millis: number): number =>
  Math.min(Math.max(Math.floor((millis - firstHour) / hour), 0), lastRank)

/** Where the hour begins, in epoch milliseconds. */
export const startOfHour = (rank: number): number => firstHour + rank * hour

/** How many of the magnitudes a number of reports or users has reached. */
export const magnitudeOf = (count: number): number => magnitudes.filter((start) => start <= count).length

// internal

/** Larger than any id. Twenty bits are left for the rank in the integers that JSON has. */
const idsOfRank = 2 ** 33
const lastRank = 2 ** 20 - 1
const firstHour = Date.UTC(2000, 0)
const hour = 3_600_000

const magnitudes = [
  ...[2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000],
  ...[100_000, 200_000, 500_000, 1_000_000, 10_000_000, 100_000_000],
]

const rankOf = (sort: GroupSort, { lastOccurredAt, reportsCount, usersCount }: SortedGroup): number => {
  switch (sort) {
    case "newest":
      return 0
    case "last_seen":
      return hourOf(lastOccurredAt.epochMilliseconds)
    case "reports_count":
      return magnitudeOf(reportsCount)
    case "users_count":
      return magnitudeOf(usersCount)
  }
}
