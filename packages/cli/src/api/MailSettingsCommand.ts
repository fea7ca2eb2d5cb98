/** `errata mail-settings`: the mail that the caller receives about a project. */
import type { MailSettingsView } from "@errata/api"
import { Command, Flag } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { apiCommand, projectCommand } from "./ApiCommand.js"
import { given, projectOption } from "./ApiOptions.js"
import { fieldLines } from "./Detail.js"
import { show } from "./Session.js"

const get = projectCommand(
  "get",
  "Show the mail that you get of a project",
  {},
  function* (choice, { client, project }) {
    yield* show(choice, yield* client.mailSettings.get(project), settingLines)
  },
)

const set = apiCommand(
  "set",
  "Change the mail that you get of a project",
  {
    mode: Flag.Literals("mode", ["everything", "new_and_reopened", "assigned", "nothing"]).pipe(
      Flag.optional,
      Flag.withDescription(
        "Notifications by mail: everything, new_and_reopened, assigned (to you) or nothing",
      ),
    ),
    digest: Flag.Literals("digest", ["never", "daily", "weekly"]).pipe(
      Flag.optional,
      Flag.withDescription("Digest by mail: never, daily or weekly"),
    ),
    ...projectOption,
  },
  function* (choice, { client, projectId }) {
    const changes = given({ mode: choice.mode, digest: choice.digest })
    if (Object.keys(changes).length === 0) {
      return yield* usageError("No change was given. Give --mode or --digest.")
    }
    const project = yield* projectId(choice.project)
    yield* show(choice, yield* client.mailSettings.update(project, changes), settingLines)
  },
)

export const mailSettings = Command.make("mail-settings").pipe(
  Command.withDescription("Show and change the mail that you get of a project"),
  Command.withSubcommands([get, set]),
)

// internal

const settingLines = ({ digest, mail, mode }: MailSettingsView): ReadonlyArray<string> =>
  fieldLines([
    ["Notifications", mode],
    ["Digest", digest],
    ["Mail", mail ? "set up" : "not set up on this server"],
  ])
