/** The webhooks of a project. */
import type { CreatedWebhook, Webhook } from "@errata/api/promise"
import { useEffect, useRef, useState } from "preact/hooks"
import { useQuery } from "../../data/query.js"
import { createWebhook, webhooksQuery } from "../../data/webhooks.js"
import { useForm } from "../../parts/Form.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { counted } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { Copyable } from "./DsnCard.js"
import type { SectionProps } from "./SectionProps.js"
import { WebhookForm, webhookLabels } from "./WebhookForm.js"

export const Webhooks = ({ project, can }: SectionProps) => {
  const webhooks = useQuery(webhooksQuery(project.id))
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  return (
    <>
      <p class="lead">A webhook sends a request to your server when a group of this project changes.</p>
      {created !== null && <Created webhook={created} />}
      <Card title="Webhooks">
        <Loaded query={webhooks} name="webhooks">
          {(all) =>
            all.length === 0 ? (
              <p class="nothing">No webhook exists yet.</p>
            ) : (
              <ul class="rows">
                {all.map((webhook) => (
                  <Row key={webhook.id} webhook={webhook} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {can("webhooks.administer") && (
        <AddWebhook key={created?.id} projectId={project.id} onCreated={setCreated} />
      )}
    </>
  )
}

// internal

const Row = ({ webhook: { enabled, events, id, project_id, url } }: { readonly webhook: Webhook }) => (
  <li>
    <div class="grow">
      <Link to={`projects/${project_id}/webhooks/${id}/deliveries`} class="row-link">
        {line(cut(url, 120))}
      </Link>
      <p class="faint">
        {counted(events.length, "event")}: {events.join(", ")}
      </p>
    </div>
    <span class={enabled ? "tag ok" : "tag"}>{enabled ? "Enabled" : "Disabled"}</span>
  </li>
)

const AddWebhook = ({
  projectId,
  onCreated,
}: {
  readonly projectId: number
  readonly onCreated: (webhook: CreatedWebhook) => void
}) => {
  const form = useForm(webhookLabels)
  return (
    <Card title="Add a webhook">
      <WebhookForm
        form={form}
        fields={{ url: "", events: ["group.created", "group.unresolved"], enabled: true }}
        action="Add webhook"
        onSubmit={(fields) => void form.run(async () => onCreated(await createWebhook(projectId, fields)))}
      />
    </Card>
  )
}

const Created = ({ webhook }: { readonly webhook: CreatedWebhook }) => {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => ref.current?.focus(), [webhook.id])
  return (
    <section ref={ref} tabIndex={-1} class="card created" aria-label="The secret of the new webhook">
      <div class="card-body">
        <p role="status">
          <b>Webhook {webhook.id} is added.</b> Copy its secret now: it is not shown again. Your server
          verifies the signatures of requests with it.
        </p>
        <Copyable label="Secret" text={webhook.secret} />
        <Link to={`projects/${webhook.project_id}/webhooks/${webhook.id}/deliveries`}>Send a test</Link>
      </div>
    </section>
  )
}
