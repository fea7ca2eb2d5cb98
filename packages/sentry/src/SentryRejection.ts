/** Rejections of requests, with the protocol's error codes and HTTP statuses. */
import { Data } from "effect"

/** The reason for a rejection, as in the `X-Sentry-Error` header. */
export type SentryRejectionReason =
  | "missing_key"
  | "invalid_key"
  | "conflicting_keys"
  | "conflicting_project"
  | "unsupported_version"
  | "invalid_encoding"
  | "unknown_encoding"
  | "unsupported_media_type"
  | "invalid_envelope"
  | "invalid_event_id"
  | "invalid_json"
  | "invalid_report"
  | "too_large"

/** A request that is not accepted. */
export class SentryRejection extends Data.TaggedError("SentryRejection")<{
  /** Goes into the `X-Sentry-Error` header. */
  readonly reason: SentryRejectionReason
  /** May be shown to the sender. Never contains the sender's data. */
  readonly detail: string
}> {
  override get message(): string {
    return `${this.reason}: ${this.detail}`
  }
}

const statuses: Readonly<Record<SentryRejectionReason, 400 | 401 | 403 | 413 | 415>> = {
  missing_key: 401,
  invalid_key: 403,
  conflicting_keys: 400,
  conflicting_project: 403,
  unsupported_version: 400,
  invalid_encoding: 400,
  unknown_encoding: 415,
  unsupported_media_type: 415,
  invalid_envelope: 400,
  invalid_event_id: 400,
  invalid_json: 400,
  invalid_report: 400,
  too_large: 413,
}

/** The HTTP status of a rejection. */
export const rejectionStatus = (rejection: SentryRejection): 400 | 401 | 403 | 413 | 415 =>
  statuses[rejection.reason]
