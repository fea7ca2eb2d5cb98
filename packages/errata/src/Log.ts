/** The log of an instance. Lines of the application are unchanged. */
import { severities } from "@errata/effect/capture"
import { Cause, type Layer, Logger, References } from "effect"
import type { ErrataOptions } from "./ErrataOptions.js"
import type { LogLine } from "./LogLine.js"

/** Replaces Effect's logger in everything that is built on the layer. */
export const layer = (log: ErrataOptions["log"]): Layer.Layer<never> =>
  Logger.layer(
    log === "silent"
      ? [Logger.tracerLogger]
      : [Logger.tracerLogger, Logger.map(lines, typeof log === "function" ? log : toStandardError)],
  )

// internal

const lines = Logger.make<unknown, LogLine>(({ cause, date, fiber, logLevel, message }) => ({
  level: severities[logLevel],
  message: [
    ...(Array.isArray(message) ? message : [message]).map(textOf),
    ...Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
      ([name, value]) => `${name}=${textOf(value)}`,
    ),
  ].join(" "),
  cause: cause.reasons.length === 0 ? "" : Cause.pretty(cause),
  at: date,
}))

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return value instanceof Error ? (value.stack ?? String(value)) : (JSON.stringify(value) ?? String(value))
}

const shown: ReadonlySet<LogLine["level"]> = new Set(["warning", "error", "fatal"])

const toStandardError = ({ cause, level, message }: LogLine): void => {
  if (shown.has(level))
    process.stderr.write(`errata ${level}: ${message}${cause === "" ? "" : `\n${cause}`}\n`)
}
