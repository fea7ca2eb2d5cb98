/** Log entries: the message and its template. */
import type { LogEntry } from "@errata/core/ports"
import type { Bounds } from "./Bounds.js"
import { isRecord, type UnknownRecord } from "./json.js"
import { type Draft, isScalar } from "./shapes.js"

/** Reads the log entry of an event under any of its names. Null without text. */
export const readLogEntry = (event: UnknownRecord, bounds: Bounds): LogEntry | null =>
  readEntry(event.logentry, bounds) ??
  readEntry(event["sentry.interfaces.Message"], bounds) ??
  readEntry(event.message, bounds)

// internal

const placeholder =
  /%(?:\((\w{1,64})\))?[-+#0]{0,4}\d{0,4}(?:\.\d{1,4})?([sdifrxXeEgGuc%])|\{(\w{0,64})(?:[:!][^{}]{0,16})?\}/g

const own = (record: UnknownRecord, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined

// Fills in `%s`, `%(name)s`, `{0}` and `{name}`. Placeholders without a parameter stay.
const formatMessage = (template: string, params: unknown, maxLength: number): string => {
  const list = Array.isArray(params) ? params : []
  const named = isRecord(params) ? params : {}
  let out = ""
  let end = 0
  let next = 0
  placeholder.lastIndex = 0
  for (let match = placeholder.exec(template); match !== null; match = placeholder.exec(template)) {
    const [whole, percentName, conversion, braceName] = match
    let value: unknown
    if (conversion === "%") value = "%"
    else if (percentName !== undefined) value = own(named, percentName)
    else if (conversion !== undefined || braceName === "") value = list[next++]
    else if (braceName !== undefined) value = own(named, braceName) ?? list[Number(braceName)]
    out += template.slice(end, match.index) + (isScalar(value) ? String(value).slice(0, maxLength) : whole)
    end = match.index + whole.length
    // Many placeholders for one long parameter would expand a few bytes to megabytes.
    if (out.length > maxLength) return out
  }
  return out + template.slice(end)
}

const readEntry = (value: unknown, bounds: Bounds): LogEntry | null => {
  if (!isRecord(value)) {
    const formatted = isScalar(value) ? bounds.short(value, "message") : ""
    return formatted === "" ? null : { formatted }
  }
  const template = bounds.short(value.message, "message")
  const given = bounds.short(value.formatted, "message")
  if (template === "" && given === "") return null
  const params = value.params
  const hasParams = typeof params === "object" && params !== null
  const formatted =
    given !== ""
      ? given
      : hasParams
        ? bounds
            .unclean()
            .short(formatMessage(template, params, bounds.limits.maxShortStringBytes), "message")
        : template
  const entry: Draft<LogEntry> = { formatted }
  if (template !== "") entry.message = template
  if (hasParams) entry.params = bounds.json(params, 3, "message params")
  return entry
}
