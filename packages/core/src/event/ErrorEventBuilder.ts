/** Builds events from partial data, for transports other than Sentry's. */
import { toStorable } from "../validation/StorableText.js"
import type { ErrorEvent, EventDetails, EventRequest, EventSummary, EventUser } from "./ErrorEvent.js"

/** The parts of an event. Only its id and time are required. */
export interface ErrorEventParts
  extends Partial<Omit<EventSummary, "eventId" | "occurredAt">>,
    Partial<Omit<EventDetails, "user" | "request">> {
  /** 32 lowercase hexadecimal characters. A project records each id once. */
  readonly eventId: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly user?: Partial<EventUser>
  readonly request?: Partial<EventRequest>
}

/**
 * Builds an event. Defaults: severity `error`, platform `other`, handled unless an exception's mechanism says
 * otherwise, everything else empty. Characters that cannot be stored are replaced. Lists and texts keep their length,
 * so transports must enforce limits on untrusted input.
 */
export const makeErrorEvent = (parts: ErrorEventParts): ErrorEvent => {
  const {
    eventId,
    occurredAt,
    platform,
    severity,
    handled,
    serverName,
    environment,
    release,
    tags,
    ...details
  } = storable(parts)
  const exceptions = details.exceptions ?? []
  return {
    eventId,
    occurredAt,
    platform: platform ?? "other",
    severity: severity ?? "error",
    handled: handled ?? exceptions.every(({ mechanism }) => mechanism?.handled !== false),
    serverName: serverName ?? "",
    environment: environment ?? "",
    release: release ?? "",
    tags: tags ?? [],
    details: {
      ...noDetails,
      ...details,
      user: { ...noDetails.user, ...details.user },
      request: { ...noDetails.request, ...details.request },
    },
  }
}

// internal

const noDetails: EventDetails = {
  custom_fingerprint: null,
  transaction: "",
  transaction_source: null,
  logger: "",
  dist: "",
  logentry: null,
  exceptions: [],
  threads: [],
  security_report: null,
  breadcrumbs: [],
  contexts: [],
  user: {
    user_id: "",
    username: "",
    email: "",
    ip_address: "",
    geo_city: "",
    geo_region: "",
    geo_country_code: "",
    data: {},
  },
  request: { url: "", method: "", query_string: "", data: {}, cookies: {}, headers: {}, env: {} },
  sdk: { name: "", version: "" },
  extras: [],
  dependencies: [],
  debug_images: [],
  ingest_truncations: [],
}

/** Replaces characters that cannot be stored, in keys too. Drops undefined members. */
const storable = <A>(value: A): A => clean(value) as A

const clean = (value: unknown): unknown => {
  if (typeof value === "string") return toStorable(value)
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [toStorable(key), clean(member)]),
  )
}
