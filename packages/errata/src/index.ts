/** An error tracker inside your application. */

export {
  BadRequestError,
  type CallOptions,
  ContentTooLargeError,
  ErrataApiError,
  type ErrataClient,
  ErrataError,
  ForbiddenError,
  type Group,
  type GroupDetail,
  type GroupFilter,
  InternalServerError,
  type List,
  type Note,
  NotFoundError,
  type PageOptions,
  type ProblemDocument,
  type Project,
  type Report,
  type ReportDetail,
  type ReportFilter,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  type User,
  ValidationError,
  type Webhook,
} from "@errata/api/promise"
export { createErrata } from "./CreateErrata.js"
export type {
  CaptureBreadcrumb,
  CaptureContext,
  CaptureRequest,
  CaptureUser,
  ProjectRef,
} from "./capture/CaptureContext.js"
export type { Errata, NodeHandler } from "./Errata.js"
export type { ErrataOptions, SettingsInput } from "./ErrataOptions.js"
export { type ErrataStorage, memory } from "./ErrataStorage.js"
export { ErrataClosedError, ErrataStartError, ErrataTimeoutError } from "./Errors.js"
export type { ChangeActor, GroupChange, GroupEvents, GroupReopening } from "./GroupEvents.js"
export type { LogLine } from "./LogLine.js"
export type { People, PeopleRequest } from "./People.js"
