/** The client of an instance for programs that do not know Effect. */

export type { RetryPolicy } from "../internal/Retries.js"
export type { CallOptions } from "./CallOptions.js"
export {
  createErrataClient,
  type ErrataClient,
  type ErrataClientOptions,
  type GroupClient,
} from "./ErrataClient.js"
export {
  BadRequestError,
  ConnectionFailedError,
  ContentTooLargeError,
  ErrataApiError,
  ErrataError,
  ForbiddenError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  type ProblemDocument,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnexpectedAnswerError,
  UnsupportedMediaTypeError,
  ValidationError,
} from "./ErrataError.js"
export type { List, PageOptions } from "./List.js"
export type {
  App,
  ArtifactBundle,
  ArtifactBundleDetail,
  ArtifactRetention,
  CreatedWebhook,
  Delivery,
  ErrorRetention,
  Group,
  GroupDetail,
  GroupFilter,
  HostedSourcemapOrigin,
  HostedSourcemaps,
  IngestProtection,
  Merge,
  Note,
  Project,
  Release,
  Report,
  ReportDetail,
  ReportFilter,
  User,
  Webhook,
} from "./Wire.js"
