/** Reports per hour, for bars. */

import { request } from "./client.js"
import type { Activity, Series } from "./pending.js"

const hour = 3_600_000

/** The whole hours of a window that ends with the running one. */
export const lastHours = (count: number, now: number) => {
  const end = Math.ceil((now + 1) / hour) * hour
  return { since: new Date(end - count * hour).toISOString(), until: new Date(end).toISOString() }
}

/** Counts per hour of the last hours: of groups if ids are given (at most 100), else of the project. */
export const fetchActivity = (
  projectId: number,
  hours: number,
  groupIds: ReadonlyArray<number> | null,
  signal: AbortSignal,
): Promise<Activity> =>
  request("GET", `/projects/${projectId}/activity`, {
    query: {
      ...lastHours(hours, Date.now()),
      step: "hour",
      group_ids: groupIds === null ? undefined : groupIds.join(","),
    },
    signal,
  })

export const seriesOf = (activity: Activity | undefined, groupId: number | null): Series | undefined =>
  activity?.series.find((series) => series.group_id === groupId)
