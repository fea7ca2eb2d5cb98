/** `errata mail-settings`: the mail that the caller receives about a project. */
import type { MailSettingsView } from "@errata/api"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { connectionOptions, given, projectOption } from "./ApiOptions.js"
import { fieldLines } from "./Detail.js"
import { connected, inProject, show } from "./Session.js"

const get = Command.make("get", { ...projectOption, ...connectionOptions }, (choice) =>
  inProject(choice, ({ client, project }) =>
    Effect.flatMap(client.mailSettings.get(project), (settings) => show(choice, settings, settingLines)),
  ),
).pipe(Command.withDescription("Show the mail that you get of a project"))

const set = Command.make(
  "set",
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
    ...connectionOptions,
  },
  (choice) =>
    connected(choice, ({ client, projectId }) =>
      Effect.gen(function* () {
        const changes = given({ mode: choice.mode, digest: choice.digest })
        if (Object.keys(changes).length === 0) {
          return yield* usageError("No change was given. Give --mode or --digest.")
        }
        const project = yield* projectId(choice.project)
        yield* show(choice, yield* client.mailSettings.update(project, changes), settingLines)
      }),
    ),
).pipe(Command.withDescription("Change the mail that you get of a project"))

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
