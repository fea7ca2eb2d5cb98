/** What a process is told to log, and how: options that every command understands, and the environment. */
import { Config, Effect, Option } from "effect"
import type { CommandFailed } from "./ErrorOutput.js"
import { type LogFormat, logFormats } from "./LogFormat.js"
import { type LevelName, type LogSettings, levelNames } from "./Logging.js"
import * as Setting from "./Setting.js"

/** The values on the command line, where there are some. */
export interface LogChoice {
  readonly level?: string | undefined
  readonly format?: string | undefined
}

export const logSettings = (
  choice: LogChoice,
  defaultLevel: LevelName,
): Effect.Effect<LogSettings, CommandFailed> =>
  Effect.gen(function* () {
    const isTerminal = process.stderr.isTTY === true
    const withoutColors = yield* Effect.orElseSucceed(
      Config.option(Config.nonEmptyString("NO_COLOR")),
      Option.none,
    )
    return {
      level: yield* Setting.valueOr(level, Option.fromNullable(choice.level), defaultLevel),
      format: yield* Setting.valueOr(
        format,
        Option.fromNullable(choice.format),
        isTerminal ? "pretty" : "logfmt",
      ),
      colors: isTerminal && Option.isNone(withoutColors),
    }
  })

// internal

const level: Setting.Setting<LevelName> = {
  option: "--log-level",
  variable: "ERRATA_LOG_LEVEL",
  parse: Setting.oneOf(levelNames),
  expected: Setting.listed(levelNames),
}

const format: Setting.Setting<LogFormat> = {
  option: "--log-format",
  variable: "ERRATA_LOG_FORMAT",
  parse: Setting.oneOf(logFormats),
  expected: Setting.listed(logFormats),
}
