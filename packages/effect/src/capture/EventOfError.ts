/** An error or a message, with its context, as the event that a Sentry SDK would send. */
import type { CaptureBreadcrumb, CaptureContext, CaptureRequest, Severity } from "./CaptureContext.js"
import type { CapturedRequest, CaptureEvent } from "./CaptureEvent.js"
import { partsOf } from "./EffectCause.js"
import { exceptionsOf, membersOf } from "./Exceptions.js"
import { plainJson, plainObject } from "./PlainJson.js"

/** Defaults for missing values of the context. */
export interface EventDefaults {
  readonly environment?: string | undefined
  readonly release?: string | undefined
  readonly serverName?: string | undefined
  /** Files below it are named from there. */
  readonly root: string
}

/** Parts of an event that its error and its context do not have. */
export interface EventParts extends EventDefaults {
  readonly eventId: string
  /** In epoch milliseconds. */
  readonly now: number
}

/** The event of any thrown value. Unreadable parts of an error are omitted. */
export const eventOf = (thrown: unknown, context: CaptureContext, parts: EventParts): CaptureEvent =>
  readably(context, (known) => {
    const { contexts, errors, spans, tags } = partsOf(thrown)
    const exceptions = exceptionsOf(errors, spans, known.handled ?? true, parts.root)
    const event = eventWith({ ...known, tags: { ...tags, ...known.tags } }, "error", parts)
    return {
      ...event,
      exception: { values: exceptions },
      contexts: { ...plainObject(contexts), ...event.contexts, ...membersOf(errors[0]) },
    }
  })

/** The event of a message. */
export const eventOfMessage = (message: string, context: CaptureContext, parts: EventParts): CaptureEvent =>
  readably(context, (known) => ({ ...eventWith(known, "info", parts), message }))

/** Serializes the event. If it is longer than `maxBytes`, only the error, the user and the tags are kept. */
export const bytesOf = (event: CaptureEvent, maxBytes: number): Buffer => {
  const whole = Buffer.from(JSON.stringify(event))
  if (whole.byteLength <= maxBytes) return whole
  const { breadcrumbs, contexts, extra, request, ...rest } = event
  const leftOut = { errata: { left_out: "context, breadcrumbs, request and extra: too large" } }
  return Buffer.from(JSON.stringify({ ...rest, contexts: leftOut }))
}

// internal

const readably = <A>(context: CaptureContext, read: (known: CaptureContext) => A): A => {
  try {
    return read(context)
  } catch {
    return read({})
  }
}

const eventWith = (context: CaptureContext, severity: Severity, parts: EventParts): CaptureEvent => ({
  event_id: parts.eventId,
  timestamp: timeOf(context.timestamp) ?? parts.now / 1000,
  platform: "node",
  level: context.severity ?? severity,
  sdk: { name: "errata", version: "0.1.0" },
  environment: context.environment ?? parts.environment,
  release: context.release ?? parts.release,
  server_name: context.serverName ?? parts.serverName,
  transaction: context.transaction,
  fingerprint: context.fingerprint,
  tags: context.tags && tagsOf(context.tags),
  user: context.user && plainObject(context.user),
  request: context.request && requestOf(context.request),
  breadcrumbs: context.breadcrumbs && { values: context.breadcrumbs.map(breadcrumbOf) },
  contexts: context.contexts && plainObject(context.contexts),
  extra: context.extra && plainObject(context.extra),
})

const timeOf = (timestamp: Date | string | number | undefined): number | string | undefined =>
  timestamp instanceof Date ? timestamp.getTime() / 1000 : timestamp

const tagsOf = (tags: NonNullable<CaptureContext["tags"]>) =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [[key, String(value)]],
    ),
  )

const breadcrumbOf = ({ data, timestamp, ...breadcrumb }: CaptureBreadcrumb) => ({
  ...breadcrumb,
  timestamp: timeOf(timestamp),
  data: data && plainObject(data),
})

/** Readers of errors must not see credentials. */
const secretHeaders =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token|x-csrf-token)$/i

const headersOf = (headers: NonNullable<CaptureRequest["headers"]>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, secretHeaders.test(name) ? "[omitted]" : String(value)]],
    ),
  )

const requestOf = ({ cookies, data, env, headers, ...request }: CaptureRequest): CapturedRequest => ({
  ...request,
  headers: headers && headersOf(headers),
  cookies: cookies && Object.fromEntries(Object.keys(cookies).map((name) => [name, "[omitted]"])),
  data: data === undefined ? undefined : plainJson(data),
  env: env && plainObject(env),
})
