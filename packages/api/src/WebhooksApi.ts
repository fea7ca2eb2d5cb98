import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DeliveryView } from "./DeliveryView.js"
import { withStatus } from "./Json.js"
import { pageOf } from "./Page.js"
import { deliveryIdParam, projectIdParam, webhookIdParam } from "./Params.js"
import { bodyProblems, resourceProblems, ValidationFailed } from "./Problem.js"
import { DeliveryListParams, PageParams } from "./Queries.js"
import { CreatedWebhookView, WebhookCreation, WebhookUpdate, WebhookView } from "./WebhookView.js"

const list = HttpApiEndpoint.get("list", "/projects/:project_id/webhooks", {
  params: { project_id: projectIdParam },
  query: PageParams,
  success: pageOf("webhooks", WebhookView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the webhooks of a project")

const get = HttpApiEndpoint.get("get", "/projects/:project_id/webhooks/:webhook_id", {
  params: { project_id: projectIdParam, webhook_id: webhookIdParam },
  success: WebhookView,
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Get a webhook")

const create = HttpApiEndpoint.post("create", "/projects/:project_id/webhooks", {
  params: { project_id: projectIdParam },
  payload: WebhookCreation,
  success: withStatus(201, CreatedWebhookView),
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Create a webhook. Only this response contains its secret (admin)")

const update = HttpApiEndpoint.patch("update", "/projects/:project_id/webhooks/:webhook_id", {
  params: { project_id: projectIdParam, webhook_id: webhookIdParam },
  payload: WebhookUpdate,
  success: WebhookView,
  error: [...resourceProblems, ...bodyProblems],
}).annotate(OpenApi.Summary, "Change a webhook (admin)")

const remove = HttpApiEndpoint.delete("remove", "/projects/:project_id/webhooks/:webhook_id", {
  params: { project_id: projectIdParam, webhook_id: webhookIdParam },
  error: resourceProblems,
}).annotate(OpenApi.Summary, "Delete a webhook and its deliveries (admin)")

const test = HttpApiEndpoint.post("test", "/projects/:project_id/webhooks/:webhook_id/test", {
  params: { project_id: projectIdParam, webhook_id: webhookIdParam },
  success: DeliveryView,
  error: resourceProblems,
})
  .annotate(OpenApi.Summary, "Send a test delivery once and return its result (admin)")
  .annotate(
    OpenApi.Description,
    "Works for disabled webhooks and any event. The response arrives after a worker has made the attempt. Without an " +
      "attempt in time, it shows a pending delivery, which is attempted later.",
  )

/** Webhooks of a project, which receive notifications about its groups. */
export const WebhooksApi = HttpApiGroup.make("webhooks")
  .add(list, get, create, update, remove, test)
  .annotate(OpenApi.Description, "Webhooks of a project, which notify other systems about groups.")

const listDeliveries = HttpApiEndpoint.get("list", "/projects/:project_id/webhooks/:webhook_id/deliveries", {
  params: { project_id: projectIdParam, webhook_id: webhookIdParam },
  query: DeliveryListParams,
  success: pageOf("deliveries", DeliveryView),
  error: [...resourceProblems, ValidationFailed],
}).annotate(OpenApi.Summary, "List the deliveries of a webhook")

const getDelivery = HttpApiEndpoint.get(
  "get",
  "/projects/:project_id/webhooks/:webhook_id/deliveries/:delivery_id",
  {
    params: { project_id: projectIdParam, webhook_id: webhookIdParam, delivery_id: deliveryIdParam },
    success: DeliveryView,
    error: resourceProblems,
  },
).annotate(OpenApi.Summary, "Get a delivery")

const resendDelivery = HttpApiEndpoint.post(
  "resend",
  "/projects/:project_id/webhooks/:webhook_id/deliveries/:delivery_id/resend",
  {
    params: { project_id: projectIdParam, webhook_id: webhookIdParam, delivery_id: deliveryIdParam },
    success: DeliveryView,
    error: resourceProblems,
  },
)
  .annotate(OpenApi.Summary, "Send a delivery again once, and return its result (admin)")
  .annotate(
    OpenApi.Description,
    "Creates a delivery with the same body and the same `webhook-id`, and attempts it like a test delivery.",
  )

/** Deliveries to a webhook, and their results. */
export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(listDeliveries, getDelivery, resendDelivery)
  .annotate(OpenApi.Description, "Deliveries to a webhook, and their results.")
