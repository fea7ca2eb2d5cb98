/** The editor of a rule: when, if, then, and how often. */
import type { ComponentChildren } from "preact"
import type { RuleFields } from "../../data/alerts.js"
import { rejected } from "../../data/fieldProblems.js"
import { Field, Form, type FormState, Submit } from "../../parts/Form.js"
import { Link } from "../../parts/Link.js"
import { ConditionFields } from "./ConditionFields.js"
import { FilterFields } from "./FilterFields.js"
import { ReceiverFields } from "./ReceiverFields.js"
import { type Draft, ruleOf } from "./ruleDraft.js"
import { capital, periods, periodText } from "./ruleText.js"

/** Names of the API's fields, as the form calls them. */
export const ruleLabels = {
  name: "Name",
  triggers: "Condition",
  "filter.query": "Query",
  "filter.environments": "Environments",
  "receivers.targets": "Targets",
  repeat_minutes: "The period",
}

export const RuleForm = ({
  form,
  draft,
  change,
  projectId,
  back,
  onSubmit,
}: {
  readonly form: FormState
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  /** Null for a default rule. */
  readonly projectId: number | null
  /** The path of the list of rules. */
  readonly back: string
  readonly onSubmit: (rule: RuleFields) => Promise<void>
}) => {
  const submit = () =>
    form.run(async () => {
      const rule = ruleOf(draft)
      if (rule.triggers.length === 0) throw rejected("triggers", "is missing: choose at least one")
      if (draft.targets === "some" && draft.chosen.length === 0) {
        throw rejected("receivers.targets", "are missing: choose at least one, or no targets")
      }
      await onSubmit(rule)
    })
  const part = { form, draft, change, projectId }
  return (
    <Form form={form} onSubmit={submit}>
      <Field form={form} name="name" label={ruleLabels.name}>
        {(control) => (
          <input
            {...control}
            type="text"
            value={draft.name}
            maxLength={100}
            placeholder="New and reopened errors"
            autocomplete="off"
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        )}
      </Field>
      <ConditionFields {...part} />
      <FilterFields {...part} />
      <ReceiverFields {...part} />
      <Field form={form} name="repeat_minutes" label="How often">
        {(control) => (
          <select
            {...control}
            value={draft.repeatMinutes}
            onChange={({ currentTarget }) => change({ repeatMinutes: Number(currentTarget.value) })}
          >
            {[...new Set([...periods, draft.repeatMinutes])]
              .sort((a, b) => a - b)
              .map((minutes) => (
                <option key={minutes} value={minutes}>
                  {capital(periodText(minutes))}
                </option>
              ))}
          </select>
        )}
      </Field>
      <Choice
        isOn={draft.enabled}
        change={(enabled) => change({ enabled })}
        hint="A disabled rule notifies about nothing."
      >
        Enabled
      </Choice>
      <div class="actions">
        <Submit form={form}>Save rule</Submit>
        <Link class="button" to={back}>
          Cancel
        </Link>
      </div>
    </Form>
  )
}

/** The properties of the parts of the form. */
export interface PartProps {
  readonly form: FormState
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  readonly projectId: number | null
}

/** A part of the form with its problem. */
export const Part = ({
  form,
  name,
  title,
  children,
}: {
  readonly form: FormState
  /** The field of the API whose problem stands below. */
  readonly name: keyof typeof ruleLabels
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <fieldset class="policy-group" aria-describedby={`${name}-problem`}>
    <legend>{title}</legend>
    {children}
    <p
      id={`${name}-problem`}
      class={form.problems.fields[name] === undefined ? "field-problem" : "field-problem form-problem"}
      role="alert"
      tabIndex={-1}
    >
      {form.problems.fields[name]}
    </p>
  </fieldset>
)

/** A box to tick, or one of several choices. */
export const Choice = ({
  isOn,
  change,
  group,
  hint,
  children,
}: {
  readonly isOn: boolean
  readonly change: (isOn: boolean) => void
  /** The name of the group of radio buttons; absent for a box. */
  readonly group?: string
  readonly hint?: string
  readonly children: ComponentChildren
}) => (
  <label class="choice">
    <input
      type={group === undefined ? "checkbox" : "radio"}
      name={group}
      checked={isOn}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
    <span>
      {children}
      {hint !== undefined && <span class="faint">{hint}</span>}
    </span>
  </label>
)
