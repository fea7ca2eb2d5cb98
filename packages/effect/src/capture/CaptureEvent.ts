/** The event of a report before it is stored, with the names of Sentry's events. */
import type { Severity } from "./CaptureContext.js"
import type { Frame } from "./StackFrames.js"

/** An event that `beforeCapture` may change. Values must have a form in JSON. */
export interface CaptureEvent {
  readonly event_id: string
  /** In seconds, or as text. */
  timestamp: number | string
  platform: string
  level: Severity
  sdk: { name: string; version: string }
  environment?: string | undefined
  release?: string | undefined
  server_name?: string | undefined
  transaction?: string | undefined
  fingerprint?: ReadonlyArray<string> | undefined
  /** The text of `captureMessage`. */
  message?: string | undefined
  /** The error is the last one. Its causes come before it. */
  exception?: { values: Array<CaptureException> } | undefined
  tags?: Record<string, string> | undefined
  user?: Record<string, unknown> | undefined
  request?: CapturedRequest | undefined
  breadcrumbs?: { values: Array<Record<string, unknown>> } | undefined
  contexts?: Record<string, unknown> | undefined
  extra?: Record<string, unknown> | undefined
}

/** An error of an event. Frames go from the outermost call to the innermost. */
export interface CaptureException {
  type?: string | undefined
  value?: string | undefined
  mechanism?: Mechanism | undefined
  stacktrace: { frames: ReadonlyArray<Frame> }
}

/** The way an error of an event was caught, and its place among the others. */
export interface Mechanism {
  type?: string
  handled?: boolean
  exception_id?: number
  parent_id?: number
  source?: string
  is_exception_group?: boolean
  synthetic?: boolean
}

/** The request of an event. Credentials have been removed. */
export interface CapturedRequest {
  url?: string | undefined
  method?: string | undefined
  query_string?: string | undefined
  headers?: Record<string, string> | undefined
  cookies?: Record<string, string> | undefined
  data?: unknown
  env?: Record<string, unknown> | undefined
}
