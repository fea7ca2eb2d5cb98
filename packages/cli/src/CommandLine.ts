/** What people type: told what is wrong with it, and made into what the parser of `@effect/cli` takes as it is meant. */
import { AutoCorrect, CliConfig } from "@effect/cli"
import { Console, Effect } from "effect"
import type { CommandInfo, Parameter } from "./CommandInfo.js"
import { listed } from "./Setting.js"

/** Where a command line leads. */
export interface Target {
  /** The command, its verb if there is one, and what leads to it, e.g. `errata groups list`. */
  readonly path: string
  readonly command: CommandInfo
  /** What stands behind. */
  readonly rest: ReadonlyArray<string>
}

/** The verb that is named, else the command. */
export const target = (command: CommandInfo, rest: ReadonlyArray<string>): Target => {
  const verb = command.subcommands.find(({ name }) => name === rest[0])
  const path = `errata ${command.name}`
  return verb === undefined
    ? { path, command, rest }
    : { path: `${path} ${verb.name}`, command: verb, rest: rest.slice(1) }
}

/** Whether help is asked for, wherever in the line. */
export const asksForHelp = (args: ReadonlyArray<string>): boolean =>
  beforeEnd(args).some((arg) => arg === "--help" || arg === "-h")

/**
 * What is wrong with the verb or the options, in one sentence; null where nothing is. The parser would take what it
 * does not know for an argument: for words to search for.
 */
export const fault = ({ command, path, rest }: Target): string | null => {
  const [first] = rest
  if (command.subcommands.length > 0) {
    return first === undefined || first.startsWith("-")
      ? `Give the command first: ${path} COMMAND [OPTIONS]. Commands: ${namesOf(command.subcommands)}`
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
      return `Unknown option ${name}${meant(name, known)}. See ${path} --help; text that begins with - goes behind --`
    }
    if (option.type === "") continue
    // An empty one the parser takes only when it stands by itself.
    const value = arg.includes("=") ? arg.slice(name.length + 1) || undefined : args[++i]
    if (value === undefined) return `${name} needs a value. See ${path} --help`
    const expected = expectedOf(option, value)
    if (expected !== null) return `${name} must be ${expected}, not "${value}". See ${path} --help`
  }
  if (missing !== undefined) {
    const expected = missing.values.length > 0 ? `: ${listed(missing.values)}` : ""
    return `Give ${missing.names.at(-1)}${expected}. See ${path} --help`
  }
  return null
}

/** There is no command of a name. */
export const unknownCommand = (name: string, commands: ReadonlyArray<{ readonly name: string }>): string =>
  name.startsWith("-")
    ? "Give the command first: errata COMMAND [OPTIONS]. See errata --help"
    : `There is no command ${name}${meant(name, commands)}. See errata --help`

/** As the parser needs it. Options that take no value are marked as such: it would take a following `1` for one, an id. */
export const normalize = ({ command, rest }: Target): ReadonlyArray<string> => {
  const flags = command.options.filter(({ type }) => type === "")
  const args = beforeEnd(rest)
  const marked = args.map((arg) => {
    const flag = flags.find(({ names }) => names.includes(arg))
    return flag === undefined ? arg : `${flag.names.at(-1)}=true`
  })
  return [...marked, ...rest.slice(args.length)]
}

/** A command line without the options that say what is logged, wherever they stood, and what they said. */
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

/** What an option is given that the parser will read, too; the last one where it stands several times. */
export const optionValue = (all: ReadonlyArray<string>, name: string): string | undefined => {
  const args = beforeEnd(all)
  const at = args.findLastIndex((arg) => arg === name || arg.startsWith(`${name}=`))
  if (at === -1) return undefined
  return args[at] === name ? args[at + 1] : args[at]!.slice(name.length + 1)
}

/**
 * Takes the command line out of the list of processes where it holds a secret. A short moment remains: the environment
 * and a profile are the better places.
 */
export const hideSecrets = (args: ReadonlyArray<string>): void => {
  if (args.some((arg) => /^--(api-key|database-url)(=|$)/.test(arg))) process.title = "errata"
}

/**
 * What the parser complains about, in one line like other failures, and without keys: it repeats what it does not
 * understand, which may be a key in the wrong place.
 */
export const withTidyErrors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Effect.withConsole(effect, {
      ...console,
      error: (...args) => console.error(...args.map((arg) => (typeof arg === "string" ? tidy(arg) : arg))),
    }),
  )

/** Text without what looks like an API key. */
export const withoutKeys = (text: string): string => text.replaceAll(/errata_\w{8,}/g, "errata_…")

// internal

const beforeEnd = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return end === -1 ? args : args.slice(0, end)
}

/** What an option takes in place of a value that it does not. The parser would tell without naming the option. */
const expectedOf = ({ type, values }: Pick<Parameter, "type" | "values">, value: string): string | null => {
  if (values.length > 0) return values.includes(value) ? null : listed(values)
  return type === "integer" && !/^-?\d{1,15}$/.test(value) ? "a whole number" : null
}

const namesOf = (commands: ReadonlyArray<{ readonly name: string }>): string =>
  commands.map(({ name }) => name).join(", ")

const meant = (typed: string, candidates: ReadonlyArray<{ readonly name: string }>): string => {
  const near = candidates.find(
    // Among short names everything is near.
    ({ name }) =>
      name.length > 3 && AutoCorrect.levensteinDistance(name, typed, CliConfig.defaultConfig) <= 2,
  )
  return near === undefined ? "" : ` (did you mean ${near.name}?)`
}

/** What the library itself understands behind every command. */
const builtIns: ReadonlyArray<Pick<Parameter, "names" | "type" | "values">> = [
  { names: ["--help", "-h"], type: "", values: [] },
  { names: ["--version"], type: "", values: [] },
  { names: ["--wizard"], type: "", values: [] },
  { names: ["--completions"], type: "shell", values: [] },
]

/** Documents of the parser end with an empty line. */
const tidy = (text: string): string => {
  const line = text.endsWith("\n") ? `errata: ${text.trim().replaceAll(/\s*\n\s*/g, " ")}` : text
  return withoutKeys(line)
}
