/** One delivery with the body that was sent. */
import type { Delivery, Webhook } from "@errata/api/promise"
import { pollEvery, useQuery } from "../../data/query.js"
import { deliveryQuery } from "../../data/webhooks.js"
import { CopyButton } from "../../parts/CopyButton.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { Text } from "../../parts/Text.js"
import { Time } from "../../parts/Time.js"
import { outcomeOf, readableBody, stateOf } from "./outcome.js"
import { Resend } from "./Resend.js"

export const DeliveryCard = ({
  webhook,
  deliveryId,
  isAdmin,
}: {
  readonly webhook: Webhook
  readonly deliveryId: number
  readonly isAdmin: boolean
}) => {
  const delivery = useQuery({
    ...deliveryQuery(webhook.project_id, webhook.id, deliveryId),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? pollEvery(5_000)() : false),
  })
  return (
    <>
      <p class="lead">
        <Link to={`projects/${webhook.project_id}/webhooks/${webhook.id}/deliveries`}>
          All deliveries to {webhook.url}
        </Link>
      </p>
      <Loaded query={delivery} name="details of the delivery">
        {(data) => (
          <>
            <Card
              title={`Delivery ${data.id}`}
              actions={isAdmin && <Resend webhook={webhook} delivery={data} />}
            >
              <Facts delivery={data} />
            </Card>
            <Card
              title="Request body"
              actions={<CopyButton text={data.request_body} label="Copy the body" />}
            >
              <pre class="body">
                <Text value={readableBody(data.request_body)} max={20_000} />
              </pre>
            </Card>
          </>
        )}
      </Loaded>
    </>
  )
}

// internal

const Facts = ({ delivery }: { readonly delivery: Delivery }) => {
  const { text, tone } = stateOf(delivery)
  return (
    <div class="card-body">
      <p>
        <span class={`tag ${tone}`}>{text}</span> <code>{delivery.event}</code>
      </p>
      <p>
        <Text value={outcomeOf(delivery)} max={500} />
      </p>
      <p class="faint">
        Created <Time value={delivery.created_at} isAbsolute />
        {delivery.completed_at !== null && (
          <>
            , completed <Time value={delivery.completed_at} isAbsolute />
          </>
        )}
        {delivery.next_attempt_at !== null && (
          <>
            , next attempt <Time value={delivery.next_attempt_at} isAbsolute />
          </>
        )}
        .
      </p>
    </div>
  )
}
