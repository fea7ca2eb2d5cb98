import { Schema } from "effect"

/** Why a request of a client is refused, in the words of RFC 6749, 7591 and 8707. */
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

/** A request of an OAuth client that is refused, with its code of RFC 6749. */
export class OAuthRefused extends Schema.TaggedError<OAuthRefused>()("OAuthRefused", {
  error: OAuthErrorCode,
  /** For whoever writes the client: printable ASCII. */
  description: Schema.String,
}) {}
