/** The `errata` command. */
import { Effect } from "effect"
import { CliConfig, CliOutput, Command } from "effect/cli"
import { alerts } from "./api/AlertsCommand.js"
import { apps } from "./api/AppsCommand.js"
import { artifacts } from "./api/ArtifactsCommand.js"
import { deliveries } from "./api/DeliveriesCommand.js"
import { groups } from "./api/GroupsCommand.js"
import { login, logout } from "./api/LoginCommand.js"
import { mailSettings } from "./api/MailSettingsCommand.js"
import { mcp } from "./api/McpCommand.js"
import { members } from "./api/MembersCommand.js"
import { notes } from "./api/NotesCommand.js"
import { notifications } from "./api/NotificationsCommand.js"
import { origins } from "./api/OriginsCommand.js"
import { policies } from "./api/PoliciesCommand.js"
import { projects } from "./api/ProjectsCommand.js"
import { releases } from "./api/ReleasesCommand.js"
import { reports } from "./api/ReportsCommand.js"
import { retention } from "./api/RetentionCommand.js"
import { targets } from "./api/TargetsCommand.js"
import { webhooks } from "./api/WebhooksCommand.js"
import * as CommandLine from "./CommandLine.js"
import { config } from "./ConfigCommand.js"
import { ConfigFile } from "./ConfigFile.js"
import * as Configuration from "./Configuration.js"
import { deadLetters } from "./DeadLettersCommand.js"
import type { LevelName } from "./Logging.js"
import * as LogOptions from "./LogOptions.js"
import { migrate } from "./Migrate.js"
import { serve } from "./Serve.js"
import { status } from "./StatusCommand.js"
import { users } from "./UsersCommand.js"
import { version } from "./Version.js"

/** A command on the server's host, which reads the configuration file. Other commands use the profile. */
const onHost = <Name extends string, Input, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>,
  logLevel: LevelName = "warning",
) =>
  command.pipe(
    Command.provide(LogOptions.layer(logLevel)),
    Command.provideEffect(ConfigFile, Configuration.load),
    Command.withGlobalFlags([Configuration.configOption]),
  )

const overApi = <Name extends string, Input, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>,
) => Command.provide(command, LogOptions.layer("warning"))

const exitStatus = {
  title: "EXIT STATUS",
  rows: [
    ["0", "Success"],
    ["1", "The command failed"],
    ["2", "The command line is invalid"],
    ["3", "The API key is missing, invalid or lacks permission"],
    ["4", "Not found"],
    ["5", "The server rejected the input"],
    ["6", "The server is unreachable or busy"],
  ],
} as const

/** The `errata` command. */
export const errata = Command.make("errata").pipe(
  Command.withDescription("A self-hosted error tracker for the official Sentry SDKs"),
  Command.withSubcommands([
    {
      group: "On the server's host",
      commands: [
        onHost(serve, "info"),
        onHost(status),
        onHost(config),
        onHost(migrate),
        onHost(users),
        onHost(deadLetters),
      ],
    },
    {
      group: "From anywhere, over the API",
      commands: [
        overApi(login),
        overApi(logout),
        overApi(mcp),
        overApi(projects),
        overApi(groups),
        overApi(reports),
        overApi(notes),
        overApi(members),
        overApi(origins),
        overApi(releases),
        overApi(artifacts),
        overApi(alerts),
        overApi(targets),
        overApi(notifications),
        overApi(mailSettings),
        overApi(webhooks),
        overApi(deliveries),
        overApi(apps),
        overApi(policies),
        overApi(retention),
      ],
    },
  ]),
  Command.withGlobalFlags(LogOptions.logOptions),
  Command.annotate(CommandLine.HelpEnd, exitStatus),
)

/** Runs a command line, given as in `process.argv`. */
export const run = (argv: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    CommandLine.hideSecrets(argv)
    return Command.runWith(errata, { version })(CommandLine.argumentsOf(argv))
  }).pipe(
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: CommandLine.builtIns })),
    Effect.provideService(CliOutput.Presenter, CommandLine.presenter),
  )
