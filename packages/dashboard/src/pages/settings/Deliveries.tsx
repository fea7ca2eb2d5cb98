/** The deliveries of a webhook, newest first. */
import type { Delivery, Webhook } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { useQuery } from "../../data/query.js"
import { deliveriesQuery } from "../../data/webhooks.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { cursorOf, Pager } from "../../parts/Pager.js"
import { Time } from "../../parts/Time.js"
import { briefOutcomeOf, stateOf } from "./outcome.js"
import { Resend } from "./Resend.js"

export const Deliveries = ({
  webhook,
  isAdmin,
}: {
  readonly webhook: Webhook
  readonly isAdmin: boolean
}) => {
  const { query } = useLocation()
  const result = query["result"] ?? ""
  const cursor = cursorOf(query["cursor"])
  const path = `projects/${webhook.project_id}/webhooks/${webhook.id}/deliveries`
  const deliveries = useQuery(
    deliveriesQuery(webhook.project_id, webhook.id, {
      success: result === "delivered" ? true : result === "other" ? false : undefined,
      cursor,
    }),
  )
  return (
    <Card
      title="Deliveries"
      actions={
        <nav class="filters" aria-label="Filter the deliveries">
          {filters.map(([value, text]) => (
            <Link
              key={value}
              to={value === "" ? path : `${path}?result=${value}`}
              aria-current={value === result ? "true" : undefined}
            >
              {text}
            </Link>
          ))}
        </nav>
      }
    >
      <Loaded query={deliveries} name="deliveries">
        {({ deliveries, next_cursor }) => (
          <>
            {deliveries.length === 0 ? (
              <p class="nothing">
                {result === ""
                  ? "Nothing was sent yet. Send a test to see whether the receiver responds."
                  : "No delivery matches the filter."}
              </p>
            ) : (
              <ul class="rows">
                {deliveries.map((delivery) => (
                  <Row
                    key={delivery.id}
                    path={path}
                    delivery={delivery}
                    webhook={webhook}
                    isAdmin={isAdmin}
                  />
                ))}
              </ul>
            )}
            <Pager
              path={result === "" ? path : `${path}?result=${result}`}
              cursor={cursor}
              next={next_cursor}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}

// internal

const filters = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["other", "Not delivered"],
] as const

const Row = ({
  path,
  delivery,
  webhook,
  isAdmin,
}: {
  readonly path: string
  readonly delivery: Delivery
  readonly webhook: Webhook
  readonly isAdmin: boolean
}) => {
  const { text, tone } = stateOf(delivery)
  return (
    <li>
      <span class={`tag state ${tone}`}>{text}</span>
      <div class="grow">
        <Link to={`${path}/${delivery.id}`} class="row-link">
          {delivery.event}
        </Link>
        <p class="faint">
          <Time value={delivery.created_at} />
          {briefOutcomeOf(delivery) !== "" && ` · ${briefOutcomeOf(delivery)}`}
        </p>
      </div>
      {isAdmin && <Resend webhook={webhook} delivery={delivery} />}
    </li>
  )
}
