/** Checks a command line before the parser of `@effect/cli` sees it, and normalizes it for that parser. */
import { AutoCorrect, CliConfig } from "@effect/cli"
import { Console, Effect } from "effect"
import type { CommandInfo, Parameter } from "./CommandInfo.js"
import { listed } from "./Setting.js"

/** The command that a command line selects. */
export interface Target {
  /** The names up to the command, e.g. `errata groups list`. */
  readonly path: string
  readonly command: CommandInfo
  /** The arguments after the command. */
  readonly rest: ReadonlyArray<string>
}

/** Returns the named subcommand, or the command itself. */
export const target = (command: CommandInfo, rest: ReadonlyArray<string>): Target => {
  const verb = command.subcommands.find(({ name }) => name === rest[0])
  const path = `errata ${command.name}`
  return verb === undefined
    ? { path, command, rest }
    : { path: `${path} ${verb.name}`, command: verb, rest: rest.slice(1) }
}

/** True if the command line contains `--help` or `-h`. */
export const asksForHelp = (args: ReadonlyArray<string>): boolean =>
  beforeEnd(args).some((arg) => arg === "--help" || arg === "-h")

/**
 * Returns an error message about the subcommand or the options, or null. The parser alone would take an unknown option
 * for an argument, such as words to search for.
 */
export const fault = ({ command, path, rest }: Target): string | null => {
  const [first] = rest
  if (command.subcommands.length > 0) {
    return first === undefined || first.startsWith("-")
      ? `The command must come first: ${path} COMMAND [OPTIONS]. Commands: ${namesOf(command.subcommands)}`
      : `${path} has no command ${first}${meant(first, command.subcommands)}. Commands: ${namesOf(command.subcommands)}`
  }
  const options = [...command.options, ...builtIns]
  const args = beforeEnd(rest)
  const missing = command.options.find(
    ({ isOptional, names, type }) =>
      type !== "" && !isOptional && !args.some((arg) => names.includes(arg.split("=", 1)[0]!)),
  )
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (!/^-\D/.test(arg)) continue
    const name = arg.split("=", 1)[0]!
    const option = options.find(({ names }) => names.includes(name))
    if (option === undefined) {
      const known = options.flatMap(({ names }) => names.map((each) => ({ name: each })))
      return `Unknown option ${name}${meant(name, known)}. See ${path} --help. Put text that begins with - after --`
    }
    if (option.type === "") continue
    // The parser accepts an empty value only as an argument of its own.
    const value = arg.includes("=") ? arg.slice(name.length + 1) || undefined : args[++i]
    if (value === undefined) return `${name} needs a value. See ${path} --help`
    const expected = expectedOf(option, value)
    if (expected !== null) return `${name} must be ${expected}, not "${value}". See ${path} --help`
  }
  if (missing !== undefined) {
    const expected = missing.values.length > 0 ? `: ${listed(missing.values)}` : ""
    return `Missing option ${missing.names.at(-1)}${expected}. See ${path} --help`
  }
  return null
}

/** Returns the message about an unknown command. */
export const unknownCommand = (name: string, commands: ReadonlyArray<{ readonly name: string }>): string =>
  name.startsWith("-")
    ? "The command must come first: errata COMMAND [OPTIONS]. See errata --help"
    : `Unknown command ${name}${meant(name, commands)}. See errata --help`

/**
 * Returns the arguments for the parser. Flags get the value `true`, because the parser would take a following `1`,
 * which is an id, for their value.
 */
export const normalize = ({ command, rest }: Target): ReadonlyArray<string> => {
  const flags = command.options.filter(({ type }) => type === "")
  const args = beforeEnd(rest)
  const marked = args.map((arg) => {
    const flag = flags.find(({ names }) => names.includes(arg))
    return flag === undefined ? arg : `${flag.names.at(-1)}=true`
  })
  return [...marked, ...rest.slice(args.length)]
}

/** Splits the log options off a command line. */
export const takeLogOptions = (
  all: ReadonlyArray<string>,
): { readonly args: ReadonlyArray<string>; readonly level?: string; readonly format?: string } => {
  const args = beforeEnd(all)
  const others: Array<string> = []
  const found: { level?: string; format?: string } = {}
  for (let i = 0; i < args.length; i++) {
    const [, name, value] = /^--log-(level|format)(?:=(.*))?$/s.exec(args[i]!) ?? []
    if (name === undefined) others.push(args[i]!)
    else found[name === "level" ? "level" : "format"] = value ?? args[++i] ?? ""
  }
  return { ...found, args: [...others, ...all.slice(args.length)] }
}

/** Returns the value of an option before the parser runs. The last occurrence counts. */
export const optionValue = (all: ReadonlyArray<string>, name: string): string | undefined => {
  const args = beforeEnd(all)
  const at = args.findLastIndex((arg) => arg === name || arg.startsWith(`${name}=`))
  if (at === -1) return undefined
  return args[at] === name ? args[at + 1] : args[at]!.slice(name.length + 1)
}

/**
 * Hides a command line with a secret from the list of processes. It is visible for a moment, so the environment and the
 * profile are safer.
 */
export const hideSecrets = (args: ReadonlyArray<string>): void => {
  if (args.some((arg) => /^--(api-key|database-url)(=|$)/.test(arg))) process.title = "errata"
}

/**
 * Prints errors of the parser in one line. API keys are removed, because the parser quotes arguments that it does not
 * understand.
 */
export const withTidyErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Effect.withConsole(effect, {
      ...console,
      error: (...args) => console.error(...args.map((arg) => (typeof arg === "string" ? tidy(arg) : arg))),
    }),
  )

/** Returns the text with API keys masked. */
export const withoutKeys = (text: string): string => text.replaceAll(/errata_\w{8,}/g, "errata_…")

// internal

const beforeEnd = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return end === -1 ? args : args.slice(0, end)
}

/** Returns the expected values if the value is invalid, or null. The parser's own message does not name the option. */
const expectedOf = ({ type, values }: Pick<Parameter, "type" | "values">, value: string): string | null => {
  if (values.length > 0) return values.includes(value) ? null : listed(values)
  return type === "integer" && !/^-?\d{1,15}$/.test(value) ? "a whole number" : null
}

const namesOf = (commands: ReadonlyArray<{ readonly name: string }>): string =>
  commands.map(({ name }) => name).join(", ")

const meant = (typed: string, candidates: ReadonlyArray<{ readonly name: string }>): string => {
  const near = candidates.find(
    // Short names are all similar.
    ({ name }) =>
      name.length > 3 && AutoCorrect.levensteinDistance(name, typed, CliConfig.defaultConfig) <= 2,
  )
  return near === undefined ? "" : ` (did you mean ${near.name}?)`
}

/** Options that the library adds to every command. */
const builtIns: ReadonlyArray<Pick<Parameter, "names" | "type" | "values">> = [
  { names: ["--help", "-h"], type: "", values: [] },
  { names: ["--version"], type: "", values: [] },
  { names: ["--wizard"], type: "", values: [] },
  { names: ["--completions"], type: "shell", values: [] },
]

/** The parser's messages end with an empty line. */
const tidy = (text: string): string => {
  const line = text.endsWith("\n") ? `errata: ${text.trim().replaceAll(/\s*\n\s*/g, " ")}` : text
  return withoutKeys(line)
}
