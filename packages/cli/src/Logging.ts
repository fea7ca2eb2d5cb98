/** The log of a process. It goes to standard error, so that the output of a command can be piped. */
import { Context, Layer, Logger, References } from "effect"
import { type LogFormat, logLine } from "./LogFormat.js"

const levels = {
  all: "All",
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warning: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None",
} as const
export type LevelName = keyof typeof levels

export const levelNames = Object.keys(levels) as ReadonlyArray<LevelName>

/** Log level and format. Plain data, so that threads can receive it. */
export interface LogSettings {
  readonly level: LevelName
  readonly format: LogFormat
  readonly colors: boolean
}

/** The process's log settings, to pass on to threads that log. */
export const CurrentLogSettings = Context.Reference("@errata/cli/LogSettings", {
  defaultValue: (): LogSettings => ({ level: "info", format: "logfmt", colors: false }),
})

export const layer = (settings: LogSettings): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([
      Logger.tracerLogger,
      // Through the console, not the stream: it ignores errors of a closed pipe.
      Logger.withConsoleError(
        Logger.make(({ fiber, ...entry }) => {
          const annotations = fiber.getRef(References.CurrentLogAnnotations)
          return logLine({ ...entry, annotations }, settings.format, settings.colors)
        }),
      ),
    ]),
    Layer.succeed(References.MinimumLogLevel, levels[settings.level]),
    Layer.succeed(CurrentLogSettings, settings),
  )
