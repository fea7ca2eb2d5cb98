/** The conditions that narrow a rule to some groups. */
import { useEffect, useState } from "preact/hooks"
import { fetchTagValues, useTagKeys } from "../../data/projectTags.js"
import { severities } from "../../data/severities.js"
import { Field } from "../../parts/Form.js"
import { QueryField } from "../../parts/query/QueryField.js"
import { Toggle } from "../../parts/Toggle.js"
import { cut, line } from "../../text/SafeText.js"
import { Choice, Part, type PartProps, ruleLabels } from "./RuleParts.js"
import { listed, toggled } from "./ruleDraft.js"
import { capital } from "./ruleText.js"

export const FilterFields = (props: PartProps) => {
  const { change, draft, form, projectId } = props
  return (
    <Part form={form} name="filter.query" title="If">
      <div class="field">
        <span aria-hidden="true" class="label">
          {ruleLabels["filter.query"]}
        </span>
        <QueryField
          query={draft.query}
          projectId={projectId}
          part={{
            label: ruleLabels["filter.query"],
            isInvalid: form.problems.fields["filter.query"] !== undefined,
            onText: (query) => change({ query }),
          }}
        />
        <p class="faint">As in the list of groups. Empty for all groups.</p>
      </div>
      <Environments {...props} />
      <fieldset class="field">
        <legend>Severities</legend>
        <div class="inline">
          {severities.map((severity) => (
            <Choice
              key={severity}
              isOn={draft.severities.includes(severity)}
              change={() => change({ severities: toggled(draft.severities, severity) })}
            >
              {capital(severity)}
            </Choice>
          ))}
        </div>
        <p class="faint">Choose none for all severities.</p>
      </fieldset>
    </Part>
  )
}

// internal

const Environments = ({ form, draft, change, projectId }: PartProps) => {
  const known = useEnvironments(projectId)
  const chosen = listed(draft.environments)
  return (
    <Field form={form} name="filter.environments" hint="Separated by commas. Empty for all environments.">
      {(control) => (
        <>
          <input
            {...control}
            type="text"
            value={draft.environments}
            placeholder="production, staging"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => change({ environments: currentTarget.value })}
          />
          {known.length > 0 && (
            <div class="inline">
              {known.map((name) => (
                <Toggle
                  key={name}
                  title={`Choose the environment ${line(cut(name, 60))}`}
                  isPressed={chosen.includes(name)}
                  onClick={() => change({ environments: toggled(chosen, name).join(", ") })}
                >
                  {line(cut(name, 60))}
                </Toggle>
              ))}
            </div>
          )}
        </>
      )}
    </Field>
  )
}

const useEnvironments = (projectId: number | null): ReadonlyArray<string> => {
  const [known, setKnown] = useState<ReadonlyArray<string>>([])
  // The server knows no values of a tag that no report has.
  const hasSome = useTagKeys(projectId, true).includes("environment")
  useEffect(() => {
    let isCurrent = true
    if (projectId !== null && hasSome)
      void fetchTagValues(projectId, "environment", "").then((values) => {
        // The list separates values with commas, so values with a comma are omitted.
        if (isCurrent) setKnown(values.filter((value) => value !== "" && !value.includes(",")))
      })
    return () => {
      isCurrent = false
    }
  }, [projectId, hasSome])
  return known
}
