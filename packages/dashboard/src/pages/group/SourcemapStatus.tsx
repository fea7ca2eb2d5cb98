/** The state of mapping the frames to their sources, and advice if it failed. */
import type { ReportDetail } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { api } from "../../data/client.js"
import { describe } from "../../data/failure.js"
import { useProjectAccess } from "../../data/projects.js"
import { cache } from "../../data/query.js"
import { Time } from "../../parts/Time.js"
import { adviceOf } from "./SourcemapAdvice.js"

export const SourcemapStatus = ({ report }: { readonly report: ReportDetail }) => {
  const {
    sourcemap_attempted_at: attemptedAt,
    sourcemap_failure_code: code,
    sourcemap_status: status,
  } = report
  const mayRetry = useProjectAccess(report.project_id)("project.administer")
  const [result, tell] = useState("")
  if (status === "unprocessed" || status === "resolved") return null
  const isRunning = status === "queued" || status === "fetching"
  if (!isRunning && nothingUploaded.has(code) && hasSource(report)) return null
  const retry = async () => {
    try {
      await api.reports.retrySourcemaps(report.project_id, report.group_id, report.id)
      tell("Queued. The frames change when the maps are read.")
      await cache.invalidateQueries({ queryKey: ["report"] })
    } catch (error) {
      tell(describe(error))
    }
  }
  return (
    <div class={isRunning ? "banner" : "banner warn"}>
      <p>
        <b>{isRunning ? "Source maps are being read." : "The frames are not mapped to their sources."}</b>{" "}
        {!isRunning && adviceOf(code)}
        {attemptedAt !== null && (
          <span class="faint">
            {" Last tried "}
            <Time value={attemptedAt} />.
          </span>
        )}
        <span role="status">{result !== "" && ` ${result}`}</span>
      </p>
      {!isRunning && mayRetry && (
        <button type="button" onClick={retry}>
          Map again
        </button>
      )}
    </div>
  )
}

// internal

const nothingUploaded: ReadonlySet<string | null> = new Set([
  "artifact_not_uploaded",
  "no_debug_id_or_release",
])

/** Servers that are not bundled send their sources with the error, and need no maps. */
const hasSource = ({ exceptions }: ReportDetail): boolean => {
  const own = exceptions.flatMap(({ frames }) => frames.filter(({ in_app }) => in_app === true))
  return (
    own.length > 0 && own.every(({ context_line: line }) => typeof line === "string" && line.length <= 200)
  )
}
