import { Schema } from "effect"

/** Error codes of RFC 6749, 7591 and 8707. */
export const OAuthErrorCode = Schema.Literals([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "invalid_target",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "unsupported_grant_type",
  "unsupported_response_type",
  "access_denied",
  "interaction_required",
  "temporarily_unavailable",
])
export type OAuthErrorCode = typeof OAuthErrorCode.Type

/** A rejected OAuth request. */
export class OAuthRefused extends Schema.TaggedError<OAuthRefused>()("OAuthRefused", {
  error: OAuthErrorCode,
  /** For developers of clients. Printable ASCII. */
  description: Schema.String,
}) {}
