/** `errata webhooks`: webhooks of a project. */
import type { CreatedWebhookView, WebhookView } from "@errata/api"
import { WebhookEvent } from "@errata/core"
import type { DateTime } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed, usageError } from "../ErrorOutput.js"
import { printable } from "../Table.js"
import { toggle } from "../Toggle.js"
import { apiCommand, projectCommand } from "./ApiCommand.js"
import {
  given,
  idArgument,
  optionalFlag,
  optionalText,
  pageOptions,
  projectOption,
  textArgument,
} from "./ApiOptions.js"
import { deliveryLines } from "./DeliveryText.js"
import { fieldLines, yesNo } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { note } from "./Output.js"
import { show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<WebhookView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "URL", flexible: true, main: true, of: ({ url }) => url },
  { title: "EVENTS", flexible: true, of: ({ events }) => events.join(", ") },
  { title: "ENABLED", of: ({ enabled }) => yesNo(enabled) },
  { title: "CREATED", of: (webhook, now) => relative(webhook.created_at, now) },
]

export const webhookArgument = idArgument("webhook", "Id of the webhook")

const event = Flag.Literals("event", WebhookEvent.literals).pipe(Flag.withAlias("e"))

const list = projectCommand(
  "list",
  "List the webhooks of a project",
  pageOptions,
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns,
      empty: "No webhooks.",
      page: (query) => client.webhooks.list(project, query),
      items: ({ webhooks }) => webhooks,
      stream: (query) => client.webhooks.stream(project, query),
    })
  },
)

const create = projectCommand(
  "create",
  "Create a webhook and print its secret (admin)",
  {
    target: textArgument("target", "URL (http or https) to send deliveries to"),
    event: event.pipe(
      Flag.atLeast(1),
      Flag.withDescription("Event to send, e.g. group.created. May be repeated"),
    ),
    disabled: toggle("disabled", "Create the webhook disabled"),
  },
  function* (choice, { client, project }) {
    const webhook = yield* client.webhooks.create(project, {
      url: choice.target,
      events: choice.event,
      ...(choice.disabled && { enabled: false }),
    })
    yield* show(choice, webhook, webhookLines)
    if (!choice.json) yield* note("The secret signs deliveries. It is shown only now.")
  },
)

const update = apiCommand(
  "update",
  "Change a webhook (admin)",
  {
    webhook: webhookArgument,
    target: optionalText("target", "New URL"),
    event: event.pipe(
      Flag.atLeast(0),
      Flag.withDescription("Event to send. Replaces the webhook's events. May be repeated"),
    ),
    enabled: optionalFlag("enabled", "Enable or disable the webhook"),
    ...projectOption,
  },
  function* (choice, { client, projectId }) {
    const changes = {
      ...given({ url: choice.target, enabled: choice.enabled }),
      ...(choice.event.length > 0 && { events: choice.event }),
    }
    if (Object.keys(changes).length === 0) {
      return yield* usageError("No change was given. Give --target, --event or --enabled.")
    }
    const project = yield* projectId(choice.project)
    yield* show(choice, yield* client.webhooks.update(project, choice.webhook, changes), webhookLines)
  },
)

const remove = projectCommand(
  "delete",
  "Delete a webhook and its deliveries (admin)",
  { webhook: webhookArgument },
  function* (choice, { client, project }) {
    yield* client.webhooks.remove(project, choice.webhook)
    yield* note(`Deleted webhook ${choice.webhook}.`)
  },
)

const test = projectCommand(
  "test",
  "Send a test delivery, once, and show the result (admin)",
  { webhook: webhookArgument },
  function* (choice, { client, project }) {
    const delivery = yield* client.webhooks.test(project, choice.webhook)
    yield* show(choice, delivery, deliveryLines)
    if (delivery.status !== "succeeded") {
      return yield* new CommandFailed({
        message: `The test delivery of webhook ${choice.webhook} failed: ${printable(delivery.error ?? `status ${delivery.response_status}`)}`,
      })
    }
  },
)

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
