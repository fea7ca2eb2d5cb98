/** An error and what is known besides it, as the event that a Sentry SDK would send of it. */
import type { ExceptionValue, Json } from "@errata/core"
import type { CaptureBreadcrumb, CaptureContext, CaptureRequest } from "./CaptureContext.js"
import { partsOf } from "./EffectCause.js"
import { isAggregate, isError } from "./ErrorValue.js"
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
  const { contexts, errors, tags } = partsOf(thrown)
  const exceptions = exceptionsOf(errors, context.handled ?? true, about.root)
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
    tags: tagsOf({ ...tags, ...context.tags }),
    user: context.user && plainObject(context.user),
  }
  const besides = {
    request: context.request && requestOf(context.request),
    breadcrumbs: context.breadcrumbs && { values: context.breadcrumbs.map(breadcrumbOf) },
    contexts: { ...plainObject({ ...contexts, ...context.contexts }), ...membersOf(errors[0]) },
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
const exceptionsOf = (
  [thrown, ...others]: ReadonlyArray<unknown>,
  handled: boolean,
  root: string,
): ReadonlyArray<ExceptionValue> => {
  const values: Array<ExceptionValue> = []
  const seen = new Set<unknown>()
  const add = (error: unknown, parentId: number | null, source: string): void => {
    // What goes round ends where it began.
    if (values.length >= maxExceptions || seen.has(error)) return
    if (typeof error === "object" && error !== null) seen.add(error)
    const id = values.length
    const isGroup = isAggregate(error)
    values.push({
      ...described(error, root),
      mechanism: {
        type: parentId === null ? "generic" : "chained",
        handled,
        exception_id: id,
        ...(parentId === null ? {} : { parent_id: parentId, source }),
        ...(isGroup ? { is_exception_group: true } : {}),
        ...(isError(error) ? {} : { synthetic: true }),
      },
    })
    if (!hasMembers(error)) return
    const cause = memberOf(error, "cause")
    if (cause !== undefined && cause !== null) add(cause, id, "cause")
    const members = isGroup ? memberOf(error, "errors") : null
    if (Array.isArray(members)) members.forEach((member, index) => add(member, id, `errors[${index}]`))
  }
  add(thrown, null, "")
  others.forEach((other, index) => add(other, 0, `reasons[${index + 1}]`))
  return values
}

const described = (error: unknown, root: string): ExceptionValue => {
  if (isError(error)) {
    const type = textOf(memberOf(error, "name") || nameOfClass(error, "Error"))
    const value = textOf(memberOf(error, "message"))
    const own = memberOf(error, "stack")
    const stack = typeof own === "string" ? own : ""
    return { type, value, frames: framesOf(stack, value === "" ? type : `${type}: ${value}`, root) }
  }
  if (isTagged(error)) {
    const message = memberOf(error, "message")
    const value = typeof message === "string" ? message : JSON.stringify(plainJson(error))
    return { type: error._tag, value, frames: [] }
  }
  const isObject = typeof error === "object" && error !== null
  const plain = plainJson(error)
  return {
    type: isObject ? nameOfClass(error, "Object") : typeof error,
    value: typeof plain === "string" ? plain : JSON.stringify(plain),
    frames: [],
  }
}

/** Failures of Effect need not be errors. A tag names their type. */
const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && typeof memberOf(error, "_tag") === "string"

const hasMembers = (error: unknown): error is object => isError(error) || isTagged(error)

/** Errors are anybody's objects: one whose getters throw is reported all the same. */
const memberOf = (error: object, name: string): unknown => {
  try {
    return (error as Readonly<Record<string, unknown>>)[name]
  } catch {
    return unreadable
  }
}

const textOf = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return unreadable
  }
}

const nameOfClass = (error: object, otherwise: string): string => {
  const made = memberOf(error, "constructor")
  return typeof made === "function" ? made.name : otherwise
}

const unreadable = "[unreadable]"

/** Sentry has them the other way round, and frames within a stack trace. */
const sentryValues = (exceptions: ReadonlyArray<ExceptionValue>) =>
  exceptions.toReversed().map(({ frames, ...value }) => ({ ...value, stacktrace: { frames } }))

/** What the application gave the error besides its message, such as `code`. */
const membersOf = (thrown: unknown): { readonly [name: string]: Json } => {
  if (!hasMembers(thrown)) return {}
  const names = Object.keys(thrown).filter((name) => !known.has(name))
  if (names.length === 0) return {}
  return { error: plainObject(Object.fromEntries(names.map((name) => [name, memberOf(thrown, name)]))) }
}

/** What is told of every error by itself. */
const known: ReadonlySet<string> = new Set(["cause", "errors", "message", "name", "stack"])

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
      value === undefined ? [] : [[name, secretHeaders.test(name) ? "[omitted]" : String(value)]],
    ),
  cookies: cookies && Object.fromEntries(Object.keys(cookies).map((name) => [name, "[omitted]"])),
  data: data === undefined ? undefined : plainJson(data),
  env: env && plainObject(env),
})
