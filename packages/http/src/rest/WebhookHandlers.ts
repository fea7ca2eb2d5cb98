import { HttpApiBuilder } from "effect/http-api"
import {
  createdWebhookView,
  deliveryView,
  type ErrataApi,
  pageFields,
  WebhookCreation,
  WebhookUpdate,
  webhookView,
} from "@errata/api"
import { AccessPolicy, Deliveries, ProjectId, WebhookId, Webhooks } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "webhooks", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const webhooks = yield* Webhooks
      const deliveries = yield* Deliveries

      const administered = (path: { readonly project_id: number }) =>
        access.project("webhooks.administer", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* access.project("webhooks.read", ProjectId.make(path.project_id))
            const page = yield* webhooks.list(project, pageRequest(urlParams))
            return { webhooks: page.items.map(webhookView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.flatMap(access.project("webhooks.read", ProjectId.make(path.project_id)), (project) =>
            webhooks.get(project, WebhookId.make(path.webhook_id)),
          ).pipe(Effect.map(webhookView), toProblems),
        )
        .handleRaw("create", ({ path, request }) =>
          AuthorizedBody.use(request, WebhookCreation, administered(path), (input, project) =>
            webhooks.create(project, input),
          ).pipe(Effect.map(createdWebhookView), toProblems),
        )
        .handleRaw("update", ({ path, request }) =>
          AuthorizedBody.use(request, WebhookUpdate, administered(path), (input, project) =>
            webhooks.update(project, WebhookId.make(path.webhook_id), input),
          ).pipe(Effect.map(webhookView), toProblems),
        )
        .handle("remove", ({ path }) =>
          Effect.flatMap(administered(path), (project) =>
            webhooks.remove(project, WebhookId.make(path.webhook_id)),
          ).pipe(toProblems),
        )
        .handle("test", ({ path }) =>
          Effect.flatMap(administered(path), (project) =>
            deliveries.test(project, WebhookId.make(path.webhook_id)),
          ).pipe(Effect.map(deliveryView), toProblems),
        )
    }),
  )
