/** The client of an instance for programs that do not know Effect. */

export { healthAdvice } from "../HealthAdvice.js"
export type { RetryPolicy } from "../internal/Retries.js"
// Exports all types, since declarations of an application name the response types that it passes on.
export type * from "../surface/Types.js"
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
export type { GroupFilter, ReportFilter } from "./Wire.js"
