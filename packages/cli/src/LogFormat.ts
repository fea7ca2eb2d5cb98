/** Formats log lines, for people and for programs. Fiber ids are omitted, as they help neither. */
import { Cause, Inspectable, type Logger } from "effect"

export const logFormats = ["pretty", "logfmt", "json"] as const
export type LogFormat = (typeof logFormats)[number]

/** A log message with the annotations of its fiber. */
export interface Entry extends Pick<Logger.Options<unknown>, "cause" | "date" | "logLevel" | "message"> {
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Formats an entry without the final line break. `pretty` puts stack traces of causes on lines of their own. */
export const logLine = (entry: Entry, format: LogFormat, colors: boolean): string => {
  const parts = read(entry)
  switch (format) {
    case "pretty":
      return pretty(parts, colors)
    case "logfmt":
      return logfmt(parts)
    case "json":
      return json(parts)
  }
}

// internal

interface Parts {
  readonly time: Date
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: ReadonlyArray<readonly [name: string, value: unknown]>
}

const read = ({ annotations, cause, date, logLevel, message }: Entry): Parts => {
  const messages: Array<string> = []
  const causes = cause.reasons.length === 0 ? [] : [Cause.pretty(cause)]
  for (const part of Array.isArray(message) ? message : [message]) {
    if (part instanceof Error) causes.push(Cause.pretty(Cause.fail(part)))
    else messages.push(Inspectable.toStringUnknown(part, 0))
  }
  return {
    time: date,
    level: logLevel.toUpperCase(),
    message: messages.join(" "),
    cause: causes.join("\n"),
    annotations: Object.entries(annotations),
  }
}

const levelColors: Readonly<Record<string, string>> = {
  WARN: "33",
  ERROR: "31",
  FATAL: "31",
}

const pretty = ({ annotations, cause, level, message, time }: Parts, colors: boolean): string => {
  const paint = (code: string | undefined, text: string) =>
    colors && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text
  const clock = time.toTimeString().slice(0, 8)
  const details = annotations.map(([name, value]) => ` ${name}=${quoted(value)}`).join("")
  const head = `${paint("2", clock)} ${paint(levelColors[level], level.padEnd(5))} ${message}${paint("2", details)}`
  return cause === "" ? head : `${head}\n${cause.replaceAll(/^/gm, "  ")}`
}

const logfmt = ({ annotations, cause, level, message, time }: Parts): string =>
  [
    ["timestamp", time.toISOString()] as const,
    ["level", level] as const,
    ["message", message] as const,
    ...(cause === "" ? [] : [["cause", cause] as const]),
    ...annotations,
  ]
    .map(([name, value]) => `${name.replaceAll(/[\s="]/g, "_")}=${quoted(value)}`)
    .join(" ")

const json = ({ annotations, cause, level, message, time }: Parts): string =>
  JSON.stringify({
    timestamp: time.toISOString(),
    level,
    message,
    ...(cause === "" ? {} : { cause }),
    ...(annotations.length === 0
      ? {}
      : {
          annotations: Object.fromEntries(
            annotations.map(([name, value]) => [name, Inspectable.toJson(value)]),
          ),
        }),
  })

/** Quotes a value as a JSON string, unless it is one plain word. */
const quoted = (value: unknown): string => {
  const text = Inspectable.toStringUnknown(value, 0)
  return /^[^\s="\\\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text)
}
