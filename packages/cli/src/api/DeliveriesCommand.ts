/** `errata deliveries`: requests to webhooks and their results. */
import type { DeliveryView } from "@errata/api"
import { WebhookEvent } from "@errata/core/webhook"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connectionOptions, given, idArgument, onOff, pageOptions, projectOption } from "./ApiOptions.js"
import { deliveryLines } from "./DeliveryText.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { inProject, show } from "./Session.js"
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

const list = Command.make(
  "list",
  {
    webhook: webhookArgument,
    event: Flag.Literals("event", WebhookEvent.literals).pipe(
      Flag.withAlias("e"),
      Flag.optional,
      Flag.withDescription("List only deliveries of this event"),
    ),
    success: onOff("success").pipe(
      Flag.optional,
      Flag.withDescription("List only deliveries that succeeded (true), or that did not (false)"),
    ),
    ...pageOptions,
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) => {
      const filter = given({ event: choice.event, success: choice.success })
      return listing({
        choice,
        columns,
        empty: "No deliveries.",
        page: (query) => client.deliveries.list(project, choice.webhook, { ...filter, ...query }),
        items: ({ deliveries }) => deliveries,
        stream: (query) => client.deliveries.stream(project, choice.webhook, { ...filter, ...query }),
      })
    }),
).pipe(Command.withDescription("List the deliveries of a webhook"))

const deliveryArgument = idArgument("delivery").pipe(Argument.withDescription("Id of the delivery"))

const get = Command.make(
  "get",
  {
    webhook: webhookArgument,
    delivery: deliveryArgument,
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.flatMap(client.deliveries.get(project, choice.webhook, choice.delivery), (delivery) =>
        show(choice, delivery, deliveryLines),
      ),
    ),
).pipe(Command.withDescription("Show a delivery and the request that was sent"))

const resend = Command.make(
  "resend",
  { webhook: webhookArgument, delivery: deliveryArgument, ...projectOption, ...connectionOptions },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.flatMap(client.deliveries.resend(project, choice.webhook, choice.delivery), (delivery) =>
        show(choice, delivery, deliveryLines),
      ),
    ),
).pipe(Command.withDescription("Send a delivery again, once, and show the result (admin)"))

export const deliveries = Command.make("deliveries").pipe(
  Command.withDescription("Inspect and resend webhook deliveries"),
  Command.withSubcommands([list, get, resend]),
)
