/** Reports per hour, for bars. */
import type { Activity } from "@errata/api/promise"
import { type Signal, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { api } from "./client.js"
import { type GroupRef, keyOf } from "./groups.js"
import { type Aborts, cache, pollEvery } from "./query.js"
import { useIsShown } from "./shown.js"

const hour = 3_600_000

/** The server returns at most 31 days by the hour. Longer periods are by the day. */
const maxHours = 31 * 24

/** Returns the whole steps that end with the running one. */
export const lastHours = (count: number, now: number) => {
  const step = count > maxHours ? "day" : "hour"
  const size = step === "day" ? 24 * hour : hour
  const end = (Math.floor(now / size) + 1) * size
  return {
    since: new Date(end - count * hour).toISOString(),
    until: new Date(end).toISOString(),
    step,
  } as const
}

/** Counts of recent hours, by hour or day: of groups if ids are given (at most 100), else of the project. */
export const fetchActivity = (
  projectId: number,
  hours: number,
  groupIds: ReadonlyArray<number> | null,
  signal: AbortSignal,
): Promise<Activity> =>
  api.activity.get(
    projectId,
    {
      ...lastHours(hours, Date.now()),
      ...(groupIds === null ? {} : { group_ids: groupIds }),
    },
    { signal },
  )

/** Counts of a group between two hours, at most 31 days. */
export const fetchHours = (
  projectId: number,
  groupId: number,
  since: string,
  until: string,
  signal: AbortSignal,
): Promise<Activity> =>
  api.activity.get(projectId, { since, until, step: "hour", group_ids: [groupId] }, { signal })

/** The query of a project's series: `useQuery(projectActivityQuery(1, 24))`. */
export const projectActivityQuery = (projectId: number, hours: number) => ({
  queryKey: ["activity", projectId, hours],
  queryFn: ({ signal }: Aborts) => fetchActivity(projectId, hours, null, signal),
  staleTime: 30_000,
  refetchInterval: pollEvery(60_000),
})

export interface Bars {
  readonly since: string
  readonly step: "hour"
  readonly reports: ReadonlyArray<number>
}

/** Returns the signal of a group's bars of the last 24 hours; null until they are known. */
export const barsOf = (ref: GroupRef): Signal<Bars | null> => {
  const key = keyOf(ref)
  const known = bars.get(key) ?? signal<Bars | null>(null)
  bars.set(key, known)
  return known
}

/** Loads bars of the groups that a list shows, with one request for each 50 of a project, and again each minute. */
export const useBars = (groups: ReadonlyArray<GroupRef>): void => {
  const isShown = useIsShown()
  const keys = groups.map(keyOf).join()
  useEffect(() => {
    if (!isShown) return
    const load = () => {
      if (document.visibilityState !== "visible") return
      for (const [projectId, refs] of Map.groupBy(groups, ({ project_id }) => project_id)) {
        for (let at = 0; at < refs.length; at += chunk) void loadChunk(projectId, refs.slice(at, at + chunk))
      }
    }
    load()
    const timer = setInterval(load, 60_000)
    return () => clearInterval(timer)
  }, [keys, isShown])
}

// internal

const chunk = 50
const bars = new Map<string, Signal<Bars | null>>()

const loadChunk = async (projectId: number, refs: ReadonlyArray<GroupRef>): Promise<void> => {
  const ids = refs.map(({ id }) => id)
  try {
    const { series, since } = await cache.fetchQuery({
      queryKey: ["bars", projectId, ids.join()],
      queryFn: ({ signal }) => fetchActivity(projectId, 24, ids, signal),
      staleTime: 55_000,
    })
    for (const { group_id: id, reports } of series) {
      const known = id === null ? null : barsOf({ project_id: projectId, id })
      // A response from the cache must not render the rows again.
      if (known !== null && known.peek()?.reports !== reports) known.value = { since, step: "hour", reports }
    }
  } catch {
    // Rows without bars are still rows.
  }
}
