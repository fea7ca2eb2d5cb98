import type { ErrorEvent, EventDetails, ExceptionValue, Frame, Thread } from "../../src/event/ErrorEvent.js"

export const eventOf = (
  details: Partial<EventDetails>,
  event: Partial<Omit<ErrorEvent, "details">> = {},
): ErrorEvent => ({
  eventId: "0123456789abcdef0123456789abcdef",
  occurredAt: 0,
  platform: "python",
  severity: "error",
  handled: true,
  serverName: "",
  environment: "",
  release: "",
  tags: [],
  ...event,
  details: {
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
    ...details,
  },
})

export const exception = (
  type: string | undefined,
  value: string | undefined,
  frames: ReadonlyArray<Frame> = [],
  more: Partial<ExceptionValue> = {},
): ExceptionValue => ({
  ...(type === undefined ? {} : { type }),
  ...(value === undefined ? {} : { value }),
  ...more,
  frames,
})

export const thread = (frames: ReadonlyArray<Frame>, more: Partial<Thread> = {}): Thread => ({
  ...more,
  frames,
})
