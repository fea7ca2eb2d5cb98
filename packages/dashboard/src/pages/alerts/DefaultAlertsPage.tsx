/** The default rules of the instance, and addresses that receive no mail. */
import { useState } from "preact/hooks"
import type { RuleFields } from "../../data/alerts.js"
import { defaultRulesQuery } from "../../data/alerts.js"
import { useCan } from "../../data/me.js"
import { useProjects } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { nameOf } from "../../text/Names.js"
import { AdminFrame } from "../admin/AdminFrame.js"
import { DryRunCard } from "./DryRunCard.js"
import { PausedAddresses } from "./PausedAddresses.js"
import { RulePage } from "./RulePage.js"
import { RuleRows } from "./RuleRows.js"
import { TroubledTargets } from "./TroubledTargets.js"
import "../../styles/alerts.css"

export const DefaultAlertsPage = ({ params }: { readonly params: Readonly<Record<string, string>> }) => {
  const { item = "", view = "" } = params
  return (
    <AdminFrame
      slug="alerts"
      id={`alerts/${view}/${item}`}
      {...(view === "" ? {} : { title: item === "new" ? "New default rule" : `Default rule ${item}` })}
    >
      {() => (view === "rules" ? <OneRule item={item} /> : <Overview />)}
    </AdminFrame>
  )
}

// internal

const Overview = () => {
  const rules = useQuery(defaultRulesQuery)
  const mayChange = useCan("policies.administer")
  return (
    <>
      <p class="lead">
        Projects without rules of their own follow the default rules. Each project has a page for its rules
        and targets in its settings.
      </p>
      <Card
        title="Default rules"
        actions={
          mayChange && (
            <Link class="button" to="settings/alerts/rules/new">
              New default rule
            </Link>
          )
        }
      >
        <Loaded query={rules} name="default rules">
          {(all) =>
            all.length === 0 ? (
              <p class="nothing">None. Projects without rules of their own notify about nothing.</p>
            ) : (
              <RuleRows rules={all} path="settings/alerts/rules" mayChange={mayChange} />
            )
          }
        </Loaded>
      </Card>
      <TroubledTargets />
      {useCan("users.read") && <PausedAddresses />}
    </>
  )
}

const OneRule = ({ item }: { readonly item: string }) => {
  const rules = useQuery(defaultRulesQuery)
  const mayChange = useCan("policies.administer")
  return (
    <>
      <p class="lead">
        <Link to="settings/alerts">All default rules</Link>
      </p>
      {!mayChange ? (
        <p class="nothing">You may not change the default rules.</p>
      ) : (
        <Loaded query={rules} name="default rules">
          {(all) => {
            const rule = all.find(({ id }) => String(id) === item)
            return item !== "new" && rule === undefined ? (
              <p class="nothing">This rule does not exist. It may have been deleted.</p>
            ) : (
              <RulePage rule={rule ?? null} projectId={null} back="settings/alerts">
                {(fields) => <Trial rule={fields} />}
              </RulePage>
            )
          }}
        </Loaded>
      )}
    </>
  )
}

/** The dry run of a default rule in a project that the reader chooses. */
const Trial = ({ rule }: { readonly rule: RuleFields }) => {
  const projects = useProjects().data ?? []
  const [chosen, choose] = useState<number | null>(null)
  const projectId = chosen ?? projects[0]?.id
  if (projectId === undefined) return null
  return (
    <div class="trial">
      <label class="field">
        Try it in the project
        <select value={projectId} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
          {projects.map((project) => (
            <option key={project.id} value={project.id}>
              {nameOf(project)}
            </option>
          ))}
        </select>
      </label>
      <DryRunCard projectId={projectId} rule={rule} />
    </div>
  )
}
