/** Help texts: the purpose, usage and parameters of commands. */
import type { CommandInfo, Parameter } from "./CommandInfo.js"
import { textWidth } from "./Table.js"

/** Commands that the overview lists together. */
export interface Section {
  readonly title: string
  readonly commands: ReadonlyArray<CommandInfo>
}

/** Returns the help of all commands. */
export const overview = (summary: string, sections: ReadonlyArray<Section>, width: number): string =>
  text([
    summary,
    "",
    "Usage: errata COMMAND [OPTIONS]",
    ...sections.flatMap(({ commands, title }) => [
      "",
      `${title}:`,
      ...terms(
        commands.map((command) => [command.name, overviewLine(command)]),
        width,
      ),
    ]),
    "",
    "Options:",
    ...terms(
      [
        ["-h, --help", "Show help for a command"],
        ["--version", "Show the version"],
        ["--completions SHELL", "Print a completion script for bash, zsh or fish"],
        ["--log-level LEVEL", logLevels],
        ["--log-format FORMAT", logFormats],
      ],
      width,
    ),
    "",
    "Exit status:",
    ...terms(exitStatus, width),
  ])

/** Returns the help of one command. `environment` lists settings that have no option. */
export const commandHelp = (
  name: string,
  command: CommandInfo,
  width: number,
  environment: ReadonlyArray<Term> = [],
): string => {
  if (command.subcommands.length > 0) {
    return text([
      command.summary,
      "",
      `Usage: ${name} COMMAND [OPTIONS]`,
      "",
      "Commands:",
      ...terms(
        command.subcommands.map((each) => [
          [each.name, ...each.args.map(argumentText)].join(" "),
          each.summary,
        ]),
        width,
      ),
      "",
      `Help for a command: ${name} COMMAND --help`,
    ])
  }
  return text([
    command.summary,
    "",
    `Usage: ${[name, ...(command.options.length > 0 ? ["[OPTIONS]"] : []), ...command.args.map(argumentText)].join(" ")}`,
    ...section(
      "Arguments",
      command.args.map((arg) => [argumentText(arg), arg.description]),
      width,
    ),
    ...section(
      "Options",
      command.options.map((option) => [optionText(option), optionDescription(option)]),
      width,
    ),
    ...section("Environment", environment, width),
  ])
}

// internal

const logLevels =
  "Lowest level to log on standard error: trace, debug, info (default of serve), warning (default of other " +
  "commands), error, fatal or none. Environment: ERRATA_LOG_LEVEL"
const logFormats =
  "Log format: pretty (default on a terminal), logfmt (default elsewhere) or json. Environment: ERRATA_LOG_FORMAT"

type Term = readonly [term: string, description: string]

const exitStatus: ReadonlyArray<Term> = [
  ["0", "Success"],
  ["1", "The command failed"],
  ["2", "The command line is invalid"],
  ["3", "The API key is missing, invalid or lacks permission"],
  ["4", "Not found"],
  ["5", "The server rejected the input"],
  ["6", "The server is unreachable or busy"],
]

const text = (lines: ReadonlyArray<string>): string => lines.join("\n")

const overviewLine = ({ subcommands, summary }: CommandInfo): string =>
  subcommands.length === 0 ? summary : `${summary} (${subcommands.map(({ name }) => name).join(", ")})`

const section = (title: string, entries: ReadonlyArray<Term>, width: number): ReadonlyArray<string> =>
  entries.length === 0 ? [] : ["", `${title}:`, ...terms(entries, width)]

const argumentText = ({ isOptional, isRepeated, names }: Parameter): string => {
  const name = `${names[0]!.toUpperCase()}${isRepeated ? "..." : ""}`
  return isOptional ? `[${name}]` : name
}

const optionText = ({ names, type, values }: Parameter): string => {
  const value = values.length > 0 ? values.join("|") : type.toUpperCase().replace("REDACTED", "SECRET")
  // Options without a short form line up with the long forms of others.
  const spelling = names[0]!.startsWith("--") ? `    ${names.join(", ")}` : names.join(", ")
  return value === "" ? spelling : `${spelling} ${value}`
}

const optionDescription = ({ description, isOptional, isRepeated, type }: Parameter): string =>
  isOptional || isRepeated || type === "" ? description : `${description} (required)`

const indent = 2
const gap = 2
const widestTerm = 30

/** Formats descriptions in a column beside their terms. Long terms get a line of their own. */
const terms = (entries: ReadonlyArray<Term>, width: number): ReadonlyArray<string> => {
  const column =
    indent +
    gap +
    Math.max(...entries.map(([term]) => textWidth(term)).filter((each) => each <= widestTerm), 0)
  return entries.flatMap(([term, description]) => {
    const lines = wrap(description, Math.max(30, width - column))
    const head = " ".repeat(indent) + term
    return head.length + gap <= column
      ? [
          head.padEnd(column) + (lines[0] ?? ""),
          ...lines.slice(1).map((line) => " ".repeat(column) + line),
        ].map((line) => line.trimEnd())
      : [head, ...lines.map((line) => " ".repeat(column) + line)]
  })
}

const wrap = (paragraph: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of paragraph.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return line === "" ? lines : [...lines, line]
}
