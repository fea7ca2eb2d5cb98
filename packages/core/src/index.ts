/** The core of Errata: services that transports and applications call, with their entities and errors. */

export * as AccessPolicy from "./access/AccessPolicy.js"
export {
  AccessDenied,
  type AccessPolicy as AccessPolicyService,
  type AuthorizedInstance,
  type AuthorizedProject,
  ProjectNotFound,
} from "./access/AccessPolicy.js"
export type { AccessRules, InstanceRule, ProjectRule } from "./access/AccessRules.js"
export { Actor, allGrants, type CredentialGrant, CurrentActor, type Grant } from "./access/Actor.js"
export { ProjectReferences, UnknownProject } from "./access/ProjectReferences.js"
export { readAs } from "./access/ReadAs.js"
export { Activity, type ActivityAnswer, type ActivityTexts } from "./activity/Activity.js"
export {
  AlertFilter,
  AlertReceivers,
  type AlertRule,
  type AlertRuleContent,
  AlertRuleId,
  AlertTrigger,
  firstRule,
  isMeasured,
  type MeasuredTrigger,
  maxRules,
} from "./alert/AlertRule.js"
export {
  AlertRuleNotFound,
  AlertRules,
  type RulesOfProject,
  type UpdateAlertRule,
} from "./alert/AlertRules.js"
export type { DryRun, DryRunMatch } from "./alert/DryRun.js"
export { type App, AppId } from "./app/App.js"
export { AppNotFound, Apps, type CreateApp, type UpdateApp } from "./app/Apps.js"
export {
  type ArtifactBundle,
  ArtifactBundleId,
  type ArtifactBundleKind,
  type ArtifactBundleLink,
  ArtifactBundleNotFound,
  ArtifactUploadsPaused,
  type ListedArtifactFile,
  type ReleaseFile,
} from "./artifact/ArtifactBundle.js"
export { type ArtifactBundleDetail, Artifacts } from "./artifact/Artifacts.js"
export { type ArtifactUpload, ArtifactUploads, type AssembledUpload } from "./artifact/ArtifactUploads.js"
export type { UploadedFile } from "./artifact/ReleaseFiles.js"
export {
  type Delivery,
  DeliveryEvent,
  DeliveryId,
  DeliveryStatus,
  Throttle,
  WebhookEvent,
} from "./delivery/Delivery.js"
export { TargetId } from "./delivery/Target.js"
export { defaultSettings, ErrataConfig, ErrataSettings } from "./ErrataConfig.js"
export { reservedTags } from "./event/ReservedTags.js"
export * as Severity from "./event/Severity.js"
export {
  activeMutes,
  Group,
  isMuted,
  type ListedGroup,
  Mute,
  MuteCondition,
  type MuteSource,
  maxExactUsers,
  mutedUntilRelease,
  mutedUntilReportsCount,
  muteSource,
  nextRelease,
  Resolution,
} from "./group/Group.js"
export { GroupEventName, OutboxEventName, type ReopeningReport } from "./group/GroupEvent.js"
export type { FilteredGroup } from "./group/GroupFilter.js"
export * as GroupFilter from "./group/GroupFilter.js"
export type { GroupListTexts } from "./group/GroupListParameters.js"
export {
  type GroupMerge,
  type ListedMerge,
  MergeId,
  MergeNotFound,
  MergeRejected,
} from "./group/GroupMerge.js"
export { GroupNotFound } from "./group/GroupNotFound.js"
export type { GroupPageRequest } from "./group/GroupSort.js"
export * as GroupSort from "./group/GroupSort.js"
export { Groups } from "./group/Groups.js"
export type { MuteTexts } from "./group/MuteRequest.js"
export { OwnGroups } from "./group/OwnGroups.js"
export type { TagDistribution, TagValue } from "./group/TagDistribution.js"
export { TagNotFound, Tags } from "./group/Tags.js"
export { groupUrl, reportUrl, signInLinkUrl, WebAddress } from "./group/WebUrl.js"
export { type Grouping, GroupingAlgorithm, GroupingData } from "./grouping/Grouping.js"
export { Health } from "./health/Health.js"
export type { HealthCode, HealthDetails, HealthReport, HealthWarningCode } from "./health/HealthCheck.js"
export { GroupId } from "./id/GroupId.js"
export { ReportId } from "./id/ReportId.js"
export { type Session, SessionId, SignInMethod } from "./identity/Session.js"
export { NotSignedIn, Sessions, type SignedIn } from "./identity/Sessions.js"
export { type PasswordAttempt, SignIn, SignInRefused } from "./identity/SignIn.js"
export type { SignInLink } from "./identity/SignInLink.js"
export { TooManyAttempts } from "./identity/Throttle.js"
export { DeadLetterNotFound, DeadLetters } from "./ingest/DeadLetters.js"
export {
  decodingTransports,
  type IngestMessage,
  type IngestOutcome,
  type IngestTransport,
  ingestTransport,
  type TransportEvent,
  type TransportOptions,
} from "./ingest/IngestTransport.js"
export { Intake, IntakeUnavailable, UnknownCredential } from "./ingest/Intake.js"
export { type IntakeDemand, IntakeGuard, type IntakeState } from "./ingest/IntakeGuard.js"
export { IntakePaused, type IntakePauseReason } from "./ingest/IntakePaused.js"
export type { DeadLetter } from "./ingest/PendingPayloads.js"
export { RecorderSignal } from "./ingest/RecorderSignal.js"
export { TestEvents } from "./ingest/TestEvents.js"
export { AccountMails, type ResetRequest } from "./mail/AccountMails.js"
export {
  NoSourceMapAvailable,
  NotJavaScript,
  RetryNotQueued,
  SourcemapRetries,
  type SourcemapRetry,
} from "./mapping/SourcemapRetries.js"
export { groupMarkdown } from "./markdown/GroupMarkdown.js"
export { type Markdown, reportMarkdown } from "./markdown/ReportMarkdown.js"
export { type Note, NoteId } from "./note/Note.js"
export { NoteNotFound, Notes } from "./note/Notes.js"
export {
  DigestInterval,
  type DigestSubscription,
  defaultMemberMail,
  type MailMember,
  MailMode,
  type MemberMail,
  type PausedAddress,
} from "./notification/MemberMail.js"
export { MemberMails, NoPerson, UnsubscribeFailed } from "./notification/MemberMails.js"
export {
  actionsOf,
  Notification,
  NotifiedFrame,
  NotifiedGroup,
  NotifiedLine,
  NotifiedSection,
  titleOf,
} from "./notification/Notification.js"
export { membersKind, type QuietHours, type Target, webhookKind } from "./notification/Target.js"
export { type CreateTarget, TargetNotFound, Targets, type UpdateTarget } from "./notification/Targets.js"
export { type ClientDocument, ClientDocuments, ClientDocumentUnreadable } from "./oauth/ClientDocuments.js"
export { type CodeExchange, InvalidAccessToken, OAuth, type Refresh } from "./oauth/OAuth.js"
export { OAuthErrorCode, OAuthRefused } from "./oauth/OAuthRefused.js"
export { type IngestProtectionStatus, Policies } from "./policy/Policies.js"
export type {
  ArtifactRetention,
  ErrorRetention,
  HostedSourcemaps,
  IngestProtection,
  InstancePolicies,
  PolicyName,
} from "./policy/Policy.js"
export { type Assignee, Members } from "./project/Members.js"
export { activeMute, type Project, ProjectId, ProjectMute, ProjectToken } from "./project/Project.js"
export { type CreateProject, Projects, type UpdateProject } from "./project/Projects.js"
export {
  type CountedRelease,
  type Deploy,
  type Release,
  type ReleaseAppearance,
  type ReleaseCommit,
  ReleaseId,
  ReleaseStatus,
} from "./release/Release.js"
export { ReleaseNotFound, Releases } from "./release/Releases.js"
export { safeFileName } from "./report/FileName.js"
export {
  type BodyProblem,
  bodyProblemText,
  EventId,
  type Report,
  type ReportRelease,
  type ReportSummary,
} from "./report/Report.js"
export type { ReportRangeTexts } from "./report/ReportRange.js"
export {
  AttachmentNotFound,
  type ReportAttachment,
  ReportNotFound,
  Reports,
  type ShownFrames,
} from "./report/Reports.js"
export { Retention } from "./retention/Retention.js"
export {
  type Removed,
  type RetentionKind,
  type RetentionOutcome,
  type RetentionPlan,
  type RetentionRun,
  RetentionRunId,
  RetentionRunNotFound,
  type RetentionTrigger,
} from "./retention/RetentionRun.js"
export type { Services as CoreServices, Stores } from "./Services.js"
export * as Services from "./Services.js"
export type { SearchHint } from "./search/SearchHints.js"
export * as SearchQuery from "./search/SearchQuery.js"
export type { ProjectBinding } from "./setup/FirstProject.js"
export type { SourcemapStatus } from "./sourcemap/SourcemapFailure.js"
export { type SourcemapOrigin, SourcemapOriginId } from "./sourcemap/SourcemapOrigin.js"
export { SourcemapOriginNotFound, SourcemapOrigins } from "./sourcemap/SourcemapOrigins.js"
export type { Page as PageOf, PageRequest } from "./storage/Page.js"
export * as Page from "./storage/Page.js"
export { StorageError } from "./storage/StorageError.js"
export { type AccessibleGroups, NotAccessible, Triage } from "./triage/Triage.js"
export { Role, type User, UserId } from "./user/User.js"
export { UserNotFound } from "./user/UserNotFound.js"
export { type CreateUser, InvalidApiKey, type InvitedUser, Users, type UserWithApiKey } from "./user/Users.js"
export { ValidationError } from "./validation/ValidationError.js"
export { Deliveries, DeliveryNotFound } from "./webhook/Deliveries.js"
export { type Webhook, WebhookId } from "./webhook/Webhook.js"
export {
  type CreatedWebhook,
  type CreateWebhook,
  type UpdateWebhook,
  WebhookNotFound,
  Webhooks,
} from "./webhook/Webhooks.js"
