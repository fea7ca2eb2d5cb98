/** `errata targets`: places that notifications of a project are sent to. */
import type { TargetView } from "@errata/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed, usageError } from "../ErrorOutput.js"
import { printable } from "../Table.js"
import { toggle } from "../Toggle.js"
import { apiCommand, projectCommand } from "./ApiCommand.js"
import { given, idArgument, optionalFlag, optionalText, projectOption, textArgument } from "./ApiOptions.js"
import { testLines } from "./NotificationText.js"
import { note, print, printJson } from "./Output.js"
import { type Client, show } from "./Session.js"
import { checkedAddress, quietHoursOf, withSecrets } from "./TargetInput.js"
import { kindLines, targetColumns, targetLines } from "./TargetText.js"
import { wholeList } from "./WholeList.js"

export const targetArgument = idArgument("target", "Id of the target")

const values = Argument.String("field=value").pipe(
  Argument.atLeast(0),
  Argument.withDescription(
    "Fields of the address that are not secret, e.g. to=team@example.com. errata targets kinds lists them",
  ),
)

const secretsOption = {
  withSecrets: toggle(
    "with-secrets",
    "Read secret fields from standard input: the value of the only one, or a line FIELD=VALUE for each",
  ),
}

const quietHours = Flag.String("quiet-hours").pipe(
  Flag.withMetavar("hours"),
  Flag.optional,
  Flag.withDescription('Hours without messages, e.g. "22:00-07:00 Europe/Vienna". none for no such hours'),
)

const list = projectCommand(
  "list",
  "List the targets of a project",
  {},
  function* (choice, { client, project }) {
    yield* Effect.flatMap(client.targets.all(project), (answer) =>
      wholeList({ choice, answer, items: answer.targets, columns: targetColumns, empty: "No targets." }),
    )
  },
)

const kinds = apiCommand(
  "kinds",
  "List the kinds of targets, and the fields of their addresses",
  {},
  function* (choice, { client }) {
    yield* show(choice, yield* client.targets.kinds(), kindLines)
  },
)

const get = projectCommand(
  "get",
  "Show a target, without its secrets",
  { target: targetArgument },
  function* (choice, { client, project }) {
    yield* show(choice, yield* client.targets.get(project, choice.target), targetLines)
  },
)

const create = projectCommand(
  "create",
  "Create a target (admin). Prompts for secret fields, such as the URL of a chat, or reads them with --with-secrets",
  {
    kind: textArgument("kind", "Kind of the target, e.g. slack or mail. errata targets kinds lists them"),
    name: textArgument("name", "Name of the target, e.g. #shop-errors"),
    values,
    ...secretsOption,
    quietHours,
    disabled: toggle("disabled", "Create the target disabled"),
  },
  function* (choice, { client, project }) {
    const { kinds } = yield* client.targets.kinds()
    const kind = kinds.find((each) => each.kind === choice.kind)
    if (kind === undefined) {
      return yield* usageError(
        `There is no kind of target named "${choice.kind}". Kinds: ${kinds.map((each) => each.kind).join(", ")}`,
      )
    }
    const address = yield* checkedAddress(kind, choice.values)
    const secrets = yield* withSecrets(
      kind.fields.filter(({ required, secret }) => secret && (required || choice.withSecrets)),
      choice.withSecrets,
    )
    const target = yield* client.targets.create(project, {
      kind: choice.kind,
      name: choice.name,
      address: { ...address, ...secrets },
      ...(choice.disabled && { enabled: false }),
      ...(Option.isSome(choice.quietHours) && {
        quiet_hours: yield* quietHoursOf(choice.quietHours.value),
      }),
    })
    yield* show(choice, target, targetLines)
  },
)

const update = apiCommand(
  "update",
  "Change a target (admin). Fields that are not given stay as they are",
  {
    target: targetArgument,
    values,
    ...secretsOption,
    name: optionalText("name", "New name"),
    enabled: optionalFlag("enabled", "Enable or disable the target"),
    quietHours,
    ...projectOption,
  },
  function* (choice, { client, projectId }) {
    const hasAddress = choice.values.length > 0 || choice.withSecrets
    const isChanged =
      hasAddress ||
      [choice.name, choice.enabled, choice.quietHours].some((each) => Option.isSome<unknown>(each))
    if (!isChanged) {
      return yield* usageError(
        "No change was given. Give FIELD=VALUE, --with-secrets, --name, --enabled or --quiet-hours.",
      )
    }
    const project = yield* projectId(choice.project)
    const address = hasAddress ? yield* addressOf(client, project, choice) : null
    const changes = {
      ...given({ name: choice.name, enabled: choice.enabled }),
      ...(Option.isSome(choice.quietHours) && {
        quiet_hours: yield* quietHoursOf(choice.quietHours.value),
      }),
      ...(address !== null && { address }),
    }
    yield* show(choice, yield* client.targets.update(project, choice.target, changes), targetLines)
  },
)

const remove = projectCommand(
  "delete",
  "Delete a target and its notifications. Rules go on without it (admin)",
  { target: targetArgument },
  function* (choice, { client, project }) {
    yield* client.targets.remove(project, choice.target)
    yield* note(`Deleted target ${choice.target}.`)
  },
)

/** `errata targets test` and `errata notifications test`. */
export const testCommand = projectCommand(
  "test",
  "Send a test message, once, and show the result (admin)",
  { target: targetArgument },
  function* (choice, { client, project }) {
    const answer = yield* client.targets.test(project, choice.target)
    yield* choice.json ? printJson(answer) : print(testLines(answer.notifications))
    const failed = answer.notifications.find(({ status }) => status !== "succeeded")
    if (failed !== undefined) {
      return yield* new CommandFailed({
        message:
          failed.status === "pending"
            ? `The test of target ${choice.target} was not attempted in time. Check that a worker runs.`
            : `The test of target ${choice.target} failed: ${printable(failed.error ?? `status ${failed.response_status}`)}`,
      })
    }
  },
)

export const targets = Command.make("targets").pipe(
  Command.withDescription("Manage targets of notifications, such as chats and mail"),
  Command.withSubcommands([list, kinds, get, create, update, remove, testCommand]),
)

// internal

/** The changed fields of an address. Secrets are read only if that is requested. */
const addressOf = Effect.fnUntraced(function* (
  client: Client,
  project: number,
  choice: { readonly target: number; readonly values: ReadonlyArray<string>; readonly withSecrets: boolean },
) {
  const { kinds } = yield* client.targets.kinds()
  const target: TargetView = yield* client.targets.get(project, choice.target)
  const kind = kinds.find((each) => each.kind === target.kind)
  if (kind === undefined) {
    return yield* new CommandFailed({
      message: `The server no longer has targets of the kind ${target.kind}.`,
    })
  }
  const address = yield* checkedAddress(kind, choice.values)
  const secrets = choice.withSecrets
    ? yield* withSecrets(
        kind.fields.filter(({ secret }) => secret),
        true,
      )
    : {}
  return { ...address, ...secrets }
})
