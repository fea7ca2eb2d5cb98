import { HttpApiBuilder } from "effect/http-api"
import { deliveryView, type ErrataApi, pageFields } from "@errata/api"
import { AccessPolicy, Deliveries, DeliveryId, ProjectId, WebhookId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "deliveries", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const deliveries = yield* Deliveries

      const readable = (path: { readonly project_id: number }) =>
        access.project("webhooks.read", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const page = yield* deliveries.list(
              yield* readable(path),
              WebhookId.make(path.webhook_id),
              { event: urlParams.event ?? null, success: urlParams.success ?? null },
              pageRequest(urlParams),
            )
            return { deliveries: page.items.map(deliveryView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            const delivery = yield* deliveries.get(
              yield* readable(path),
              WebhookId.make(path.webhook_id),
              DeliveryId.make(path.delivery_id),
            )
            return deliveryView(delivery)
          }).pipe(toProblems),
        )
        .handle("resend", ({ path }) =>
          Effect.gen(function* () {
            const delivery = yield* deliveries.resend(
              yield* access.project("webhooks.administer", ProjectId.make(path.project_id)),
              WebhookId.make(path.webhook_id),
              DeliveryId.make(path.delivery_id),
            )
            return deliveryView(delivery)
          }).pipe(toProblems),
        )
    }),
  )
