/** The log of a process: on standard error, so that what a command answers on standard output can be piped. */
import { Context, Layer, LogLevel, Logger } from "effect"
import { type LogFormat, logLine } from "./LogFormat.js"

const levels = {
  all: LogLevel.All,
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  fatal: LogLevel.Fatal,
  none: LogLevel.None,
} as const
export type LevelName = keyof typeof levels

export const levelNames = Object.keys(levels) as ReadonlyArray<LevelName>

/** What is logged, and how; plain data, so that it can be handed to a thread. */
export interface LogSettings {
  readonly level: LevelName
  readonly format: LogFormat
  readonly colors: boolean
}

/** What the process was told, for whoever starts threads that log, too. */
export const CurrentLogSettings = Context.Reference("@errata/cli/LogSettings", {
  defaultValue: (): LogSettings => ({ level: "info", format: "logfmt", colors: false }),
})

export const layer = (settings: LogSettings): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.replace(
      Logger.defaultLogger,
      // The console and not the stream: it takes it for no failure that nobody reads any more.
      Logger.withConsoleError(Logger.make((entry) => logLine(entry, settings.format, settings.colors))),
    ),
    Logger.minimumLogLevel(levels[settings.level]),
    Layer.succeed(CurrentLogSettings, settings),
  )
