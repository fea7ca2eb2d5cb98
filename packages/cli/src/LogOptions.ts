/**
 * Log level and format: from options of every command, environment variables, and the configuration file for commands
 * that read it.
 */
import { Config, Context, Effect, Layer, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import type { CommandFailed } from "./ErrorOutput.js"
import * as Logging from "./Logging.js"
import { logFormat, logLevel } from "./ServerSettings.js"
import * as Setting from "./Setting.js"

const levelOption = GlobalFlag.Setting("log-level")({
  flag: Flag.String("log-level").pipe(
    Flag.withMetavar("level"),
    Flag.optional,
    Flag.withDescription(
      "Lowest level to log on standard error: trace, debug, info (default of serve), warning (default of other " +
        "commands), error, fatal or none. Environment: ERRATA_LOG_LEVEL",
    ),
  ),
})

const formatOption = GlobalFlag.Setting("log-format")({
  flag: Flag.String("log-format").pipe(
    Flag.withMetavar("format"),
    Flag.optional,
    Flag.withDescription(
      "Log format: pretty (default on a terminal), logfmt (default elsewhere) or json. Environment: ERRATA_LOG_FORMAT",
    ),
  ),
})

/** Options of every command. */
export const logOptions = [levelOption, formatOption] as const

/** The values from the command line, if any. */
export interface LogChoice {
  readonly level?: string | undefined
  readonly format?: string | undefined
}

/** The same, for `errata config`, which shows the source of each setting. */
export const CurrentLogChoice = Context.Reference("@errata/cli/LogChoice", {
  defaultValue: (): LogChoice => ({}),
})

/** The log of a command. `serve` logs its normal operation, other commands report the outcome in their output. */
export const layer = (defaultLevel: Logging.LevelName) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const choice = {
        level: Option.getOrUndefined(yield* levelOption),
        format: Option.getOrUndefined(yield* formatOption),
      }
      const settings = yield* logSettings(choice, defaultLevel)
      return Layer.merge(Logging.layer(settings), Layer.succeed(CurrentLogChoice, choice))
    }),
  )

// internal

const logSettings = (
  choice: LogChoice,
  defaultLevel: Logging.LevelName,
): Effect.Effect<Logging.LogSettings, CommandFailed> =>
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
