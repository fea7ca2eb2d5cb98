/**
 * What a process is told to log, and how: options that every command understands, the environment, and the
 * configuration file for the commands that read it.
 */
import { Config, Context, Effect, Option } from "effect"
import type { CommandFailed } from "./ErrorOutput.js"
import type { LevelName, LogSettings } from "./Logging.js"
import { logFormat, logLevel } from "./ServerSettings.js"
import * as Setting from "./Setting.js"

/** The values on the command line, where there are some. */
export interface LogChoice {
  readonly level?: string | undefined
  readonly format?: string | undefined
}

/** The same, for the command that tells where settings come from. */
export const CurrentLogChoice = Context.Reference("@errata/cli/LogChoice", {
  defaultValue: (): LogChoice => ({}),
})

export const logSettings = (
  choice: LogChoice,
  defaultLevel: LevelName,
): Effect.Effect<LogSettings, CommandFailed> =>
  Effect.gen(function* () {
    const isTerminal = process.stderr.isTTY === true
    const withoutColors = yield* Effect.orElseSucceed(
      Config.option(Config.NonEmptyString("NO_COLOR")),
      Option.none,
    )
    return {
      level: yield* Setting.valueOr(logLevel, Option.fromNullishOr(choice.level), defaultLevel),
      format: yield* Setting.valueOr(
        logFormat,
        Option.fromNullishOr(choice.format),
        isTerminal ? "pretty" : "logfmt",
      ),
      colors: isTerminal && Option.isNone(withoutColors),
    }
  })
