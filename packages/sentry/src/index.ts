export { type BodyDecoder, makeBodyDecoder } from "./BodyDecoder.js"
export { decodeBody, decodeBodySync, decodePrefix, prefixInputBytes } from "./ContentEncoding.js"
export {
  type Envelope,
  type EnvelopeItem,
  parseEnvelope,
  type SentryItemType,
  storedEnvelope,
} from "./Envelope.js"
export { normalizeEventId } from "./EventId.js"
export { type NormalizeOptions, normalizeEvent, occurredAt } from "./EventNormalizer.js"
export {
  acceptReportForm,
  type ReportDialogTarget,
  type ReportField,
  type ReportFormErrors,
  readReportDialog,
} from "./ReportDialog.js"
export {
  maxReportsPerRequest,
  parseSecurityReports,
  type SecurityReportInput,
  type StoredSecurityReport,
} from "./SecurityReports.js"
export {
  parseDsn,
  readCredentials,
  type SentryAuthInput,
  type SentryCredentials,
  type SentryDsn,
} from "./SentryAuth.js"
export { corsHeaders, corsPreflightHeaders, formatRateLimits, type SentryRateLimit } from "./SentryHeaders.js"
export * as SentryPayloadDecoder from "./SentryPayloadDecoder.js"
export { decodeSentryPayload } from "./SentryPayloadDecoder.js"
export { rejectionStatus, SentryRejection, type SentryRejectionReason } from "./SentryRejection.js"
export {
  type AcceptedPayload,
  type AcceptedSentryRequest,
  acceptSentryRequest,
  type SentryAcceptOptions,
  type SentryEndpoint,
  type SentryPayloadKind,
  type SentryRequest,
} from "./SentryRequest.js"
export { parseStoreBody, type StoreBody } from "./StoreBody.js"
