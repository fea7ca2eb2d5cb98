/** `errata deliveries`: requests to webhooks and their results. */
import type { DeliveryView } from "@errata/api"
import { WebhookEvent } from "@errata/core/webhook"
import { Command, Flag } from "effect/cli"
import { projectCommand } from "./ApiCommand.js"
import { given, idArgument, optionalFlag, pageOptions } from "./ApiOptions.js"
import { deliveryLines } from "./DeliveryText.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { show } from "./Session.js"
import { webhookArgument } from "./WebhooksCommand.js"

const columns: ReadonlyArray<ListColumn<DeliveryView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "EVENT", of: ({ event }) => event },
  { title: "STATUS", of: ({ status }) => status },
  { title: "ATTEMPTS", align: "right", omit: 1, of: ({ attempts }) => String(attempts) },
  {
    title: "RESPONSE",
    flexible: true,
    main: true,
    of: (delivery) => delivery.error ?? String(delivery.response_status ?? ""),
  },
  { title: "CREATED", omit: 2, of: (delivery, now) => relative(delivery.created_at, now) },
]

const list = projectCommand(
  "list",
  "List the deliveries of a webhook",
  {
    webhook: webhookArgument,
    event: Flag.Literals("event", WebhookEvent.literals).pipe(
      Flag.withAlias("e"),
      Flag.optional,
      Flag.withDescription("List only deliveries of this event"),
    ),
    success: optionalFlag("success", "List only deliveries that succeeded (true), or that did not (false)"),
    ...pageOptions,
  },
  function* (choice, { client, project }) {
    const filter = given({ event: choice.event, success: choice.success })
    yield* listing({
      choice,
      columns,
      empty: "No deliveries.",
      page: (query) => client.deliveries.list(project, choice.webhook, { ...filter, ...query }),
      items: ({ deliveries }) => deliveries,
      stream: (query) => client.deliveries.stream(project, choice.webhook, { ...filter, ...query }),
    })
  },
)

const deliveryArgument = idArgument("delivery", "Id of the delivery")

const get = projectCommand(
  "get",
  "Show a delivery and the request that was sent",
  { webhook: webhookArgument, delivery: deliveryArgument },
  function* (choice, { client, project }) {
    yield* show(choice, yield* client.deliveries.get(project, choice.webhook, choice.delivery), deliveryLines)
  },
)

const resend = projectCommand(
  "resend",
  "Send a delivery again, once, and show the result (admin)",
  { webhook: webhookArgument, delivery: deliveryArgument },
  function* (choice, { client, project }) {
    yield* show(
      choice,
      yield* client.deliveries.resend(project, choice.webhook, choice.delivery),
      deliveryLines,
    )
  },
)

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("Inspect and resend webhook deliveries"),
  Command.withSubcommands([list, get, resend]),
)
