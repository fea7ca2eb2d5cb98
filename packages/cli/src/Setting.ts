/**
 * A setting from an option, an environment variable or the configuration file. An invalid value is reported with the
 * name of its source.
 */
import { Config, Effect, Option } from "effect"
import { ConfigFile } from "./ConfigFile.js"
import { type CommandFailed, usageError } from "./ErrorOutput.js"

export interface Setting<A> {
  /** Path in the configuration file, e.g. `admin.apiKey`. */
  readonly path: string
  /** Null if there is no option for it. */
  readonly option: string | null
  readonly variable: string
  /** None for an invalid value. */
  readonly parse: (text: string) => Option.Option<A>
  /** The end of the error message `NAME must be ...`. */
  readonly expected: string
  /** True if the error message must not contain the value. */
  readonly isSecret?: boolean
}

export type Source = "option" | "environment" | "file"

/** A value and its source. */
export interface Given<A> {
  readonly value: A
  readonly source: Source
  /** Name of the source for messages: `--port`, `ERRATA_PORT` or `port in errata.json`. */
  readonly name: string
  readonly isOption: boolean
}

/** Reads a setting: the option first, then the variable, then the file. An empty variable counts as not set. */
export const given = <A>(
  setting: Setting<A>,
  option: Option.Option<string> = Option.none(),
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
    return yield* usageError(`${found.name} must be ${setting.expected}${not}`)
  })

/** Reads the value of a setting, or the fallback. */
export const valueOr = <A>(setting: Setting<A>, option: Option.Option<string>, fallback: A) =>
  Effect.map(given(setting, option), Option.match({ onNone: () => fallback, onSome: ({ value }) => value }))

/** Accepts text that is not blank. */
export const filled = (text: string): Option.Option<string> =>
  text.trim() === "" ? Option.none() : Option.some(text)

export const oneOf =
  <A extends string>(values: ReadonlyArray<A>) =>
  (text: string): Option.Option<A> =>
    Option.fromNullishOr(values.find((value) => value === text.trim().toLowerCase()))

/** Joins values to `a, b or c`. */
export const listed = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`

/** Splits a list at commas and drops empty parts. */
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
