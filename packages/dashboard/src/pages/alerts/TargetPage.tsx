/** One target: its address, its quiet hours, and a test. */
import type { Notification, NotificationKind, NotificationKinds, Target } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useMe } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import {
  createTarget,
  deleteTarget,
  kindsQuery,
  targetsQuery,
  testTarget,
  updateTarget,
} from "../../data/targets.js"
import { Confirm } from "../../parts/Confirm.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { useAction } from "../../parts/useAction.js"
import { nameOf } from "../../text/Names.js"
import { cut, line } from "../../text/SafeText.js"
import { outcomeOf } from "../settings/outcome.js"
import type { SectionProps } from "../settings/SectionProps.js"
import { stateOf } from "./notificationText.js"
import { TargetForm } from "./TargetForm.js"
import { kindLabel, TargetProblem } from "./Targets.js"

export const TargetPage = ({ params, project }: SectionProps) => {
  const item = params["item"] ?? ""
  const kinds = useQuery(kindsQuery)
  const targets = useQuery(targetsQuery(project.id))
  return (
    <Loaded query={kinds} name="kinds of targets">
      {(kinds) =>
        item === "new" ? (
          <NewTarget projectId={project.id} timezone={project.timezone} kinds={kinds} />
        ) : (
          <Loaded query={targets} name="targets">
            {(all) => {
              const target = all.find(({ id }) => String(id) === item)
              return target === undefined ? (
                <p class="nothing">This target does not exist. It may have been deleted.</p>
              ) : (
                <OneTarget key={target.id} target={target} timezone={project.timezone} kinds={kinds} />
              )
            }}
          </Loaded>
        )
      }
    </Loaded>
  )
}

// internal

const NewTarget = ({
  projectId,
  timezone,
  kinds: { kinds, mail },
}: {
  readonly projectId: number
  readonly timezone: string
  readonly kinds: NotificationKinds
}) => {
  const { route } = useLocation()
  const hasUrl = useMe()?.instance.base_url !== null
  const [chosen, choose] = useState("")
  const isUsable = (kind: NotificationKind) => hasUrl || !kind.requires_base_url
  const usable = kinds.filter(isUsable)
  const kind = usable.find((one) => one.kind === chosen) ?? usable[0]
  return (
    <>
      <Card title="Kind">
        <div class="card-body">
          <div class="kinds" role="radiogroup" aria-label="Kind of target">
            {kinds.map((one) => (
              <label key={one.kind} class={one === kind ? "chosen" : undefined}>
                <input
                  type="radio"
                  name="kind"
                  class="visually-hidden"
                  checked={one === kind}
                  disabled={!isUsable(one)}
                  onChange={() => choose(one.kind)}
                />
                {line(cut(one.label, 60))}
              </label>
            ))}
          </div>
          {kinds.length === 0 && <p>This instance has no kinds of targets.</p>}
          {usable.length < kinds.length && (
            <p class="warning">
              Some kinds need links to this instance. Set its address with <code>ERRATA_BASE_URL</code>, and
              restart it.
            </p>
          )}
          {!mail && (
            <p class="faint">
              Messages link to this instance, so the server needs <code>ERRATA_BASE_URL</code>. With{" "}
              <code>ERRATA_SMTP_URL</code> and <code>ERRATA_MAIL_FROM</code>, it also sends mail.
            </p>
          )}
        </div>
      </Card>
      {kind !== undefined && (
        <Card title={line(cut(kind.label, 60))}>
          <TargetForm
            key={kind.kind}
            kind={kind}
            target={null}
            timezone={timezone}
            action="Add target"
            save={async (fields) => {
              const created = await createTarget(projectId, { ...fields, kind: kind.kind })
              notify(`Added ${nameOf(created)}. Send a test to see whether messages arrive.`)
              route(href(`projects/${projectId}/settings/alerts/targets/${created.id}`))
            }}
          />
        </Card>
      )}
    </>
  )
}

const OneTarget = ({
  target,
  timezone,
  kinds,
}: {
  readonly target: Target
  readonly timezone: string
  readonly kinds: NotificationKinds
}) => {
  const { route } = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const [results, setResults] = useState<ReadonlyArray<Notification>>([])
  const { isBusy, run } = useAction("The test was not sent.")
  const kind = kinds.kinds.find((one) => one.kind === target.kind)
  const path = `projects/${target.project_id}/settings/alerts`
  return (
    <>
      <Card
        title={line(cut(kindLabel(kinds, target.kind), 60))}
        actions={
          <>
            <button
              type="button"
              aria-disabled={isBusy}
              onClick={() => run(async () => setResults(await testTarget(target)))}
            >
              {isBusy ? "Sending…" : "Send a test"}
            </button>
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          </>
        }
      >
        <Results results={results} />
        <div class="target-state">
          <TargetProblem target={target} />
          {kind === undefined && (
            <p class="field-problem">This instance can no longer send to targets of this kind.</p>
          )}
        </div>
        {kind !== undefined && (
          <TargetForm
            kind={kind}
            target={target}
            timezone={timezone}
            action="Save"
            save={async (fields) => {
              await updateTarget(target, fields)
              notify(`Saved ${nameOf(fields)}.`)
            }}
          />
        )}
        <Link class="card-foot" to={`${path}/history?target_id=${target.id}`}>
          Notifications to this target
        </Link>
      </Card>
      {isDeleting && (
        <Confirm
          title={`Delete ${nameOf(target)}?`}
          action="Delete target"
          run={() => deleteTarget(target)}
          onClose={(isDone) => {
            setDeleting(false)
            if (!isDone) return
            notify(`Deleted ${nameOf(target)}.`)
            route(href(path))
          }}
        >
          {() => (
            <p>
              Rules no longer send to it, and its notifications are deleted from the history. This cannot be
              undone.
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}

/** The result of a test for each receiver. */
const Results = ({ results }: { readonly results: ReadonlyArray<Notification> }) => (
  <div role="status" aria-label="Results of the test">
    {results.length > 0 && (
      <ul class="rows results">
        {results.map((result) => {
          const { text, tone } = stateOf(result)
          return (
            <li key={result.id}>
              <span class={`tag state ${tone}`}>{text}</span>
              <div class="grow">
                {line(cut(result.recipient ?? result.target_name, 100))}
                <p class="faint">{line(cut(outcomeOf(result), 300))}</p>
              </div>
            </li>
          )
        })}
      </ul>
    )}
  </div>
)
