/** The log of an instance: nobody else's lines are touched. */
import { Cause, Logger, LogLevel } from "effect"
import type { ErrataOptions } from "./ErrataOptions.js"
import type { LogLine } from "./LogLine.js"

/** A logger in place of Effect's. */
export const layer = (log: ErrataOptions["log"]) =>
  Logger.replace(
    Logger.defaultLogger,
    log === "silent" ? Logger.none : Logger.map(lines, typeof log === "function" ? log : toStandardError),
  )

// internal

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
