/** An error tracker inside your application. */

// Exports all types, since declarations of an application name the response types that it passes on.
export type * from "@errata/api/promise"
export {
  type Activity,
  type AlertRule,
  type App,
  type ArtifactBundle,
  type ArtifactBundleDetail,
  type ArtifactRetention,
  BadRequestError,
  type CallOptions,
  ContentTooLargeError,
  type CreatedUser,
  type CreatedWebhook,
  type DeadLetter,
  type Delivery,
  type DryRun,
  ErrataApiError,
  type ErrataClient,
  ErrataError,
  type ErrorRetention,
  ForbiddenError,
  type Group,
  type GroupDetail,
  type GroupFilter,
  type Health,
  type HostedSourcemapOrigin,
  type HostedSourcemaps,
  type IngestProtection,
  InternalServerError,
  type List,
  type MailSettings,
  type Me,
  type Merge,
  type Note,
  NotFoundError,
  type Notification,
  type NotificationKinds,
  type PageOptions,
  type PausedAddress,
  type ProblemDocument,
  type Project,
  type Release,
  type Report,
  type ReportDetail,
  type ReportFilter,
  type RetentionRun,
  ServiceUnavailableError,
  type SignInLink,
  type TagDistribution,
  type Target,
  TooManyRequestsError,
  UnauthorizedError,
  type User,
  ValidationError,
  type Webhook,
} from "@errata/api/promise"
export type { Notification as NotificationContent, ProjectBinding } from "@errata/core"
export {
  HttpTarget,
  NotificationFailed,
  type NotificationTarget,
  type SendAnswer,
  type SendOptions,
  type TargetAddress,
  type TargetField,
} from "@errata/core/ports"
export type {
  CaptureBreadcrumb,
  CaptureContext,
  CaptureControlOptions,
  CapturedRequest,
  CaptureEvent,
  CaptureException,
  CaptureRequest,
  CaptureUser,
  ErrorClass,
  ProcessHandlerOptions,
  ProjectRef,
} from "@errata/effect/capture"
export type { ArtifactFile, ArtifactUpload } from "./ArtifactUpload.js"
export { createErrata } from "./CreateErrata.js"
export type { Lazy, Scope, TagValue } from "./capture/Scope.js"
export type { ScopeSetters, WithScope } from "./capture/Scopes.js"
export type { Errata, ListenerOptions, LocalClient, NodeHandler, ReceivedMessage } from "./Errata.js"
export type { ErrataOptions, SettingsInput } from "./ErrataOptions.js"
export { type ErrataStorage, memory } from "./ErrataStorage.js"
export { ErrataCaptureError, ErrataClosedError, ErrataStartError, ErrataTimeoutError } from "./Errors.js"
export type { ChangeActor, GroupChange, GroupEvents, GroupReopening } from "./GroupEvents.js"
export type { LogLine } from "./LogLine.js"
export type { OpenTelemetrySpan, OpenTelemetryTracer } from "./OpenTelemetryTracer.js"
export type { People, PeopleRequest } from "./People.js"
