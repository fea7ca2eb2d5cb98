/** `errata webhooks`: webhooks of a project. */
import type { CreatedWebhookView, WebhookView } from "@errata/api"
import { WebhookEvent } from "@errata/core"
import { type DateTime, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed, usageError } from "../ErrorOutput.js"
import { printable } from "../Table.js"
import { toggle } from "../Toggle.js"
import { connectionOptions, given, idArgument, onOff, pageOptions, projectOption } from "./ApiOptions.js"
import { deliveryLines } from "./DeliveryText.js"
import { fieldLines, yesNo } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { note } from "./Output.js"
import { connected, inProject, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<WebhookView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "URL", flexible: true, main: true, of: ({ url }) => url },
  { title: "EVENTS", flexible: true, of: ({ events }) => events.join(", ") },
  { title: "ENABLED", of: ({ enabled }) => yesNo(enabled) },
  { title: "CREATED", of: (webhook, now) => relative(webhook.created_at, now) },
]

export const webhookArgument = idArgument("webhook").pipe(Argument.withDescription("Id of the webhook"))

const event = Flag.Literals("event", WebhookEvent.literals).pipe(Flag.withAlias("e"))

const list = Command.make("list", { ...pageOptions, ...projectOption, ...connectionOptions }, (choice) =>
  inProject(choice, ({ client, project }) =>
    listing({
      choice,
      columns,
      empty: "No webhooks.",
      page: (query) => client.webhooks.list(project, query),
      items: ({ webhooks }) => webhooks,
      stream: (query) => client.webhooks.stream(project, query),
    }),
  ),
).pipe(Command.withDescription("List the webhooks of a project"))

const create = Command.make(
  "create",
  {
    target: Argument.String("target").pipe(
      Argument.withDescription("URL (http or https) to send deliveries to"),
    ),
    event: event.pipe(
      Flag.atLeast(1),
      Flag.withDescription("Event to send, e.g. group.created. May be repeated"),
    ),
    disabled: toggle("disabled", "Create the webhook disabled"),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        const webhook = yield* client.webhooks.create(project, {
          url: choice.target,
          events: choice.event,
          ...(choice.disabled && { enabled: false }),
        })
        yield* show(choice, webhook, webhookLines)
        if (!choice.json) yield* note("The secret signs deliveries. It is shown only now.")
      }),
    ),
).pipe(Command.withDescription("Create a webhook and print its secret (admin)"))

const update = Command.make(
  "update",
  {
    webhook: webhookArgument,
    target: Flag.String("target").pipe(Flag.optional, Flag.withDescription("New URL")),
    event: event.pipe(
      Flag.atLeast(0),
      Flag.withDescription("Event to send. Replaces the webhook's events. May be repeated"),
    ),
    enabled: onOff("enabled").pipe(Flag.optional, Flag.withDescription("Enable or disable the webhook")),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    connected(choice, ({ client, projectId }) =>
      Effect.gen(function* () {
        const changes = {
          ...given({ url: choice.target, enabled: choice.enabled }),
          ...(choice.event.length > 0 && { events: choice.event }),
        }
        if (Object.keys(changes).length === 0) {
          return yield* usageError("No change was given. Give --target, --event or --enabled.")
        }
        const project = yield* projectId(choice.project)
        yield* show(choice, yield* client.webhooks.update(project, choice.webhook, changes), webhookLines)
      }),
    ),
).pipe(Command.withDescription("Change a webhook (admin)"))

const remove = Command.make(
  "delete",
  { webhook: webhookArgument, ...projectOption, ...connectionOptions },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        yield* client.webhooks.remove(project, choice.webhook)
        yield* note(`Deleted webhook ${choice.webhook}.`)
      }),
    ),
).pipe(Command.withDescription("Delete a webhook and its deliveries (admin)"))

const test = Command.make(
  "test",
  { webhook: webhookArgument, ...projectOption, ...connectionOptions },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        const delivery = yield* client.webhooks.test(project, choice.webhook)
        yield* show(choice, delivery, deliveryLines)
        if (delivery.status !== "succeeded") {
          return yield* new CommandFailed({
            message: `The test delivery of webhook ${choice.webhook} failed: ${printable(delivery.error ?? `status ${delivery.response_status}`)}`,
          })
        }
      }),
    ),
).pipe(Command.withDescription("Send a test delivery, once, and show the result (admin)"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Manage webhooks, which notify other systems about groups"),
  Command.withSubcommands([list, create, update, remove, test]),
)

// internal

const webhookLines = (
  webhook: WebhookView | CreatedWebhookView,
  now: DateTime.DateTime,
): ReadonlyArray<string> =>
  fieldLines([
    ["Webhook", webhook.id],
    ["Project", webhook.project_id],
    ["URL", webhook.url],
    ["Events", webhook.events.join(", ")],
    ["Enabled", yesNo(webhook.enabled)],
    ["Secret", "secret" in webhook ? webhook.secret : null],
    ["Created", absolute(webhook.created_at, now)],
  ])
