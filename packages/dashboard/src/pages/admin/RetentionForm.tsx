/** The rules by which reports or artifacts are deleted. */
import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { type Retention, type RetentionKind, updateRetention } from "../../data/policies.js"
import { Field, Form, type FormState, Submit, useForm } from "../../parts/Form.js"
import { Group, NumberField, SwitchField } from "./PolicyFields.js"
import { policyOf } from "./policyInput.js"
import { dataOf } from "./runText.js"

export const RetentionForm = ({
  kind,
  policy,
}: {
  readonly kind: RetentionKind
  readonly policy: Retention
}) => {
  const form = useForm(labels)
  const mayChange = useCan("policies.administer")
  const isErrors = "time_purge_type" in policy
  const what = dataOf(kind)
  const save = async (fields: FormData) => {
    const changes = policyOf(fields, isErrors ? errorNames : artifactNames)
    if (await form.run(() => updateRetention(kind, changes))) notify(`Saved the rules for ${what}.`)
  }
  return (
    <Form form={form} onSubmit={save}>
      <SwitchField
        name="enabled"
        label={`Delete old ${what}`}
        hint="Without it, nothing is deleted, whatever the rules below say."
        isOn={policy.enabled}
      />
      <Group title="By age">
        <SwitchField name="time_based_enabled" label="Delete by age" isOn={policy.time_based_enabled} />
        <NumberField
          form={form}
          name="retention_period_days"
          unit="days"
          value={policy.retention_period_days}
        />
        {isErrors && <Extent form={form} value={policy.time_purge_type} />}
      </Group>
      <Group title="By size">
        <SwitchField
          name="disk_based_enabled"
          label={`Delete the oldest ${what} while they use more than a limit`}
          isOn={policy.disk_based_enabled}
        />
        <DiskLimit form={form} policy={policy} />
      </Group>
      {"max_releases_kept" in policy && (
        <Group title="By release">
          <SwitchField
            name="purge_on_new_release"
            label="Delete the uploads of old releases when a release is created"
            isOn={policy.purge_on_new_release}
          />
          <NumberField
            form={form}
            name="max_releases_kept"
            unit="releases"
            value={policy.max_releases_kept}
          />
        </Group>
      )}
      {mayChange && <Submit form={form}>Save</Submit>}
    </Form>
  )
}

// internal

const labels = {
  retention_period_days: "Retention period",
  time_purge_type: "Data to delete",
  disk_limit_value: "Limit",
  max_releases_kept: "Keep the uploads of the newest",
}

const names = {
  switches: ["enabled", "time_based_enabled", "disk_based_enabled"],
  numbers: ["retention_period_days", "disk_limit_value"],
  choices: ["disk_limit_type"],
}
const errorNames = { ...names, choices: [...names.choices, "time_purge_type"] }
const artifactNames = {
  ...names,
  switches: [...names.switches, "purge_on_new_release"],
  numbers: [...names.numbers, "max_releases_kept"],
}

const Extent = ({ form, value }: { readonly form: FormState; readonly value: string }) => (
  <Field
    form={form}
    name="time_purge_type"
    hint="The details are the stack trace, the request, the tags and everything else that lists do not show."
  >
    {(control) => (
      <select {...control}>
        <option value="partial" selected={value === "partial"}>
          Details of reports: groups and counts stay
        </option>
        <option value="full" selected={value === "full"}>
          Reports, and groups without reports
        </option>
      </select>
    )}
  </Field>
)

const DiskLimit = ({ form, policy }: { readonly form: FormState; readonly policy: Retention }) => (
  <NumberField
    form={form}
    name="disk_limit_value"
    value={policy.disk_limit_value}
    unit={
      <select name="disk_limit_type" aria-label="Unit of the limit">
        <option value="percentage" selected={policy.disk_limit_type === "percentage"}>
          % of the disk
        </option>
        <option value="absolute" selected={policy.disk_limit_type === "absolute"}>
          GB
        </option>
      </select>
    }
  />
)
