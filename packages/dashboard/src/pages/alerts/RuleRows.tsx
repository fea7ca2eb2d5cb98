/** A list of rules, each with its conditions and receivers in words. */
import type { AlertRule } from "@errata/api/promise"
import { updateRule } from "../../data/alerts.js"
import { notify } from "../../data/notices.js"
import { Link } from "../../parts/Link.js"
import { useAction } from "../../parts/useAction.js"
import { nameOf } from "../../text/Names.js"
import { cut, line } from "../../text/SafeText.js"
import { capital, ifText, periodText, receiversText, whenText } from "./ruleText.js"

export const RuleRows = ({
  rules,
  path,
  mayChange,
  nameOfTarget = () => null,
}: {
  readonly rules: ReadonlyArray<AlertRule>
  /** The path before the id of a rule. */
  readonly path: string
  readonly mayChange: boolean
  readonly nameOfTarget?: (id: number) => string | null
}) => (
  <ul class="rows rules">
    {rules.map((rule) => (
      <li key={rule.id}>
        <div class="grow">
          {mayChange ? (
            <Link to={`${path}/${rule.id}`} class="row-link">
              {nameOf(rule)}
            </Link>
          ) : (
            <b>{nameOf(rule)}</b>
          )}
          <p>{whenText(rule)}</p>
          <p class="faint">
            {rule.filter.query !== "" && (
              <>
                <code>{line(cut(rule.filter.query, 200))}</code>
                {" · "}
              </>
            )}
            {capital(
              [...ifText(rule), receiversText(rule, nameOfTarget), periodText(rule.repeat_minutes)]
                .map((part) => line(cut(part, 300)))
                .join(" · "),
            )}
          </p>
        </div>
        {!rule.enabled && <span class="tag">Disabled</span>}
        {mayChange && <Switch rule={rule} />}
      </li>
    ))}
  </ul>
)

// internal

const Switch = ({ rule }: { readonly rule: AlertRule }) => {
  const { isBusy, run } = useAction("The rule was not changed.")
  const verb = rule.enabled ? "Disable" : "Enable"
  const change = () =>
    run(async () => {
      await updateRule(rule, { enabled: !rule.enabled })
      notify(`${verb}d the rule ${nameOf(rule)}.`, () => updateRule(rule, { enabled: rule.enabled }))
    })
  return (
    <button type="button" aria-label={`${verb} ${nameOf(rule)}`} aria-disabled={isBusy} onClick={change}>
      {verb}
    </button>
  )
}
