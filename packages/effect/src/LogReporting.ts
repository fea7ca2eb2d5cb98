/** A logger that reports errors and collects the other lines as breadcrumbs. */
import { Cause, Effect, type Layer, Logger, LogLevel, References } from "effect"
import { plainJson } from "./capture/PlainJson.js"
import { severities } from "./capture.js"
import { Message } from "./Message.js"
import { Reporter } from "./Reporter.js"

/** The options of the logger. */
export interface LoggerOptions {
  /** Lines of at least this level are reports. `Error` by default. */
  readonly reportLevel?: LogLevel.Severity | undefined
}

/** Reports the lines of `Effect.logError` and `Effect.logFatal`, besides the loggers that are already there. */
export const logger = ({ reportLevel = "Error" }: LoggerOptions = {}): Layer.Layer<never, never, Reporter> =>
  Logger.layer([Effect.map(Reporter, (reporter) => loggerOf(reporter, reportLevel))], {
    mergeWithExisting: true,
  })

// internal

const loggerOf = (reporter: Reporter["Service"], reportLevel: LogLevel.Severity) =>
  Logger.make<unknown, void>((line) => {
    const { date, fiber, logLevel } = line
    const { cause, text } = contentOf(line)
    const severity = severities[logLevel]
    if (LogLevel.isGreaterThanOrEqualTo(logLevel, reportLevel)) {
      const log = { level: logLevel, ...(text === "" ? {} : { message: text }) }
      const context = { severity, timestamp: date, tags: { "log.level": logLevel }, contexts: { log } }
      if (cause.reasons.length > 0) reporter.reportCause(cause, { fiber, context })
      else reporter.reportMessage(new Message(text), { fiber, context })
    }
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    reporter.addBreadcrumb(fiber, {
      timestamp: date,
      category: "log",
      level: severity,
      message: (text === "" ? Cause.pretty(cause) : text).slice(0, maxText),
      ...(Object.keys(annotations).length === 0 ? {} : { data: annotations }),
    })
  })

const maxText = 2_000

/** The errors and the text of a line. Logged values may contain errors. */
const contentOf = ({ cause, message }: Logger.Options<unknown>) => {
  const values = Array.isArray(message) ? message : [message]
  const errors = values.filter((value) => value instanceof Error)
  return {
    cause: errors.reduce((all, error) => Cause.combine(all, Cause.fail(error)), cause),
    text: values
      .filter((value) => !errors.includes(value))
      .map((value) => (typeof value === "string" ? value : JSON.stringify(plainJson(value))))
      .join(" "),
  }
}
