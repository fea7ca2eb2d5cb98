/** What a process is told to log, and how: options that every command understands, and the environment. */
import { Config, Effect, Option } from "effect"
import { CommandFailed, exitCodes } from "./ErrorOutput.js"
import { logFormats } from "./LogFormat.js"
import { type LevelName, type LogSettings, levelNames } from "./Logging.js"

/** The values on the command line, where there are some. */
export interface LogChoice {
  readonly level: string | undefined
  readonly format: string | undefined
}

/** Options go before the environment, that before the default. */
export const logSettings = (
  choice: LogChoice,
  defaultLevel: LevelName,
): Effect.Effect<LogSettings, CommandFailed> =>
  Effect.gen(function* () {
    const level = yield* oneOf("--log-level", "ERRATA_LOG_LEVEL", choice.level, levelNames)
    const format = yield* oneOf("--log-format", "ERRATA_LOG_FORMAT", choice.format, logFormats)
    const isTerminal = process.stderr.isTTY
    return {
      level: level ?? defaultLevel,
      format: format ?? (isTerminal ? "pretty" : "logfmt"),
      colors: isTerminal && (yield* environment("NO_COLOR")) === undefined,
    }
  })

// internal

/** An empty variable is one that is not set. */
const environment = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.nonEmptyString(name)).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined),
  )

const oneOf = Effect.fnUntraced(function* <A extends string>(
  option: string,
  variable: string,
  given: string | undefined,
  known: ReadonlyArray<A>,
) {
  const text = given ?? (yield* environment(variable))
  if (text === undefined) return undefined
  const found = known.find((each) => each === text.toLowerCase())
  if (found !== undefined) return found
  return yield* new CommandFailed({
    message: `${given === undefined ? variable : option} must be one of ${known.join(", ")}, not "${text}"`,
    exitCode: exitCodes.usage,
  })
})
