/** The `errata` command. */
import { Command } from "effect/cli"
import { Console, Effect, Layer } from "effect"
import { apps } from "./api/AppsCommand.js"
import { artifacts } from "./api/ArtifactsCommand.js"
import { deliveries } from "./api/DeliveriesCommand.js"
import { groups } from "./api/GroupsCommand.js"
import { login, logout } from "./api/LoginCommand.js"
import { mcp } from "./api/McpCommand.js"
import { members } from "./api/MembersCommand.js"
import { notes } from "./api/NotesCommand.js"
import { origins } from "./api/OriginsCommand.js"
import { policies } from "./api/PoliciesCommand.js"
import { projects } from "./api/ProjectsCommand.js"
import { releases } from "./api/ReleasesCommand.js"
import { reports } from "./api/ReportsCommand.js"
import { retention } from "./api/RetentionCommand.js"
import { webhooks } from "./api/WebhooksCommand.js"
import { bashCompletions } from "./BashCompletions.js"
import { commandInfo, commandName } from "./CommandInfo.js"
import * as CommandLine from "./CommandLine.js"
import { config } from "./ConfigCommand.js"
import { ConfigFile } from "./ConfigFile.js"
import * as Configuration from "./Configuration.js"
import { CommandFailed, exitCodes } from "./ErrorOutput.js"
import { commandHelp, overview } from "./Help.js"
import * as Logging from "./Logging.js"
import { CurrentLogChoice, logSettings } from "./LogOptions.js"
import { migrate } from "./Migrate.js"
import { payloads } from "./PayloadsCommand.js"
import { serve, serveEnvironment } from "./Serve.js"
import { status } from "./StatusCommand.js"
import { users } from "./UsersCommand.js"
import { version } from "./Version.js"

const serverCommands = [serve, status, config, migrate, users, payloads] as const
const connectionCommands = [login, logout, mcp] as const
const apiCommands = [
  projects,
  groups,
  reports,
  notes,
  members,
  origins,
  releases,
  artifacts,
  webhooks,
  deliveries,
  apps,
  policies,
  retention,
] as const

/** Every command. */
export const commands = [...serverCommands, ...connectionCommands, ...apiCommands] as const

const summary = "A self-hosted error tracker for the official Sentry SDKs"

export const errata = Command.make("errata").pipe(
  Command.withDescription(summary),
  Command.withSubcommands(commands),
)

/** Runs a command line, given as in `process.argv`. */
export const run = (argv: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    CommandLine.hideSecrets(argv)
    const { args, format, level } = CommandLine.takeLogOptions(argv.slice(2))
    const step = next(args)
    switch (step._tag) {
      case "Tell":
        return Console.log(step.text)
      case "Refuse":
        return new CommandFailed({
          message: CommandLine.withoutKeys(step.message),
          exitCode: exitCodes.usage,
        })
      case "Parse":
        return Effect.flatMap(configFile(step.args), (file) =>
          Effect.flatMap(
            // Other commands report what matters in their output.
            logSettings({ level, format }, args[0] === commandName(serve) ? "info" : "warning"),
            (settings) =>
              Effect.provide(parse([...argv.slice(0, 2), ...step.args]), [
                Logging.layer(settings),
                Layer.succeed(CurrentLogChoice, { level, format }),
              ]),
          ).pipe(Effect.provideService(ConfigFile, file)),
        )
    }
  }).pipe(CommandLine.withTidyErrors)

// internal

/** Commands on the host read a configuration file. Other commands use the profile. */
const configFile = (args: ReadonlyArray<string>) =>
  serverCommands.some((command) => commandName(command) === args[0])
    ? Configuration.load(CommandLine.optionValue(args, "--config"))
    : Effect.succeed(null)

const parse = Command.run(errata, { name: "errata", version })

type Step =
  | { readonly _tag: "Tell"; readonly text: string }
  | { readonly _tag: "Refuse"; readonly message: string }
  | { readonly _tag: "Parse"; readonly args: ReadonlyArray<string> }

/** Decides what to do with a command line. A command with subcommands shows its help if none is given. */
const next = (args: ReadonlyArray<string>): Step => {
  const [first, ...rest] = args
  if (first === "help") return next([...rest, "--help"])
  const isHelp = CommandLine.asksForHelp(args)
  if (first === undefined || (isHelp && first.startsWith("-"))) return { _tag: "Tell", text: allHelp() }
  if (first === "--completions" && (rest[0] === "bash" || rest[0] === "sh")) {
    return { _tag: "Tell", text: bashCompletions(commands.map(commandInfo)) }
  }
  // The library prints the version, and completions for other shells.
  if (first === "--version") return { _tag: "Parse", args }
  if (first === "--completions") {
    return rest[0] === "zsh" || rest[0] === "fish"
      ? { _tag: "Parse", args }
      : { _tag: "Refuse", message: "--completions must be bash, zsh or fish" }
  }
  const command = commands.find((each) => commandName(each) === first)
  if (command === undefined) {
    const known = commands.map((each) => ({ name: commandName(each) }))
    return { _tag: "Refuse", message: CommandLine.unknownCommand(first, known) }
  }
  const target = CommandLine.target(commandInfo(command), rest)
  if (isHelp || (target.command.subcommands.length > 0 && target.rest.length === 0)) {
    const environment = first === commandName(serve) ? serveEnvironment : []
    return { _tag: "Tell", text: commandHelp(target.path, target.command, helpWidth(), environment) }
  }
  const message = CommandLine.fault(target)
  return message === null
    ? {
        _tag: "Parse",
        args: [...args.slice(0, args.length - target.rest.length), ...CommandLine.normalize(target)],
      }
    : { _tag: "Refuse", message }
}

const allHelp = (): string =>
  overview(
    summary,
    [
      { title: "On the server's host", commands: serverCommands.map(commandInfo) },
      {
        title: "From anywhere, over the API",
        commands: [...connectionCommands, ...apiCommands].map(commandInfo),
      },
    ],
    helpWidth(),
  )

const helpWidth = () => Math.min(process.stdout.columns || 100, 110)
