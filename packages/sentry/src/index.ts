export { makeBodyDecoder } from "./BodyDecoder.js"
export { decodeBodySync, prefixInputBytes } from "./ContentEncoding.js"
export {
  acceptReportForm,
  type ReportDialogTarget,
  type ReportFormErrors,
  readReportDialog,
} from "./ReportDialog.js"
export { readCredentials, type SentryCredentials } from "./SentryAuth.js"
export { corsHeaders, corsPreflightHeaders, formatRateLimits } from "./SentryHeaders.js"
export * as SentryPayloadDecoder from "./SentryPayloadDecoder.js"
export { rejectionStatus, SentryRejection } from "./SentryRejection.js"
export {
  type AcceptedPayload,
  type AcceptedSentryRequest,
  acceptSentryRequest,
  type SentryAcceptOptions,
  type SentryEndpoint,
  type SentryRequest,
} from "./SentryRequest.js"
