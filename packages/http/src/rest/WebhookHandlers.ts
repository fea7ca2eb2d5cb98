import {
  createdWebhookView,
  deliveryView,
  pageFields,
  WebhookCreation,
  WebhookUpdate,
  webhookView,
} from "@errata/api/internal"
import { AccessPolicy, Deliveries, ProjectId, WebhookId, Webhooks } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"webhooks">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries

    const administered = inProject(access, "webhooks.administer")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const project = yield* access.project("webhooks.read", ProjectId.make(params.project_id))
          const page = yield* webhooks.list(project, pageRequest(query))
          return { webhooks: page.items.map(webhookView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(access.project("webhooks.read", ProjectId.make(params.project_id)), (project) =>
          webhooks.get(project, WebhookId.make(params.webhook_id)),
        ).pipe(Effect.map(webhookView), toProblems),
      )
      .handleRaw("create", ({ params, request }) =>
        AuthorizedBody.use(request, WebhookCreation, administered(params), (input, project) =>
          webhooks.create(project, input),
        ).pipe(Effect.map(createdWebhookView), toProblems),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(request, WebhookUpdate, administered(params), (input, project) =>
          webhooks.update(project, WebhookId.make(params.webhook_id), input),
        ).pipe(Effect.map(webhookView), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(administered(params), (project) =>
          webhooks.remove(project, WebhookId.make(params.webhook_id)),
        ).pipe(toProblems),
      )
      .handle("test", ({ params }) =>
        Effect.flatMap(administered(params), (project) =>
          deliveries.test(project, WebhookId.make(params.webhook_id)),
        ).pipe(Effect.map(deliveryView), toProblems),
      )
  })
