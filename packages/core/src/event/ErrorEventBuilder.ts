/** Makes events for transports that are not Sentry's: of what one knows of an error, without a field for what one does not. */
import { toStorable } from "../validation/StorableText.js"
import type { ErrorEvent, EventDetails, EventRequest, EventSummary, EventUser } from "./ErrorEvent.js"

/** An event of which all but its id and time may be left out. */
export interface ErrorEventParts
  extends Partial<Omit<EventSummary, "eventId" | "occurredAt">>,
    Partial<Omit<EventDetails, "user" | "request">> {
  /** 32 lowercase hexadecimal characters; an event of the same id and project is recorded once. */
  readonly eventId: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly user?: Partial<EventUser>
  readonly request?: Partial<EventRequest>
}

/**
 * The event with what was left out empty: the severity `error`, the platform `other`, handled unless an exception's
 * mechanism says otherwise. Characters that cannot be stored are replaced in all texts. Lists and texts keep their
 * length: a transport bounds what strangers can send before it comes here.
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

/** The same value with texts that every storage can keep, names within it included; what is undefined is left out. */
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
