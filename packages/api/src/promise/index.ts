/** The client of an instance for programs that do not know Effect. */

export { healthAdvice } from "../HealthAdvice.js"
export type { RetryPolicy } from "../internal/Retries.js"
export type { ReceivedAnswer, Send, SentRequest } from "./Caller.js"
export type { CallOptions } from "./CallOptions.js"
export {
  type ConnectionOptions,
  type CredentialOptions,
  clientOver,
  createErrataClient,
  type ErrataClient,
  type ErrataClientOptions,
  type GroupClient,
} from "./ErrataClient.js"
export {
  BadRequestError,
  ConflictError,
  ConnectionFailedError,
  ContentTooLargeError,
  ErrataApiError,
  ErrataError,
  ForbiddenError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  type ProblemCode,
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
  Activity,
  App,
  ArtifactBundle,
  ArtifactBundleDetail,
  ArtifactRetention,
  CreatedUser,
  CreatedWebhook,
  DeadLetter,
  Delivery,
  ErrorRetention,
  Group,
  GroupDetail,
  GroupFilter,
  Health,
  HostedSourcemapOrigin,
  HostedSourcemaps,
  IngestProtection,
  Me,
  Merge,
  Note,
  Project,
  Release,
  Report,
  ReportDetail,
  ReportFilter,
  RetentionRun,
  SignInLink,
  TagDistribution,
  TagValue,
  User,
  Webhook,
} from "./Wire.js"
