/** The fields of a webhook, for a new one and for changes. */
import type { WebhookEvent, WebhookFields } from "../../data/webhooks.js"
import { Form, type FormState, Submit, TextField, textOf } from "../../parts/Form.js"

export const webhookLabels = { url: "URL", events: "Events", enabled: "Enabled" }

export const WebhookForm = ({
  form,
  fields,
  action,
  onSubmit,
}: {
  readonly form: FormState
  readonly fields: WebhookFields
  readonly action: string
  readonly onSubmit: (fields: WebhookFields) => void
}) => (
  <Form
    form={form}
    onSubmit={(data) =>
      onSubmit({
        url: textOf(data, "url"),
        events: eventNames.filter((name) => data.getAll("events").includes(name)),
        enabled: data.get("enabled") === "on",
      })
    }
  >
    <TextField
      form={form}
      name="url"
      value={fields.url}
      inputMode="url"
      placeholder="https://hooks.example.com/errata"
      hint="The address that receives a POST request for each event."
    />
    <fieldset class="field" aria-describedby="events-problem">
      <legend>{webhookLabels.events}</legend>
      {eventNames.map((name, index) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            name="events"
            value={name}
            defaultChecked={fields.events.includes(name)}
            aria-invalid={index === 0 && form.problems.fields["events"] !== undefined}
          />
          <span>
            {events[name]} <code class="faint">{name}</code>
          </span>
        </label>
      ))}
      <p id="events-problem" class="field-problem" role="alert">
        {form.problems.fields["events"]}
      </p>
    </fieldset>
    <label class="choice">
      <input type="checkbox" name="enabled" defaultChecked={fields.enabled} />
      <span>
        Enabled
        <span class="faint">A disabled webhook receives tests only.</span>
      </span>
    </label>
    <Submit form={form}>{action}</Submit>
  </Form>
)

// internal

/** The event of tests needs no subscription. */
const events: Readonly<Record<Exclude<WebhookEvent, "webhook.test">, string>> = {
  "group.created": "A new group",
  "group.unresolved": "A group is open again",
  "group.resolved": "A group is resolved",
  "group.muted": "A group is muted",
  "group.unmuted": "A group is no longer muted",
  "group.merged": "Groups are merged",
  "group.assigned": "A group is assigned",
}
const eventNames = Object.keys(events) as ReadonlyArray<keyof typeof events>
