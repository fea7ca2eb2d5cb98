/** An error and what is known besides it, as the event that a Sentry SDK would send of it. */
import type { ExceptionValue, Json } from "@errata/core"
import type { CaptureBreadcrumb, CaptureContext, CaptureRequest } from "./CaptureContext.js"
import { plainJson, plainObject } from "./PlainJson.js"
import { framesOf } from "./StackFrames.js"

/** What events say unless their context says otherwise. */
export interface EventDefaults {
  readonly environment?: string | undefined
  readonly release?: string | undefined
  readonly serverName?: string | undefined
  /** Files below it are named from there. */
  readonly root: string
}

/** The event as JSON. Where it is longer than `maxBytes` everything but the error and its tags is left out. */
export const eventOf = (
  thrown: unknown,
  context: CaptureContext,
  about: EventDefaults & { readonly eventId: string; readonly now: number; readonly maxBytes: number },
): Buffer => {
  const exceptions = exceptionsOf(thrown, context.handled ?? true, about.root)
  const event = {
    event_id: about.eventId,
    timestamp: timeOf(context.timestamp) ?? about.now / 1000,
    platform: "node",
    level: context.severity ?? "error",
    sdk: { name: "errata", version: "0.1.0" },
    environment: context.environment ?? about.environment,
    release: context.release ?? about.release,
    server_name: context.serverName ?? about.serverName,
    transaction: context.transaction,
    fingerprint: context.fingerprint,
    exception: { values: sentryValues(exceptions) },
    tags: tagsOf(context.tags),
    user: context.user && plainObject(context.user),
  }
  const besides = {
    request: context.request && requestOf(context.request),
    breadcrumbs: context.breadcrumbs && { values: context.breadcrumbs.map(breadcrumbOf) },
    contexts: { ...(context.contexts && plainObject(context.contexts)), ...membersOf(thrown) },
    extra: context.extra && plainObject(context.extra),
  }
  const whole = Buffer.from(JSON.stringify({ ...event, ...besides }))
  if (whole.byteLength <= about.maxBytes) return whole
  const leftOut = { errata: { left_out: "context, breadcrumbs, request and extra: too large" } }
  return Buffer.from(JSON.stringify({ ...event, contexts: leftOut }))
}

// internal

const maxExceptions = 20

/** From the one that was thrown to what caused it; members of an aggregate after what it is a member of. */
const exceptionsOf = (thrown: unknown, handled: boolean, root: string): ReadonlyArray<ExceptionValue> => {
  const values: Array<ExceptionValue> = []
  const seen = new Set<unknown>()
  const add = (error: unknown, parentId: number | null, source: string): void => {
    // What goes round ends where it began.
    if (values.length >= maxExceptions || seen.has(error)) return
    if (typeof error === "object" && error !== null) seen.add(error)
    const id = values.length
    const isGroup = error instanceof AggregateError
    values.push({
      ...described(error, root),
      mechanism: {
        type: parentId === null ? "generic" : "chained",
        handled,
        exception_id: id,
        ...(parentId === null ? {} : { parent_id: parentId, source }),
        ...(isGroup ? { is_exception_group: true } : {}),
        ...(error instanceof Error ? {} : { synthetic: true }),
      },
    })
    if (!(error instanceof Error)) return
    if (error.cause !== undefined && error.cause !== null) add(error.cause, id, "cause")
    if (isGroup) error.errors.forEach((member, index) => add(member, id, `errors[${index}]`))
  }
  add(thrown, null, "")
  return values
}

const described = (error: unknown, root: string): ExceptionValue => {
  if (error instanceof Error) {
    const type = String(error.name || error.constructor.name)
    const value = String(error.message)
    const stack = typeof error.stack === "string" ? error.stack : ""
    return { type, value, frames: framesOf(stack, value === "" ? type : `${type}: ${value}`, root) }
  }
  const isObject = typeof error === "object" && error !== null
  const plain = plainJson(error)
  return {
    type: isObject ? (error.constructor?.name ?? "Object") : typeof error,
    value: typeof plain === "string" ? plain : JSON.stringify(plain),
    frames: [],
  }
}

/** Sentry has them the other way round, and frames within a stack trace. */
const sentryValues = (exceptions: ReadonlyArray<ExceptionValue>) =>
  exceptions.toReversed().map(({ frames, ...value }) => ({ ...value, stacktrace: { frames } }))

/** What the application gave the error besides its message, such as `code`. */
const membersOf = (thrown: unknown): { readonly [name: string]: Json } => {
  if (!(thrown instanceof Error)) return {}
  const {
    cause: _,
    errors: __,
    message: ___,
    name: ____,
    stack: _____,
    ...members
  } = { ...thrown } as Record<string, unknown>
  return Object.keys(members).length === 0 ? {} : { error: plainObject(members) }
}

const timeOf = (timestamp: Date | string | number | undefined): number | string | undefined =>
  timestamp instanceof Date ? timestamp.getTime() / 1000 : timestamp

const tagsOf = (tags: CaptureContext["tags"]) =>
  tags &&
  Object.entries(tags).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [[key, String(value)]],
  )

const breadcrumbOf = ({ data, timestamp, ...breadcrumb }: CaptureBreadcrumb) => ({
  ...breadcrumb,
  timestamp: timeOf(timestamp),
  data: data && plainObject(data),
})

/** Credentials are nobody's business who reads errors. */
const secretHeaders =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token|x-csrf-token)$/i

const requestOf = ({ cookies, data, env, headers, ...request }: CaptureRequest) => ({
  ...request,
  headers:
    headers &&
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, secretHeaders.test(name) ? "[left out]" : String(value)]],
    ),
  cookies: cookies && Object.fromEntries(Object.keys(cookies).map((name) => [name, "[left out]"])),
  data: data === undefined ? undefined : plainJson(data),
  env: env && plainObject(env),
})
