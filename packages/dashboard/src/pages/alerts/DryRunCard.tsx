import { useEffect, useState } from "preact/hooks"
import { dryRunQuery, type RuleFields } from "../../data/alerts.js"
import { formProblems } from "../../data/fieldProblems.js"
import { useQuery } from "../../data/query.js"
import { Link } from "../../parts/Link.js"
import { Card } from "../../parts/Loaded.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { Time } from "../../parts/Time.js"
import { errorTitle } from "../../text/ErrorTitle.js"
import { counted } from "../../text/Numbers.js"
import { ruleLabels } from "./RuleParts.js"
import { dryRunText, triggerName } from "./ruleText.js"

export const DryRunCard = ({
  projectId,
  rule,
}: {
  readonly projectId: number
  readonly rule: RuleFields
}) => (
  <aside class="dry-run">
    <Card title="Dry run">
      {rule.triggers.length === 0 ? (
        <p class="nothing">Choose at least one condition.</p>
      ) : (
        <Result projectId={projectId} rule={rule} />
      )}
    </Card>
  </aside>
)

// internal

/** Milliseconds without a change. */
const pause = 600

const maxRows = 20

const Result = ({ projectId, rule }: { readonly projectId: number; readonly rule: RuleFields }) => {
  // Names and switches change no result.
  const wanted = JSON.stringify({ ...rule, name: "Dry run", enabled: true } satisfies RuleFields)
  const settled = useSettled(wanted)
  const { data, error, isPlaceholderData } = useQuery(
    dryRunQuery(projectId, JSON.parse(settled) as RuleFields),
  )
  if (error !== null) {
    const { fields, form } = formProblems(error, ruleLabels)
    return (
      <p class="nothing" role="status">
        {form ?? Object.values(fields)[0]}
      </p>
    )
  }
  if (data === undefined) return <Skeleton rows={3} label="the dry run" />
  const shown = data.matches.slice(0, maxRows)
  return (
    <div aria-busy={isPlaceholderData || settled !== wanted}>
      <p class="result" role="status">
        {dryRunText(data)}
      </p>
      {shown.length > 0 && (
        <ul class="rows">
          {shown.map(({ at, group, trigger }, i) => (
            <li key={i}>
              <div class="grow">
                {group === null ? (
                  "The project as a whole"
                ) : (
                  <Link to={`projects/${projectId}/groups/${group.id}`}>{errorTitle(group)}</Link>
                )}
                <p class="faint">
                  {triggerName(trigger)} · <Time value={at} />
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {data.count > shown.length && shown.length > 0 && (
        <p class="nothing">And {counted(data.count - shown.length, "earlier notification")}.</p>
      )}
    </div>
  )
}

/** Returns a text that has not changed for a while. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
