import { rulesQuery } from "../../data/alerts.js"
import { useQuery } from "../../data/query.js"
import { targetsQuery } from "../../data/targets.js"
import { Link } from "../../parts/Link.js"
import { Loaded } from "../../parts/Loaded.js"
import { nameOf } from "../../text/Names.js"
import type { SectionProps } from "../settings/SectionProps.js"
import { SettingsFrame } from "../settings/SettingsFrame.js"
import { DryRunCard } from "./DryRunCard.js"
import { History } from "./History.js"
import { MailCard } from "./MailCard.js"
import { RulePage } from "./RulePage.js"
import { Rules } from "./Rules.js"
import { capital } from "./ruleText.js"
import { TargetPage } from "./TargetPage.js"
import { Targets } from "./Targets.js"
import "../../styles/admin.css"
import "../../styles/alerts.css"

export const AlertsPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const { item = "", view = "" } = params
  const title = useTitle(Number(params["project"]), view, item)
  return (
    <SettingsFrame
      params={params}
      slug="alerts"
      id={`alerts/${view}/${item}`}
      {...(title === null ? {} : { title })}
    >
      {(props) =>
        view === "history" ? (
          <History {...props} />
        ) : view === "rules" || view === "targets" ? (
          <>
            <p class="lead">
              <Link to={`projects/${props.project.id}/settings/alerts`}>All rules and targets</Link>
            </p>
            {!props.can("alerts.administer") ? (
              <p class="nothing">Only admins can change rules and targets.</p>
            ) : view === "rules" ? (
              <OneRule {...props} />
            ) : (
              <TargetPage {...props} />
            )}
          </>
        ) : (
          <Overview {...props} />
        )
      }
    </SettingsFrame>
  )
}

// internal

/** The name of the rule or target, and its id before it is loaded; null for the list. */
const useTitle = (projectId: number, view: string, item: string): string | null => {
  const { data: rules } = useQuery({ ...rulesQuery(projectId), enabled: view === "rules" })
  const { data: targets } = useQuery({
    ...targetsQuery(projectId),
    enabled: view === "targets",
  })
  if (view === "history") return "Notifications"
  if (view !== "rules" && view !== "targets") return null
  const noun = view === "rules" ? "rule" : "target"
  if (item === "new") return `New ${noun}`
  const all = view === "rules" ? rules?.alert_rules : targets
  const one = all?.find(({ id }) => String(id) === item)
  return one === undefined ? `${capital(noun)} ${item}` : nameOf(one)
}

const Overview = (props: SectionProps) => (
  <>
    <p class="lead">
      A rule notifies people and targets about groups of this project.{" "}
      <Link to={`projects/${props.project.id}/settings/alerts/history`}>Sent notifications</Link>
    </p>
    <MailCard projectId={props.project.id} />
    <Rules {...props} />
    <Targets {...props} />
  </>
)

const OneRule = ({ params, project }: SectionProps) => {
  const item = params["item"] ?? ""
  const rules = useQuery(rulesQuery(project.id))
  const back = `projects/${project.id}/settings/alerts`
  return (
    <Loaded query={rules} name="rules">
      {({ alert_rules: all, default: isDefault }) => {
        const rule = isDefault ? undefined : all.find(({ id }) => String(id) === item)
        if (item !== "new" && rule === undefined) {
          return <p class="nothing">This rule does not exist. It may have been deleted.</p>
        }
        return (
          <RulePage
            rule={rule ?? null}
            projectId={project.id}
            back={back}
            note={
              isDefault &&
              all.length > 0 && (
                <p class="warning">
                  This project follows the default rules. With a rule of its own, it no longer does. Copy the
                  default rules first if you want to keep them.
                </p>
              )
            }
          >
            {(fields) => <DryRunCard projectId={project.id} rule={fields} />}
          </RulePage>
        )
      }}
    </Loaded>
  )
}
