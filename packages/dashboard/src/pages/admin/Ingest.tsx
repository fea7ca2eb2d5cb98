/** Limits of ingest protection. */
import type { IngestProtection } from "@errata/api/promise"
import { useCan } from "../../data/me.js"
import { notify } from "../../data/notices.js"
import { ingestProtectionQuery, updateIngestProtection } from "../../data/policies.js"
import { useQuery } from "../../data/query.js"
import { Form, Submit, useForm } from "../../parts/Form.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { Group, NumberField, SwitchField } from "./PolicyFields.js"
import { policyOf } from "./policyInput.js"

export const Ingest = () => {
  const policy = useQuery(ingestProtectionQuery)
  return (
    <>
      <p class="lead">
        Ingest protection rejects events before they harm the instance. SDKs get a response that tells them to
        wait. The health page shows how many requests were rejected.
      </p>
      <Card title="Limits">
        <Loaded query={policy} name="limits">
          {(policy) => <PolicyForm policy={policy} />}
        </Loaded>
      </Card>
    </>
  )
}

// internal

const labels = {
  global_rate_limit_per_minute: "Maximum rate",
  max_pending_ingest_payloads: "Maximum length of the queue",
  minimum_free_disk_space_mb: "Minimum free space",
}

const names = {
  switches: ["enabled", "backlog_protection_enabled", "disk_protection_enabled"],
  numbers: Object.keys(labels),
}

const PolicyForm = ({ policy }: { readonly policy: IngestProtection }) => {
  const form = useForm(labels)
  const mayChange = useCan("policies.administer")
  const save = async (fields: FormData) => {
    if (await form.run(() => updateIngestProtection(policyOf(fields, names)))) notify("Saved the limits.")
  }
  return (
    <Form form={form} onSubmit={save}>
      <Group title="Rate">
        <SwitchField name="enabled" label="Limit the rate of errors" isOn={policy.enabled} />
        <NumberField
          form={form}
          name="global_rate_limit_per_minute"
          unit="errors per minute"
          hint="Counts all projects and all nodes together."
          value={policy.global_rate_limit_per_minute}
        />
      </Group>
      <Group title="Queue">
        <SwitchField
          name="backlog_protection_enabled"
          label="Reject events while the queue is full"
          isOn={policy.backlog_protection_enabled}
        />
        <NumberField
          form={form}
          name="max_pending_ingest_payloads"
          unit="payloads"
          value={policy.max_pending_ingest_payloads}
        />
      </Group>
      <Group title="Disk">
        <SwitchField
          name="disk_protection_enabled"
          label="Reject events while the database's disk is almost full"
          isOn={policy.disk_protection_enabled}
        />
        <NumberField
          form={form}
          name="minimum_free_disk_space_mb"
          unit="MiB"
          hint="2,048 MiB are 2 GiB."
          value={policy.minimum_free_disk_space_mb}
        />
      </Group>
      {mayChange && <Submit form={form}>Save</Submit>}
    </Form>
  )
}
