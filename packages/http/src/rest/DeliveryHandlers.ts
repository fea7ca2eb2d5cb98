import { deliveryView, pageFields } from "@errata/api/internal"
import { AccessPolicy, Deliveries, DeliveryId, ProjectId, WebhookId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"deliveries">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const deliveries = yield* Deliveries

    const readable = inProject(access, "webhooks.read")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* deliveries.list(
            yield* readable(params),
            WebhookId.make(params.webhook_id),
            { event: query.event ?? null, success: query.success ?? null },
            pageRequest(query),
          )
          return { deliveries: page.items.map(deliveryView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          const delivery = yield* deliveries.get(
            yield* readable(params),
            WebhookId.make(params.webhook_id),
            DeliveryId.make(params.delivery_id),
          )
          return deliveryView(delivery)
        }).pipe(toProblems),
      )
      .handle("resend", ({ params }) =>
        Effect.gen(function* () {
          const delivery = yield* deliveries.resend(
            yield* access.project("webhooks.administer", ProjectId.make(params.project_id)),
            WebhookId.make(params.webhook_id),
            DeliveryId.make(params.delivery_id),
          )
          return deliveryView(delivery)
        }).pipe(toProblems),
      )
  })
