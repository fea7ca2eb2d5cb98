/** What retention deleted, and when. */
import type { RetentionRun } from "@errata/api/promise"
import { useCan } from "../../data/me.js"
import { notify, notifyFailure } from "../../data/notices.js"
import {
  type Retention,
  type RetentionKind,
  retentionQuery,
  runsQuery,
  startRun,
} from "../../data/policies.js"
import { useQuery } from "../../data/query.js"
import { Menu } from "../../parts/Menu.js"
import { Time } from "../../parts/Time.js"
import { Card, Loaded } from "../settings/Loaded.js"
import { outcomeOf, subjectOf } from "./runText.js"

export const RetentionRuns = () => {
  const runs = useQuery<ReadonlyArray<RetentionRun>>(runsQuery)
  const mayStart = useCan("policies.administer")
  const start = async (kind: RetentionKind) => {
    try {
      await startRun(kind)
      notify("The run starts within seconds.")
    } catch (error) {
      notifyFailure("The run was not started.", error)
    }
  }
  return (
    <Card
      title="Runs"
      actions={
        mayStart && (
          <Menu label="Run now ▾" align="end">
            <Start kind="errors" onClick={start} />
            <Start kind="artifacts" onClick={start} />
          </Menu>
        )
      }
    >
      <Loaded query={runs} name="runs">
        {(all) =>
          all.length === 0 ? (
            <p class="nothing">No run yet. The first one is at night.</p>
          ) : (
            <ul class="rows">
              {all.map((run) => (
                <li key={run.id}>
                  <div class="grow">
                    <b>{subjectOf(run)}</b>{" "}
                    <span class={run.state === "failed" ? "chip bad" : "tag"}>{run.state}</span>
                    <p class="faint">{outcomeOf(run)}</p>
                  </div>
                  <span class="faint nowrap">
                    <Time value={run.finished_at ?? run.started_at ?? run.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

// internal

/** The server refuses a run while the rules are off. */
const Start = ({
  kind,
  onClick,
}: {
  readonly kind: RetentionKind
  readonly onClick: (kind: RetentionKind) => void
}) => {
  const isOn = useQuery<Retention>(retentionQuery(kind)).data?.enabled ?? true
  const what = kind === "errors" ? "reports" : "uploads"
  return (
    <button type="button" disabled={!isOn} onClick={() => onClick(kind)}>
      {isOn ? `Delete old ${what} by the saved rules` : `Deletion of ${what} is turned off`}
    </button>
  )
}
