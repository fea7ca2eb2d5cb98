/** Reports: details, neighbors and attachments. */
import type { Report, ReportDetail, ReportsPage } from "@errata/api/promise"
import { api } from "./client.js"
import { isMissing } from "./failure.js"
import { type Aborts, cache, delayOf, isWorthRetry } from "./query.js"

/** The query of a report; the newest one without an id: `useQuery(reportQuery(1, 42, null))`. */
export const reportQuery = (projectId: number, groupId: number, reportId: number | null) => ({
  queryKey: ["report", projectId, groupId, reportId ?? "latest"],
  queryFn: async ({ signal }: Aborts): Promise<ReportDetail> => {
    const query = { include: "navigation" } as const
    const report =
      reportId === null
        ? await api.reports.latest(projectId, groupId, query, { signal })
        : await api.reports.get(projectId, groupId, reportId, query, { signal })
    // Also cached by its id, for navigating back to it.
    cache.setQueryData(["report", projectId, groupId, report.id], report)
    return report
  },
  staleTime: reportId === null ? 5_000 : 5 * 60_000,
  // A newer report must not replace the one that the reader sees.
  refetchOnWindowFocus: false,
})

/** Reloads the newest report and the neighbors of the current one. */
export const refreshReports = (projectId: number, groupId: number): void => {
  void cache.invalidateQueries({ queryKey: ["report", projectId, groupId] })
  void cache.invalidateQueries({ queryKey: ["reports", projectId, groupId] })
}

/** Preloads a report. */
export const prefetchReport = (
  projectId: number,
  groupId: number,
  reportId: number | null | undefined,
): void => {
  if (reportId != null) void cache.prefetchQuery(reportQuery(projectId, groupId, reportId))
}

/** Finds a report by the id of its event, in one project or in all of the caller (null). */
export const eventQuery = (projectId: number | null, eventId: string) => ({
  queryKey: ["event", projectId, eventId],
  queryFn: ({ signal }: Aborts) =>
    projectId === null
      ? api.reports.findAnywhere(eventId, {}, { signal })
      : api.reports.findByEventId(projectId, eventId, {}, { signal }),
  // The server accepts an event some milliseconds before it records the report.
  retry: (failures: number, error: Error) =>
    isMissing(error) ? failures < 5 : isWorthRetry(failures, error),
  retryDelay: (failures: number, error: Error) => (isMissing(error) ? 400 : delayOf(failures, error)),
  staleTime: Number.POSITIVE_INFINITY,
})

export interface Range {
  readonly since?: string
  readonly until?: string
}

export const reportsQuery = (projectId: number, groupId: number, range: Range, cursor: number | null) => ({
  queryKey: ["reports", projectId, groupId, range.since ?? "", range.until ?? "", cursor],
  queryFn: ({ signal }: Aborts): Promise<ReportsPage> =>
    api.reports.list(projectId, groupId, range).page({ limit: 50, cursor }, { signal }),
})

/** Returns a `blob:` address of an attachment. The caller revokes it. */
export const attachmentUrl = async (
  { group_id, id, project_id }: Pick<Report, "project_id" | "group_id" | "id">,
  attachment: { readonly id: number; readonly content_type: string },
): Promise<string> => {
  const bytes = await api.reports.getAttachment(project_id, group_id, id, attachment.id)
  return URL.createObjectURL(new Blob([bytes as BlobPart], { type: attachment.content_type }))
}
