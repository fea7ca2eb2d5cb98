/** `errata notifications`: sent and held back notifications of a project. */
import { DeliveryStatus } from "@errata/core/webhook"
import { Command, Flag } from "effect/cli"
import { projectCommand } from "./ApiCommand.js"
import { given, optionalNumber, pageOptions } from "./ApiOptions.js"
import { list as listing } from "./Listing.js"
import { notificationColumns } from "./NotificationText.js"
import { testCommand } from "./TargetsCommand.js"

const list = projectCommand(
  "list",
  "List the notifications of a project: sent, held back and failed",
  {
    target: optionalNumber("target", "List only notifications to the target with this id"),
    rule: optionalNumber("rule", "List only notifications of the rule with this id"),
    group: optionalNumber("group", "List only notifications about the group with this id"),
    status: Flag.Literals("status", DeliveryStatus.literals).pipe(
      Flag.optional,
      Flag.withDescription("List only notifications in this state. Throttled ones were held back"),
    ),
    ...pageOptions,
  },
  function* (choice, { client, project }) {
    const filter = given({
      target_id: choice.target,
      rule_id: choice.rule,
      group_id: choice.group,
      status: choice.status,
    })
    yield* listing({
      choice,
      columns: notificationColumns,
      empty: "No notifications.",
      page: (query) => client.notifications.list(project, { ...filter, ...query }),
      items: ({ notifications }) => notifications,
      stream: (query) => client.notifications.stream(project, { ...filter, ...query }),
    })
  },
)

export const notifications = Command.make("notifications").pipe(
  Command.withDescription("Inspect the notifications of a project, and test a target"),
  Command.withSubcommands([list, testCommand]),
)
