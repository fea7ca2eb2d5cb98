/** The rules of a project, or the default rules that it follows. */
import type { AlertRule } from "@errata/api/promise"
import { copyRules, rulesQuery } from "../../data/alerts.js"
import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { targetsQuery } from "../../data/targets.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { focusHeading } from "../../parts/Page.js"
import { useAction } from "../../parts/useAction.js"
import { nameOf } from "../../text/Names.js"
import type { SectionProps } from "../settings/SectionProps.js"
import { RuleRows } from "./RuleRows.js"

export const Rules = ({ can, project }: SectionProps) => {
  const rules = useQuery(rulesQuery(project.id))
  const { data: targets = [] } = useQuery(targetsQuery(project.id))
  const path = `projects/${project.id}/settings/alerts/rules`
  const isAdmin = can("alerts.administer")
  const nameOfTarget = (id: number) => {
    const target = targets.find((target) => target.id === id)
    return target === undefined ? null : nameOf(target)
  }
  return (
    <Card
      title="Rules"
      actions={
        isAdmin && (
          <Link class="button" to={`${path}/new`}>
            New rule
          </Link>
        )
      }
    >
      <Loaded query={rules} name="rules">
        {({ alert_rules: all, default: isDefault }) => (
          <>
            {isDefault && <Default projectId={project.id} rules={all} isAdmin={isAdmin} />}
            {all.length > 0 && (
              <RuleRows
                rules={all}
                path={path}
                mayChange={isAdmin && !isDefault}
                nameOfTarget={nameOfTarget}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

// internal

const Default = ({
  projectId,
  rules,
  isAdmin,
}: {
  readonly projectId: number
  readonly rules: ReadonlyArray<AlertRule>
  readonly isAdmin: boolean
}) => {
  const mayRead = useCan("policies.read")
  const { isBusy, run } = useAction("The rules were not copied.")
  const copy = () =>
    run(async () => {
      await copyRules(projectId, rules)
      notify("The project has rules of its own now.")
      // The button disappears.
      focusHeading()
    })
  if (rules.length === 0) return <p class="nothing">There are no rules: nothing notifies.</p>
  return (
    <div class="card-body setting defaults">
      <p>
        This project has no rules of its own. It follows the{" "}
        {mayRead ? <Link to="settings/alerts">default rules</Link> : "default rules"} of the instance.
      </p>
      {isAdmin && (
        <button type="button" aria-disabled={isBusy} onClick={copy}>
          Copy to this project
        </button>
      )}
    </div>
  )
}
