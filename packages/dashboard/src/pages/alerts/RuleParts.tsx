/** Parts of the editor of a rule. */
import type { ComponentChildren } from "preact"
import type { FormState } from "../../parts/Form.js"
import type { Draft } from "./ruleDraft.js"

/** Names of the API's fields, as the form calls them. */
export const ruleLabels = {
  name: "Name",
  triggers: "Condition",
  "filter.query": "Query",
  "filter.environments": "Environments",
  "receivers.targets": "Targets",
  repeat_minutes: "The period",
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
  /** The field of the API whose problem is shown below. */
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
