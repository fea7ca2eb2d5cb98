/** The settings of a webhook, and its deliveries. */
import type { Webhook } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { notify } from "../../data/notices.js"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { deleteWebhook, testWebhook, updateWebhook, webhookQuery } from "../../data/webhooks.js"
import { Confirm } from "../../parts/Confirm.js"
import { useForm } from "../../parts/Form.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { useAction } from "../../parts/useAction.js"
import { Pairs } from "../../parts/Value.js"
import { Deliveries } from "./Deliveries.js"
import { DeliveryCard } from "./DeliveryCard.js"
import { outcomeOf } from "./outcome.js"
import type { SectionProps } from "./SectionProps.js"
import { WebhookForm, webhookLabels } from "./WebhookForm.js"

export const WebhookDeliveries = ({ project, can, params }: SectionProps) => {
  const webhookId = Number(params["webhook"])
  const deliveryId = params["delivery"]
  const webhook = useQuery(webhookQuery(project.id, webhookId))
  const isAdmin = can("webhooks.administer")
  return (
    <Loaded query={webhook} name="settings of the webhook">
      {(data) =>
        deliveryId !== undefined && deliveryId !== "" ? (
          <DeliveryCard webhook={data} deliveryId={Number(deliveryId)} isAdmin={isAdmin} />
        ) : (
          <>
            <p class="lead">
              <Link to={`projects/${project.id}/settings/webhooks`}>All webhooks</Link>
            </p>
            {isAdmin ? <Settings key={data.id} webhook={data} /> : <Facts webhook={data} />}
            <Deliveries webhook={data} isAdmin={isAdmin} />
          </>
        )
      }
    </Loaded>
  )
}

// internal

const Facts = ({ webhook }: { readonly webhook: Webhook }) => (
  <Card title="Webhook">
    <Pairs
      pairs={[
        ["URL", webhook.url],
        ["Events", webhook.events.join(", ")],
        ["Enabled", webhook.enabled ? "yes" : "no"],
      ]}
    />
  </Card>
)

const Settings = ({ webhook }: { readonly webhook: Webhook }) => {
  const form = useForm(webhookLabels)
  const { route } = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <Card
        title="Webhook"
        actions={
          <>
            <Test webhook={webhook} />
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          </>
        }
      >
        <WebhookForm
          form={form}
          fields={webhook}
          action="Save"
          onSubmit={async (fields) => {
            if (await form.run(() => updateWebhook(webhook, fields))) notify("Saved the webhook.")
          }}
        />
      </Card>
      {isDeleting && (
        <Confirm
          title="Delete the webhook?"
          action="Delete webhook"
          run={() => deleteWebhook(webhook)}
          onClose={(isDone) => {
            setDeleting(false)
            if (!isDone) return
            notify("Deleted the webhook.")
            route(href(`projects/${webhook.project_id}/settings/webhooks`))
          }}
        >
          {() => (
            <p>
              Errata stops sending to {webhook.url} and deletes the list of deliveries. This cannot be undone.
            </p>
          )}
        </Confirm>
      )}
    </>
  )
}

const Test = ({ webhook }: { readonly webhook: Webhook }) => {
  const { isBusy, run } = useAction("The test was not sent.")
  const send = () =>
    run(async () => {
      const delivery = await testWebhook(webhook)
      notify(
        `${delivery.success ? "The test was delivered." : "The test was not delivered."} ${outcomeOf(delivery)}`,
      )
    })
  return (
    <button type="button" aria-disabled={isBusy} onClick={send}>
      {isBusy ? "Sending…" : "Send a test"}
    </button>
  )
}
