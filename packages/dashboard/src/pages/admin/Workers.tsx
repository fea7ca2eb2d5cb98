/** Background jobs of all nodes: the last run, its node, and its result. */
import type { Health } from "@errata/api/promise"
import { Card } from "../../parts/Loaded.js"
import { Time } from "../../parts/Time.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { byImportance, hasFailed, isWorker, jobName } from "./healthText.js"

export const Workers = ({ jobs }: { readonly jobs: Health["jobs"] }) => {
  const shown = jobs.filter((job) => isWorker(job) || hasFailed(job)).sort(byImportance)
  const others = jobs.filter((job) => !shown.includes(job))
  return (
    <Card title="Workers">
      {shown.length === 0 ? <p class="nothing">No worker has reported yet.</p> : <Rows jobs={shown} />}
      {others.length > 0 && (
        <details class="more-jobs">
          <summary>{counted(others.length, "background job")} without failures</summary>
          <Rows jobs={others} />
        </details>
      )}
    </Card>
  )
}

// internal

type Job = Health["jobs"][number]

const Rows = ({ jobs }: { readonly jobs: ReadonlyArray<Job> }) => (
  <ul class="rows">
    {jobs.map((job) => (
      <li key={job.name}>
        <div class="grow">
          <b>{jobName(job.name)}</b> {hasFailed(job) && <span class="tag bad">failing</span>}
          <p class="faint">
            <code>{line(cut(job.node, 80))}</code>
            {job.succeeded_at !== null && (
              <>
                {" · last success "}
                <Time value={job.succeeded_at} />
              </>
            )}
            {hasFailed(job) && job.failed_at !== null && (
              <>
                {" · failed "}
                <Time value={job.failed_at} />: {line(cut(job.failure ?? "unknown", 80))}
              </>
            )}
          </p>
        </div>
        <p class="faint num">
          seen <Time value={job.heartbeat_at} />
        </p>
      </li>
    ))}
  </ul>
)
