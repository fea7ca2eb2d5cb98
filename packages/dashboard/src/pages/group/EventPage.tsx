/** Leads from the id of an event, as log lines have it, to the report. */
import type { ReportDetail } from "@errata/api/promise"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { isMissing } from "../../data/failure.js"
import { useQuery } from "../../data/query.js"
import { eventQuery } from "../../data/report.js"
import { href } from "../../data/root.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { cut, line } from "../../text/SafeText.js"
import { reportPath } from "./paths.js"

export const EventPage = ({
  params,
}: {
  readonly params?: { readonly project?: string; readonly event?: string }
}) => {
  const projectId = params?.project === undefined ? null : Number(params.project)
  const eventId = params?.event ?? ""
  const { route } = useLocation()
  const { data, error, refetch } = useQuery<ReportDetail>(eventQuery(projectId, eventId))
  useEffect(() => {
    if (data === undefined) return
    const ids = { projectId: data.project_id, groupId: data.group_id }
    route(href(reportPath(ids, data.id)), true)
  }, [data])
  return (
    <Page title={`Event ${line(cut(eventId, 40))}`}>
      {error === null ? (
        <Skeleton label="the report" />
      ) : isMissing(error) || (error as { readonly status?: number }).status === 422 ? (
        <p>
          No report of this event was found. It may wait in the queue, or retention has removed it.{" "}
          <button type="button" class="link" onClick={() => refetch()}>
            Look again
          </button>
        </p>
      ) : (
        <Problem title="The report could not be found." error={error} />
      )}
    </Page>
  )
}
