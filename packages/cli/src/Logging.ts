/** The log of a process: on standard error, so that what a command answers on standard output can be piped. */
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
    Logger.layer([
      Logger.tracerLogger,
      // The console and not the stream: it takes it for no failure that nobody reads any more.
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
