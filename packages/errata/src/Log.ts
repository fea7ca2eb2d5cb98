/** The log of an instance: nobody else's lines are touched. */
import { Cause, Effect, FiberRef, HashSet, LogLevel, Logger, type Scope } from "effect"
import type { ErrataOptions } from "./ErrataOptions.js"
import type { LogLine } from "./LogLine.js"

/** Has a logger in place of Effect's while the scope is open. */
export const take = (log: ErrataOptions["log"]): Effect.Effect<void, never, Scope.Scope> =>
  Effect.locallyScopedWith(FiberRef.currentLoggers, (loggers) =>
    HashSet.add(HashSet.remove(loggers, Logger.defaultLogger), loggerOf(log)),
  )

// internal

const loggerOf = (log: ErrataOptions["log"]): Logger.Logger<unknown, unknown> =>
  log === "silent" ? Logger.none : Logger.map(lines, typeof log === "function" ? log : toStandardError)

const lines = Logger.make<unknown, LogLine>(({ annotations, cause, date, logLevel, message }) => ({
  level: levelOf(logLevel),
  message: [
    ...(Array.isArray(message) ? message : [message]).map(textOf),
    ...Array.from(annotations, ([name, value]) => `${name}=${textOf(value)}`),
  ].join(" "),
  cause: Cause.isEmpty(cause) ? "" : Cause.pretty(cause, { renderErrorCause: true }),
  at: date,
}))

const levelOf = (level: LogLevel.LogLevel): LogLine["level"] => {
  if (LogLevel.greaterThanEqual(level, LogLevel.Fatal)) return "fatal"
  if (LogLevel.greaterThanEqual(level, LogLevel.Error)) return "error"
  if (LogLevel.greaterThanEqual(level, LogLevel.Warning)) return "warning"
  return LogLevel.greaterThanEqual(level, LogLevel.Info) ? "info" : "debug"
}

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return value instanceof Error ? (value.stack ?? String(value)) : (JSON.stringify(value) ?? String(value))
}

const told: ReadonlySet<LogLine["level"]> = new Set(["warning", "error", "fatal"])

const toStandardError = ({ cause, level, message }: LogLine): void => {
  if (told.has(level))
    process.stderr.write(`errata ${level}: ${message}${cause === "" ? "" : `\n${cause}`}\n`)
}
