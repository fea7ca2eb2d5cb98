/** The targets of a project: chats, pagers and mail addresses. */
import type { NotificationKinds, Target } from "@errata/api/promise"
import { useQuery } from "../../data/query.js"
import { kindsQuery, targetsQuery } from "../../data/targets.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { Time } from "../../parts/Time.js"
import { nameOf } from "../../text/Names.js"
import { cut, line } from "../../text/SafeText.js"
import type { SectionProps } from "../settings/SectionProps.js"

export const Targets = ({ can, project }: SectionProps) => {
  const targets = useQuery(targetsQuery(project.id))
  const { data: kinds } = useQuery(kindsQuery)
  const path = `projects/${project.id}/settings/alerts/targets`
  const isAdmin = can("alerts.administer")
  return (
    <Card
      title="Targets"
      actions={
        isAdmin && (
          <Link class="button" to={`${path}/new`}>
            New target
          </Link>
        )
      }
    >
      <Loaded query={targets} name="targets">
        {(all) =>
          all.length === 0 ? (
            <p class="nothing">
              None. A target is a chat, a pager or a mail address that rules send to.
              {can("webhooks.read") && (
                <>
                  {" "}
                  <Link to={`projects/${project.id}/settings/webhooks`}>Webhooks</Link> have a page of their
                  own.
                </>
              )}
            </p>
          ) : (
            <ul class="rows">
              {all.map((target) => (
                <li key={target.id}>
                  <div class="grow">
                    {isAdmin ? (
                      <Link to={`${path}/${target.id}`} class="row-link">
                        {nameOf(target)}
                      </Link>
                    ) : (
                      <b>{nameOf(target)}</b>
                    )}
                    <p class="faint">
                      {kindLabel(kinds, target.kind)}
                      {target.quiet_hours !== null &&
                        ` · quiet from ${target.quiet_hours.from} to ${target.quiet_hours.to} (${line(cut(target.quiet_hours.timezone, 60))})`}
                    </p>
                    <TargetProblem target={target} />
                  </div>
                  <TargetState target={target} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

/** Why a target receives no messages. Empty if it works. */
export const TargetProblem = ({ target }: { readonly target: Target }) => {
  if (target.disabled_reason !== null) {
    return <p class="field-problem">Disabled by Errata: {line(cut(target.disabled_reason, 300))}</p>
  }
  if (target.failing_since === null) return null
  return (
    <p class="field-problem">
      Every message has failed since <Time value={target.failing_since} isAbsolute />.
    </p>
  )
}

export const TargetState = ({ target }: { readonly target: Target }) =>
  !target.enabled ? (
    <span class={target.disabled_reason === null ? "tag" : "tag bad"}>Disabled</span>
  ) : target.failing_since === null ? (
    <span class="tag ok">Enabled</span>
  ) : (
    <span class="tag warn">Failing</span>
  )

/** Returns the label of a kind, or the kind itself if the instance no longer supports it. */
export const kindLabel = (kinds: NotificationKinds | undefined, kind: string): string =>
  kinds?.kinds.find((one) => one.kind === kind)?.label ?? kind
