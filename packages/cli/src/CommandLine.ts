/** Prints help, the version, and one line about a wrong command line. */
import { Console, Context, Option } from "effect"
import { type CliError, CliOutput, GlobalFlag, type HelpDoc } from "effect/cli"
import { withoutKeys } from "./ErrorOutput.js"
import { listed } from "./Setting.js"

/** A table at the end of the help of a command. */
export interface HelpTable {
  readonly title: string
  readonly rows: ReadonlyArray<readonly [term: string, description: string]>
}

export const HelpEnd = Context.Reference("@errata/cli/HelpEnd", {
  defaultValue: (): HelpTable | null => null,
})

export const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Console.log(help(event.helpDoc))
      case "Version":
        return Console.log(event.version)
      case "InvalidInvocation":
        return Console.error(`errata: ${withoutKeys(complaint(event))}`)
    }
  },
}

/** Options of the library that every command has. The options of the log are our own. */
export const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]

/** Returns the arguments of a command line. `errata help COMMAND` is `errata COMMAND --help`. */
export const argumentsOf = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv[2] === "help" ? [...argv.slice(3), "--help"] : argv.slice(2)

/**
 * Hides a command line with a secret from the list of processes. It is visible for a moment, so the environment and the
 * profile are safer.
 */
export const hideSecrets = (args: ReadonlyArray<string>): void => {
  if (args.some((arg) => /^--(api-key|database-url)(=|$)/.test(arg))) process.title = "errata"
}

// internal

const help = (doc: HelpDoc.HelpDoc): string => {
  const text = CliOutput.defaultFormatter({ colors: hasColors(), globalFlags: "summary" }).formatHelpDoc({
    ...doc,
    // See `Toggle.ts`.
    flags: doc.flags.map((flag) => (flag.type === "[=boolean]" ? { ...flag, type: "boolean" } : flag)),
  })
  const end = Context.get(doc.annotations, HelpEnd)
  return end === null ? text : `${text}\n\n${tableText(end)}`
}

const tableText = ({ rows, title }: HelpTable): string => {
  const width = Math.max(...rows.map(([term]) => term.length)) + 4
  return [title, ...rows.map(([term, description]) => `  ${term.padEnd(width)}${description}`)].join("\n")
}

const hasColors = () => process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === ""

type Invalid = Extract<CliOutput.Presenter.Event, { readonly _tag: "InvalidInvocation" }>

/** Only the first error: others often follow from it. */
const complaint = ({ commandPath, errors, helpDoc }: Invalid): string => {
  const path = commandPath.join(" ")
  const see = `See ${path} --help`
  const error = errors[0]!
  switch (error._tag) {
    case "UnrecognizedOption": {
      const parent = error.command ?? commandPath
      return helpDoc.subcommands !== undefined || parent.length < commandPath.length
        ? `The command must come first: ${parent.join(" ")} COMMAND [OPTIONS]. See ${parent.join(" ")} --help`
        : `Unknown option ${error.option}${meant(error)}. ${see}. Write text that begins with - after --`
    }
    case "UnknownSubcommand":
      return commandPath.length === 1
        ? `Unknown command ${error.subcommand}${meant(error)}. ${see}`
        : `${path} has no command ${error.subcommand}${meant(error)}. Commands: ${commandsOf(helpDoc)}`
    case "MissingOption":
      return `Missing option --${error.option}: ${descriptionOf(error.option, helpDoc)}. ${see}`
    case "MissingArgument":
      return `Missing argument <${error.argument}>. ${see}`
    default:
      return `${error.message}. ${see}`
  }
}

const commandsOf = ({ subcommands = [] }: HelpDoc.HelpDoc): string =>
  subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)).join(", ")

/** It lists the choices. */
const descriptionOf = (option: string, { flags }: HelpDoc.HelpDoc): string =>
  flags
    .filter(({ name }) => name === option)
    .flatMap(({ description }) => Option.toArray(description))
    .join("")

const meant = ({ suggestions }: CliError.UnrecognizedOption | CliError.UnknownSubcommand): string =>
  suggestions.length === 0 ? "" : ` (did you mean ${listed(suggestions)}?)`
