/**
 * The fields that an event and its report must have in common. Not a second decoder: it only knows that lists may be
 * wrapped in `values` and that maps may be lists of pairs.
 */
import type { Report } from "../../support/Rest.js"
import type { Fields } from "./RealData.js"

export const ofEvent = (event: Fields) => {
  const exceptions = list(event.exception)
  const last = exceptions.at(-1)
  const message = record(event.logentry ?? event.message)
  const user = record(event.user)
  const request = record(event.request ?? event["sentry.interfaces.Http"])
  const sdk = record(event.sdk)
  const fingerprint = Array.isArray(event.fingerprint) ? event.fingerprint.map(String) : []
  const device = record(record(event.contexts).device)
  return {
    event_id: event.event_id,
    platform: event.platform,
    error_type: last === undefined ? "Message" : typeOf(last),
    error_message: last === undefined ? formatted(event, message) : text(last.value),
    severity: event.level ?? "error",
    handled: !exceptions.some((exception) => record(exception.mechanism).handled === false),
    environment: text(event.environment),
    release_version: text(event.release),
    server_name: text(event.server_name) || text(device.name),
    sdk: { name: text(sdk.name), version: text(sdk.version) },
    custom_fingerprint: fingerprint.length > 0 ? fingerprint : null,
    // Its name in old SDKs.
    transaction: text(event.transaction) || text(event.culprit),
    exceptions: exceptions.map((exception) => ({
      type: exception.type ?? null,
      value: exception.value ?? null,
      ...stackOf(exception),
    })),
    threads: list(event.threads).length,
    tags: entries(event.tags).map(([key, value]) => ({ key, value: text(value) })),
    breadcrumbs: Math.min(list(event.breadcrumbs).length, 100),
    contexts: entries(event.contexts)
      .filter(([, value]) => value !== null)
      .map(([name]) => name),
    extras: entries(event.extra).map(([key]) => key),
    dependencies: entries(event.modules).length,
    user: { user_id: text(user.id), email: text(user.email), ip_address: address(user.ip_address) },
    request: { url: text(request.url), method: text(request.method) },
  }
}

/** Omits tags after those of the event if they are tags that Errata adds. */
export const ofReport = (report: Report, event: Fields): ReturnType<typeof ofEvent> => ({
  event_id: report.event_id,
  platform: report.platform,
  error_type: report.error_type,
  error_message: report.error_message,
  severity: report.severity,
  handled: report.handled,
  environment: report.environment,
  release_version: report.release_version,
  server_name: report.server_name,
  sdk: report.sdk,
  custom_fingerprint: report.custom_fingerprint === null ? null : [...report.custom_fingerprint],
  transaction: report.transaction,
  exceptions: report.exceptions.map(({ frames, type, value }) => ({ type, value, ...ends(frames) })),
  threads: report.threads.length,
  tags: report.tags.filter(({ key }, i) => i < entries(event.tags).length || !addedTags.test(key)),
  breadcrumbs: report.breadcrumbs.length,
  contexts: report.contexts.map(({ name }) => name),
  extras: report.extras.map(({ key }) => key),
  dependencies: report.dependencies.length,
  user: {
    user_id: text(report.user.user_id),
    email: text(report.user.email),
    ip_address: text(report.user.ip_address),
  },
  request: { url: report.request.url, method: report.request.method },
})

/** The content that reports of copies of one event share. */
export const ofContent = (report: Report): string => {
  const {
    created_at: _1,
    event_id: _2,
    id: _3,
    occurred_at: _4,
    updated_at: _5,
    sourcemap_attempted_at: _6,
    web_url: _7,
    ...content
  } = report
  return JSON.stringify(content)
}

// internal

const maxFrames = 200

const addedTags = /^(?:(?:browser|os)(?:\.version)?|device|user\.(?:id|email|ip))$/

const record = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}

const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value))

// Means that the server should fill in the sender's address, which Errata does not do.
const address = (value: unknown): string => (value === "{{auto}}" ? "" : text(value))

const list = (value: unknown): ReadonlyArray<Fields> => {
  const values = Array.isArray(value) ? value : record(value).values
  return Array.isArray(values)
    ? values.map(record)
    : Object.keys(record(value)).length > 0
      ? [record(value)]
      : []
}

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Array.isArray(value) ? value : Object.entries(record(value))

// A message with a stack has an exception without a type.
const typeOf = (exception: Fields): string =>
  text(exception.type) || (record(exception.mechanism).synthetic === true ? "Message" : "")

const stackOf = (exception: Fields) => {
  const frames = record(exception.stacktrace).frames
  return ends(Array.isArray(frames) ? frames.map(record) : [])
}

// A stack over the limit keeps both ends.
const ends = (frames: ReadonlyArray<{ readonly function?: unknown; readonly lineno?: unknown }>) => ({
  frames: Math.min(frames.length, maxFrames),
  outermost: place(frames[0]),
  innermost: place(frames.at(-1)),
})

const place = (frame: { readonly function?: unknown; readonly lineno?: unknown } | undefined) =>
  `${text(frame?.function)}:${text(frame?.lineno)}`

const formatted = (event: Fields, message: Fields): string => {
  const plain = event.logentry ?? event.message
  if (typeof plain === "string") return plain
  if (typeof message.formatted === "string") return message.formatted
  return Object.entries(record(message.params)).reduce((told, [name, value]) => {
    const place = Array.isArray(message.params)
      ? "%s"
      : [`%(${name})s`, `{${name}}`].find((form) => told.includes(form))
    return place === undefined ? told : told.replace(place, String(value))
  }, text(message.message))
}
