import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { fetchGroups } from "../../data/groups.js"
import { notifyFailure } from "../../data/notices.js"
import { useProject } from "../../data/projects.js"
import { href } from "../../data/root.js"
import { groupPath } from "../../data/trail.js"
import { clock } from "../../parts/Time.js"
import { relative, shortDateTime } from "../../text/Times.js"

/** Waits ten minutes for the first report. Shows when an SDK called without one, and links to the first report. */
export const Waiting = ({ projectId }: { readonly projectId: number }) => {
  const [since, setSince] = useState(() => Date.now())
  const isOver = clock.value - since > waitMillis
  const project = useProject(projectId, isOver ? false : 2_000).data
  if (project === undefined) return null
  const { last_contact_at: contact = null, reports_count } = project
  const first = project.first_report_at ?? (reports_count > 0 ? project.updated_at : null)
  if (first !== null) return <FirstReport projectId={projectId} at={first} />
  return (
    <div class={isOver ? "wait over" : "wait"} role="status">
      <span class="dot" aria-hidden="true" />
      <div>
        <strong>{isOver ? "No report came within 10 minutes" : "Waiting for the first report"}</strong>
        <p>
          {contact === null
            ? "No SDK has called yet."
            : `An SDK called ${relative(contact, clock.value)}, and sent no error yet.`}
        </p>
      </div>
      {isOver && (
        <button type="button" onClick={() => setSince(Date.now())}>
          Wait longer
        </button>
      )}
    </div>
  )
}

// internal

const waitMillis = 10 * 60_000

const FirstReport = ({ projectId, at }: { readonly projectId: number; readonly at: string }) => {
  const { route } = useLocation()
  const open = async () => {
    try {
      const { groups } = await fetchGroups({ projectId, query: "", sort: "newest" }, null)
      const oldest = groups.at(-1)
      route(href(oldest === undefined ? `projects/${projectId}/groups` : groupPath(oldest)))
    } catch (error) {
      notifyFailure("The report was not opened.", error)
    }
  }
  return (
    <div class="wait found" role="status">
      <span class="dot" aria-hidden="true" />
      <div>
        <strong>First report</strong>
        <p>{shortDateTime(at)}</p>
      </div>
      <button type="button" class="primary" onClick={open}>
        Open it
      </button>
    </div>
  )
}
