/** The headings of a list. They are as coarse as the order of pages, so rows of the next page fit below. */

import type { Row } from "../../data/groups.js"
import type { Sort } from "../../data/listFilter.js"
import { count } from "../../text/Numbers.js"
import { day } from "../../text/Times.js"

type Placed = Pick<Row, "last_occurred_at" | "created_at" | "reports_count" | "users_count">

/** Returns the heading of a group. */
export const headingOf = (group: Placed, sort: Sort, now: number): string => {
  switch (sort) {
    case "last_seen":
      return timeHeading(Date.parse(group.last_occurred_at), now)
    case "newest":
      return timeHeading(Date.parse(group.created_at), now)
    case "reports_count":
      return magnitude(group.reports_count, "report")
    case "users_count":
      return magnitude(group.users_count, "user")
  }
}

// internal

const hour = 3_600_000

/** By the hours in which times lie: within an hour the server orders by id. */
const timeHeading = (time: number, now: number): string => {
  const hours = Math.floor(now / hour) - Math.floor(time / hour)
  if (hours <= 0) return "This hour"
  if (hours < 24) return "Last 24 hours"
  const days = Math.floor(hours / 24)
  if (days < 7) return "Last 7 days"
  if (days < 30) return "Last 30 days"
  return `Before ${day(new Date(now - 30 * 24 * hour).toISOString(), now)}`
}

const magnitude = (value: number, noun: string): string => {
  if (value === 0) return `No ${noun}s`
  const power = 10 ** Math.floor(Math.log10(value))
  return power === 1 ? `Fewer than 10 ${noun}s` : `${count(power)} ${noun}s and more`
}
