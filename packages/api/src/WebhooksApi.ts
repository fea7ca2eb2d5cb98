import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { WebhookEvent } from "@errata/core/webhook"
import { Schema } from "effect"
import { Authentication } from "./Authentication.js"
import { DeliveryView } from "./DeliveryView.js"
import { described } from "./Json.js"
import { pageOf } from "./Page.js"
import {
  BooleanParam,
  deliveryIdParam,
  optional,
  pageParams,
  projectIdParam,
  webhookIdParam,
} from "./Params.js"
import {
  BodyProblem,
  Forbidden,
  InternalServerError,
  NotFound,
  ServiceUnavailable,
  ValidationFailed,
} from "./Problem.js"
import { CreatedWebhookView, WebhookCreation, WebhookUpdate, WebhookView } from "./WebhookView.js"

const list = HttpApiEndpoint.get("list")`/projects/${projectIdParam}/webhooks`
  .setUrlParams(Schema.Struct(pageParams))
  .addSuccess(pageOf("webhooks", WebhookView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the webhooks of a project")

const get = HttpApiEndpoint.get("get")`/projects/${projectIdParam}/webhooks/${webhookIdParam}`
  .addSuccess(WebhookView)
  .annotate(OpenApi.Summary, "Get a webhook")

const create = HttpApiEndpoint.post("create")`/projects/${projectIdParam}/webhooks`
  .setPayload(WebhookCreation)
  .addSuccess(CreatedWebhookView, { status: 201 })
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Create a webhook. Only this response contains its secret (admin)")

const update = HttpApiEndpoint.patch("update")`/projects/${projectIdParam}/webhooks/${webhookIdParam}`
  .setPayload(WebhookUpdate)
  .addSuccess(WebhookView)
  .addError(BodyProblem)
  .annotate(OpenApi.Summary, "Change a webhook (admin)")

const remove = HttpApiEndpoint.delete("remove")`/projects/${projectIdParam}/webhooks/${webhookIdParam}`.annotate(
  OpenApi.Summary,
  "Delete a webhook and its deliveries (admin)",
)

const test = HttpApiEndpoint.post("test")`/projects/${projectIdParam}/webhooks/${webhookIdParam}/test`
  .addSuccess(DeliveryView)
  .annotate(OpenApi.Summary, "Send a test delivery once and return its result (admin)")
  .annotate(
    OpenApi.Description,
    "Works for disabled webhooks and any event. The response arrives after a worker has made the attempt. Without an " +
      "attempt in time, it shows a pending delivery, which is attempted later.",
  )

/** Whom a project tells about its groups. */
export const WebhooksApi = HttpApiGroup.make("webhooks")
  .add(list)
  .add(get)
  .add(create)
  .add(update)
  .add(remove)
  .add(test)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Webhooks of a project, which notify other systems about groups.")

export const DeliveryListParams = Schema.Struct({
  event: described(
    "Return only deliveries of this event",
    optional(
      WebhookEvent.annotations({
        message: () => ({ message: "must be the name of an event", override: true }),
      }),
    ),
  ),
  success: described("Return only deliveries that succeeded, or only others", optional(BooleanParam)),
  ...pageParams,
})
export type DeliveryListParams = typeof DeliveryListParams.Type

const listDeliveries = HttpApiEndpoint.get(
  "list",
)`/projects/${projectIdParam}/webhooks/${webhookIdParam}/deliveries`
  .setUrlParams(DeliveryListParams)
  .addSuccess(pageOf("deliveries", DeliveryView))
  .addError(ValidationFailed)
  .annotate(OpenApi.Summary, "List the deliveries of a webhook")

const getDelivery = HttpApiEndpoint.get(
  "get",
)`/projects/${projectIdParam}/webhooks/${webhookIdParam}/deliveries/${deliveryIdParam}`
  .addSuccess(DeliveryView)
  .annotate(OpenApi.Summary, "Get a delivery")

const resendDelivery = HttpApiEndpoint.post(
  "resend",
)`/projects/${projectIdParam}/webhooks/${webhookIdParam}/deliveries/${deliveryIdParam}/resend`
  .addSuccess(DeliveryView)
  .annotate(OpenApi.Summary, "Send a delivery again once, and return its result (admin)")
  .annotate(
    OpenApi.Description,
    "Creates a delivery with the same body and the same `webhook-id`, and attempts it like a test delivery.",
  )

/** What was sent to a webhook, and how it went. */
export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(listDeliveries)
  .add(getDelivery)
  .add(resendDelivery)
  .addError(Forbidden)
  .addError(NotFound)
  .addError(InternalServerError)
  .addError(ServiceUnavailable)
  .middleware(Authentication)
  .annotate(OpenApi.Description, "Deliveries to a webhook, and their results.")
