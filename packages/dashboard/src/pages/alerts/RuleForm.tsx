/** The editor of a rule: when, if, then, and how often. */
import type { RuleFields } from "../../data/alerts.js"
import { rejected } from "../../data/fieldProblems.js"
import { Field, Form, type FormState, Submit } from "../../parts/Form.js"
import { Link } from "../../parts/Link.js"
import { ConditionFields } from "./ConditionFields.js"
import { FilterFields } from "./FilterFields.js"
import { ReceiverFields } from "./ReceiverFields.js"
import { Choice } from "./RuleParts.js"
import { type Draft, ruleOf } from "./ruleDraft.js"
import { capital, periods, periodText } from "./ruleText.js"

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
      <Field form={form} name="name">
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
