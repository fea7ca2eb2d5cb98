import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { isMissing } from "../../data/failure.js"
import { findGroupQuery } from "../../data/findGroup.js"
import { useQuery } from "../../data/query.js"
import { eventQuery } from "../../data/report.js"
import { href } from "../../data/root.js"
import { groupPath } from "../../data/trail.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { cut, line } from "../../text/SafeText.js"
import { reportPath } from "./paths.js"

/** Without a project, it looks in all projects of the caller. */
export const EventPage = ({
  params,
}: {
  readonly params?: { readonly project?: string; readonly event?: string }
}) => {
  const projectId = params?.project === undefined ? null : Number(params.project)
  const eventId = params?.event ?? ""
  const { data, error, refetch } = useQuery(eventQuery(projectId, eventId))
  return (
    <Lead
      title={`Event ${line(cut(eventId, 40))}`}
      to={data && reportPath({ projectId: data.project_id, groupId: data.group_id }, data.id)}
      isMissing={isMissing(error) || (error as { readonly status?: number } | null)?.status === 422}
      error={error}
    >
      No report of this event was found. It may wait in the queue, or retention has removed it.{" "}
      <button type="button" class="link" onClick={() => refetch()}>
        Look again
      </button>
    </Lead>
  )
}

/** Looks for the group in all projects of the caller. */
export const NumberPage = ({ params }: { readonly params?: { readonly group?: string } }) => {
  const id = Number(params?.group)
  const { data, error } = useQuery(findGroupQuery(id))
  return (
    <Lead title={`Group ${id}`} to={data && groupPath(data)} isMissing={data === null} error={error}>
      None of your projects has a group of this number. It may have been deleted.
    </Lead>
  )
}

// internal

const Lead = ({
  children,
  error,
  isMissing,
  title,
  to,
}: {
  readonly title: string
  readonly to: string | null | undefined
  readonly isMissing: boolean
  readonly error: Error | null
  /** Shown if nothing was found. */
  readonly children: ComponentChildren
}) => {
  const { route } = useLocation()
  useEffect(() => {
    if (to != null) route(href(to), true)
  }, [to])
  return (
    <Page title={title}>
      {isMissing ? (
        <p>{children}</p>
      ) : error === null ? (
        <Skeleton label="the report" />
      ) : (
        <Problem title="The report could not be found." error={error} />
      )}
    </Page>
  )
}
