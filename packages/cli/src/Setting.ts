/**
 * What can be told by an option, a variable of the environment or the configuration file. A wrong value is told under
 * the name that gave it.
 */
import { Config, Effect, Option } from "effect"
import { ConfigFile } from "./ConfigFile.js"
import { CommandFailed, exitCodes } from "./ErrorOutput.js"

export interface Setting<A> {
  /** Its name in the configuration file, e.g. `admin.apiKey`. */
  readonly path: string
  /** Null where no option says it. */
  readonly option: string | null
  readonly variable: string
  /** None for what it cannot be. */
  readonly parse: (text: string) => Option.Option<A>
  /** The end of the sentence `NAME must be ...`. */
  readonly expected: string
  /** Whether the value itself is kept out of that sentence. */
  readonly isSecret?: boolean
}

export type Source = "option" | "environment" | "file"

/** A value, and who gave it. */
export interface Given<A> {
  readonly value: A
  readonly source: Source
  /** What to call it when something is wrong with it: `--port`, `ERRATA_PORT` or `port in errata.json`. */
  readonly name: string
  readonly isOption: boolean
}

/** An option goes before the environment, in which an empty variable is one that is not set, and that before the file. */
export const given = <A>(
  setting: Setting<A>,
  option: Option.Option<string>,
): Effect.Effect<Option.Option<Given<A>>, CommandFailed> =>
  Effect.gen(function* () {
    const found = yield* written(setting, option)
    if (found === null) return Option.none()
    const value = setting.parse(found.text)
    if (Option.isSome(value)) {
      const { name, source } = found
      return Option.some({ value: value.value, source, name, isOption: source === "option" })
    }
    const not = setting.isSecret === true ? "" : `, not "${found.text}"`
    return yield* wrong(`${found.name} must be ${setting.expected}${not}`)
  })

/** Just the value. */
export const valueOr = <A>(setting: Setting<A>, option: Option.Option<string>, fallback: A) =>
  Effect.map(given(setting, option), Option.match({ onNone: () => fallback, onSome: ({ value }) => value }))

/** The command line, the environment or the configuration file asks for what cannot be. */
export const wrong = (message: string) => new CommandFailed({ message, exitCode: exitCodes.usage })

/** Text that is not empty. */
export const filled = (text: string): Option.Option<string> =>
  text.trim() === "" ? Option.none() : Option.some(text)

export const oneOf =
  <A extends string>(values: ReadonlyArray<A>) =>
  (text: string): Option.Option<A> =>
    Option.fromNullishOr(values.find((value) => value === text.trim().toLowerCase()))

/** `a, b or c` */
export const listed = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`

/** What stands between commas; nothing but commas is nothing. */
export const separated = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

// internal

interface Written {
  readonly text: string
  readonly source: Source
  readonly name: string
}

const written = (setting: Setting<unknown>, option: Option.Option<string>): Effect.Effect<Written | null> =>
  Effect.gen(function* () {
    if (setting.option !== null && Option.isSome(option)) {
      return { text: option.value, source: "option", name: setting.option }
    }
    const variable = yield* Effect.orElseSucceed(
      Config.option(Config.NonEmptyString(setting.variable)),
      Option.none<string>,
    )
    if (Option.isSome(variable)) {
      return { text: variable.value, source: "environment", name: setting.variable }
    }
    const file = yield* ConfigFile
    const text = file?.texts.get(setting.path)
    return file === null || text === undefined
      ? null
      : { text, source: "file", name: `${setting.path} in ${file.path}` }
  })
