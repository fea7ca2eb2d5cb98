import { useState } from "preact/hooks"
import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { type RetentionKind, retentionQuery, runsQuery, startRun } from "../../data/policies.js"
import { useQuery } from "../../data/query.js"
import { Confirm } from "../../parts/Confirm.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { Menu } from "../../parts/Menu.js"
import { Time } from "../../parts/Time.js"
import { dataOf, outcomeOf, subjectOf } from "./runText.js"

export const RetentionRuns = () => {
  const runs = useQuery(runsQuery)
  const mayStart = useCan("policies.administer")
  const [asked, ask] = useState<RetentionKind | null>(null)
  return (
    <Card
      title="Runs"
      actions={
        mayStart && (
          <Menu label="Run now ▾" align="end">
            <Start kind="errors" onClick={ask} />
            <Start kind="artifacts" onClick={ask} />
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
                    <span class={run.state === "failed" ? "tag bad" : "tag"}>{run.state}</span>
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
      {asked !== null && <AskedRun kind={asked} onClose={() => ask(null)} />}
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
  const isOn = useQuery(retentionQuery(kind)).data?.enabled ?? true
  const what = dataOf(kind)
  return (
    <button type="button" disabled={!isOn} onClick={() => onClick(kind)}>
      {isOn ? `Delete old ${what}…` : `Deletion of ${what} is turned off`}
    </button>
  )
}

const AskedRun = ({ kind, onClose }: { readonly kind: RetentionKind; readonly onClose: () => void }) => {
  const what = dataOf(kind)
  return (
    <Confirm
      title={`Delete old ${what} now?`}
      action={`Delete old ${what}`}
      run={() => startRun(kind)}
      onClose={(isDone) => {
        onClose()
        if (isDone) notify("The run starts within seconds.")
      }}
    >
      {() => <p>The run applies the saved rules, as it does every night. Deleted data cannot be restored.</p>}
    </Confirm>
  )
}
