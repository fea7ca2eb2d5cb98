/** What can be told by an option or a variable of the environment. A wrong value is told under the name that gave it. */
import { Config, Effect, Option } from "effect"
import { CommandFailed, exitCodes } from "./ErrorOutput.js"

export interface Setting<A> {
  readonly option: string
  readonly variable: string
  /** None for what it cannot be. */
  readonly parse: (text: string) => Option.Option<A>
  /** The end of the sentence `NAME must be ...`. */
  readonly expected: string
  /** Whether the value itself is kept out of that sentence. */
  readonly isSecret?: boolean
}

/** A value, and whether it stands on the command line. */
export interface Given<A> {
  readonly value: A
  readonly isOption: boolean
}

/** The option goes before the environment, in which an empty variable is one that is not set. */
export const given = <A>(
  setting: Setting<A>,
  option: Option.Option<string>,
): Effect.Effect<Option.Option<Given<A>>, CommandFailed> =>
  Effect.gen(function* () {
    const isOption = Option.isSome(option)
    const text = isOption ? option : yield* variable(setting.variable)
    if (Option.isNone(text)) return Option.none()
    const value = setting.parse(text.value)
    if (Option.isSome(value)) return Option.some({ value: value.value, isOption })
    const name = isOption ? setting.option : setting.variable
    const found = setting.isSecret === true ? "" : `, not "${text.value}"`
    return yield* wrong(`${name} must be ${setting.expected}${found}`)
  })

/** Just the value. */
export const valueOr = <A>(setting: Setting<A>, option: Option.Option<string>, fallback: A) =>
  Effect.map(given(setting, option), Option.match({ onNone: () => fallback, onSome: ({ value }) => value }))

/** The command line or the environment asks for what cannot be. */
export const wrong = (message: string) => new CommandFailed({ message, exitCode: exitCodes.usage })

/** Text that is not empty. */
export const filled = (text: string): Option.Option<string> =>
  text.trim() === "" ? Option.none() : Option.some(text)

export const oneOf =
  <A extends string>(values: ReadonlyArray<A>) =>
  (text: string): Option.Option<A> =>
    Option.fromNullable(values.find((value) => value === text.trim().toLowerCase()))

/** `a, b or c` */
export const listed = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`

// internal

const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Effect.orElseSucceed(Config.option(Config.nonEmptyString(name)), Option.none<string>)
