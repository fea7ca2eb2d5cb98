/**
 * One error occurrence as an application sent it: decoded, normalized and bounded, not yet recorded.
 *
 * Decoders of wire protocols create these (`@errata/sentry` for Sentry's). All later stages rely on them: strings
 * contain neither NUL nor lone surrogates, and lists and nesting are within the limits. They are plain data without
 * classes because thousands are created per second.
 */
import type { Severity } from "./Severity.js"

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** A stack frame. Fields that the sender omitted are absent. */
export interface Frame {
  readonly filename?: string
  readonly abs_path?: string
  readonly function?: string
  readonly module?: string
  readonly package?: string
  readonly lineno?: number
  readonly colno?: number
  readonly in_app?: boolean
  readonly instruction_addr?: string
  readonly symbol_addr?: string
  readonly pre_context?: ReadonlyArray<string>
  readonly context_line?: string
  readonly post_context?: ReadonlyArray<string>
  readonly vars?: JsonObject
}

/** How an exception was captured. */
export interface Mechanism {
  readonly type?: string
  readonly handled?: boolean
  readonly data?: JsonObject
  readonly meta?: JsonObject
  readonly description?: string
  readonly help_link?: string
  readonly synthetic?: boolean
  readonly exception_id?: number
  readonly parent_id?: number
  readonly is_exception_group?: boolean
  readonly source?: string
}

/** One exception of a chain. `frames` run from the outermost call to the innermost, as in Sentry's protocol. */
export interface ExceptionValue {
  readonly type?: string
  readonly value?: string
  readonly module?: string
  readonly thread_id?: string
  readonly mechanism?: Mechanism
  readonly frames: ReadonlyArray<Frame>
}

/** A thread of the process at the time of the event. */
export interface Thread {
  readonly id?: string
  readonly name?: string
  readonly crashed?: boolean
  readonly current?: boolean
  readonly main?: boolean
  readonly state?: string
  readonly frames: ReadonlyArray<Frame>
}

/** Something that happened before the event. */
export interface Breadcrumb {
  /** ISO 8601, UTC. */
  readonly timestamp?: string
  readonly type?: string
  readonly category?: string
  readonly level?: string
  readonly message?: string
  readonly event_id?: string
  readonly data?: JsonObject
}

/** A log entry: the formatted text, and its template and parameters if the sender includes them. */
export interface LogEntry {
  readonly formatted: string
  readonly message?: string
  readonly params?: Json
}

/** A browser's report of a violated policy (CSP, Expect-CT, Expect-Staple, HPKP) or a failed network request. */
export interface SecurityReport {
  /** `csp`, `expect-ct`, `expect-staple`, `hpkp`, `nel`, or the `type` of a Reporting API report. */
  readonly kind: string
  /** The violated directive, such as `script-src`, or the report's error type. */
  readonly directive: string
  /** The blocked resource, such as `https://cdn.example`; empty if unknown. */
  readonly blocked: string
  readonly data: JsonObject
}

/** The affected user. Unknown strings are empty. */
export interface EventUser {
  readonly user_id: string
  readonly username: string
  readonly email: string
  readonly ip_address: string
  readonly geo_city: string
  readonly geo_region: string
  readonly geo_country_code: string
  readonly data: JsonObject
}

/** The HTTP request during which the error occurred. */
export interface EventRequest {
  readonly url: string
  readonly method: string
  readonly query_string: string
  readonly data: JsonObject
  readonly cookies: JsonObject
  readonly headers: JsonObject
  readonly env: JsonObject
}

/** A tag of an event. */
export interface Tag {
  readonly key: string
  readonly value: string
}

/**
 * The fields of an event that only its detail view shows. They are stored and returned as one JSON document, hence the
 * snake case of the protocol. Lists keep the order received.
 */
export interface EventDetails {
  readonly custom_fingerprint: ReadonlyArray<string> | null
  readonly transaction: string
  readonly transaction_source: string | null
  readonly logger: string
  readonly dist: string
  readonly logentry: LogEntry | null
  readonly exceptions: ReadonlyArray<ExceptionValue>
  readonly threads: ReadonlyArray<Thread>
  readonly security_report: SecurityReport | null
  readonly breadcrumbs: ReadonlyArray<Breadcrumb>
  readonly contexts: ReadonlyArray<{ readonly name: string; readonly data: JsonObject }>
  readonly user: EventUser
  readonly request: EventRequest
  readonly sdk: { readonly name: string; readonly version: string }
  readonly extras: ReadonlyArray<{ readonly key: string; readonly value: Json }>
  readonly dependencies: ReadonlyArray<{ readonly name: string; readonly version: string }>
  readonly debug_images: ReadonlyArray<JsonObject>
  /** The cuts made to fit the limits, such as `exceptions: 40 of 72 kept`. Empty for nearly every event. */
  readonly ingest_truncations: ReadonlyArray<string>
}

/** The scalar fields of an event. */
export interface EventHead {
  /** 32 lowercase hexadecimal characters. */
  readonly eventId: string
  /** Epoch milliseconds, corrected for the sender's clock skew and limited to a plausible range. */
  readonly occurredAt: number
  readonly platform: string
  readonly severity: Severity
  readonly handled: boolean
  readonly serverName: string
  readonly environment: string
  /** The release's version; empty if absent. */
  readonly release: string
}

/** The fields that lists, groups and filters need. */
export interface EventSummary extends EventHead {
  readonly tags: ReadonlyArray<Tag>
}

/** A complete event after decoding: bounded, and free of characters that storages reject. */
export interface ErrorEvent extends EventSummary {
  readonly details: EventDetails
}
