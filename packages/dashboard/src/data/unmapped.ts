/** Groups whose newest report has unmapped frames. */
import type { Group, Report } from "@errata/api/promise"
import { api } from "./client.js"
import type { Aborts } from "./query.js"

/** The number of groups that are checked, because each needs a request. */
export const checkedGroups = 25

export interface Unmapped {
  readonly group: Group
  readonly report: Report
}

/** Checks the newest report of the groups that were seen last. */
export const unmappedQuery = (projectId: number) => ({
  queryKey: ["unmapped", projectId],
  queryFn: async ({ signal }: Aborts): Promise<ReadonlyArray<Unmapped>> => {
    const { groups } = await api.groups.list(
      projectId,
      { sort: "last_seen", limit: checkedGroups },
      { signal },
    )
    const found = await Promise.all(
      groups.map(async (group) => {
        const { reports } = await api.reports.list(projectId, group.id, { limit: 1 }, { signal })
        return reports.map((report) => ({ group, report }))
      }),
    )
    return found.flat().filter(({ report }) => isUnmapped(report.sourcemap_status))
  },
})

/** Queues reports for mapping. Returns the number of those that no file can help yet; fails if that is all of them. */
export const mapAgain = async (reports: ReadonlyArray<Report>): Promise<number> => {
  const results = await Promise.allSettled(
    reports.map(({ group_id: groupId, id, project_id: projectId }) =>
      api.reports.retrySourcemaps(projectId, groupId, id),
    ),
  )
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []))
  if (failures.length > 0 && failures.length === reports.length) throw failures[0]
  return failures.length
}

/** True if mapping ended without success. Other reports need no map, are mapped, or wait. */
export const isUnmapped = (status: Report["sourcemap_status"]): boolean =>
  status === "not_found" || status === "failed" || status === "blocked"
