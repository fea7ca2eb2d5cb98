/** Errata's core: what reports, groups, mutes and policies are, and the ports that storages and transports fill. */

// Types of modules that are exported as a whole are exported by themselves as well, where they are in types of layers: the
// compiler cannot name what is inside of another name in declarations that it writes.
export type {
  AccessPolicy as AccessPolicyService,
  AccessRules,
  AuthorizedInstance,
  AuthorizedProject,
  InstanceRule,
  ProjectRule,
} from "./access/AccessPolicy.js"
export * as AccessPolicy from "./access/AccessPolicy.js"
export { AccessDenied, ProjectNotFound } from "./access/AccessPolicy.js"
export { Actor, allGrants, type CredentialGrant, CurrentActor, type Grant, userIdOf } from "./access/Actor.js"
export { ProjectReferences, UnknownProject } from "./access/ProjectReferences.js"
export * as Secrets from "./access/Secrets.js"
export { Activity, type ActivityAnswer, type ActivityTexts } from "./activity/Activity.js"
export * as ActivityJob from "./activity/ActivityJob.js"
export {
  type ActivityCount,
  type ActivityRange,
  type ActivitySeries,
  type ActivityStep,
  ActivityStore,
  kept as activityKept,
  stepMinutes,
  stepsOf,
} from "./activity/ActivityStore.js"
export { type App, AppId } from "./app/App.js"
export { AppStore, type RefusedProject } from "./app/AppStore.js"
export { AppNotFound, Apps, type CreateApp, type UpdateApp } from "./app/Apps.js"
export { type ArtifactArrival, ArtifactArrivals } from "./artifact/ArtifactArrivals.js"
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
export { ArtifactChunks, type ChunkOwner, type ChunkSize, chunkBytesFor } from "./artifact/ArtifactChunks.js"
export {
  type ArtifactFile,
  ArtifactFiles,
  type ArtifactType,
  maxBundlesLookedInto,
} from "./artifact/ArtifactFiles.js"
export * as ArtifactJob from "./artifact/ArtifactJob.js"
export { distProblem, releaseProblem } from "./artifact/ArtifactNames.js"
export {
  type AdoptedBundle,
  ArtifactStore,
  type BlobBytes,
  type BundlePlace,
  type NewArtifactBundle,
  type NewArtifactFile,
  type StoredBlob,
} from "./artifact/ArtifactStore.js"
export { type ArtifactBundleDetail, Artifacts } from "./artifact/Artifacts.js"
export { type ArtifactUpload, ArtifactUploads, type AssembledUpload } from "./artifact/ArtifactUploads.js"
export * as BlobContent from "./artifact/BlobContent.js"
export { type BlobKey, BlobStore } from "./artifact/BlobStore.js"
export {
  type BundleFile,
  type BundleLimits,
  BundleReader,
  BundleUnreadable,
  type OpenBundle,
  type RandomAccess,
} from "./artifact/BundleReader.js"
export { normalizeDebugId } from "./artifact/DebugIds.js"
export { type KnownReleases, purgeOldReleases } from "./artifact/OldReleases.js"
export type { UploadedFile } from "./artifact/ReleaseFiles.js"
export * as BackgroundWork from "./background/BackgroundWork.js"
export { failureOf, type Job, type JobOutcome, type JobState } from "./background/Job.js"
export { type HeartbeatOutcome, JobStore, type JobTurn } from "./background/JobStore.js"
export { NodeName } from "./background/NodeName.js"
export * as StorageJob from "./background/StorageJob.js"
export { defaultIngestLimits, IngestLimits } from "./config/IngestLimits.js"
export { formatDuration, parseDuration } from "./config/Quantity.js"
export {
  type ListedSetting,
  listSettings,
  type SettingTexts,
  settingsFrom,
  settingTexts,
  variableOf,
} from "./config/SettingList.js"
export { defaultSettings, ErrataConfig, ErrataSettings } from "./ErrataConfig.js"
export type { EncryptionKey, Keyring as KeyringReference } from "./encryption/Keyring.js"
export * as Keyring from "./encryption/Keyring.js"
export { keyIdOf, SealedSecret } from "./encryption/SealedSecret.js"
export type * from "./event/ErrorEvent.js"
export { type ErrorEventParts, makeErrorEvent } from "./event/ErrorEventBuilder.js"
export { type EventTitle, titleOf } from "./event/EventTitle.js"
export { hashSpace, userHashOf } from "./event/EventUsers.js"
export { reservedTags } from "./event/ReservedTags.js"
export * as Severity from "./event/Severity.js"
export { countTags } from "./event/TagCounting.js"
export {
  activeMutes,
  Group,
  GroupId,
  isMuted,
  type ListedGroup,
  Mute,
  MuteCondition,
  type MuteSource,
  maxExactUsers,
  mutedUntilReportsCount,
  muteSource,
  Resolution,
} from "./group/Group.js"
export { GroupEvent, GroupEventName, type ReopeningReport } from "./group/GroupEvent.js"
export * as GroupEventDocument from "./group/GroupEventDocument.js"
export {
  type GroupEventLeaseRequest,
  GroupEventStore,
  type GroupEventSubscription,
  type LeasedGroupEvent,
  type NewGroupEvent,
  webhooksConsumer,
} from "./group/GroupEventStore.js"
export type { FilteredGroup, GroupFilter as FilterOfGroups } from "./group/GroupFilter.js"
export * as GroupFilter from "./group/GroupFilter.js"
export * as GroupLifecycle from "./group/GroupLifecycle.js"
export type { GroupListTexts } from "./group/GroupListParameters.js"
export * as GroupListParameters from "./group/GroupListParameters.js"
export {
  figuresTogether,
  type GroupFigures,
  type GroupMerge,
  type GroupPart,
  type Half,
  type LockedMerge,
  MergeId,
  MergeNotFound,
  MergeRejected,
} from "./group/GroupMerge.js"
export { GroupNotFound } from "./group/GroupNotFound.js"
export { selectionProblem } from "./group/GroupSelection.js"
export type { GroupPageRequest, GroupSort as SortOfGroups } from "./group/GroupSort.js"
export * as GroupSort from "./group/GroupSort.js"
export {
  type GroupPlace,
  GroupStore,
  type GroupUser,
  type LockedGroup,
  maxTagKeys,
  type TagCount,
} from "./group/GroupStore.js"
export { Groups } from "./group/Groups.js"
export * as MuteJob from "./group/MuteJob.js"
export {
  isOccurrences,
  type MuteTexts,
  maxOccurrences,
  notOccurrences,
  readDeadline,
  readMute,
} from "./group/MuteRequest.js"
export * as Outbox from "./group/Outbox.js"
export { OutboxSignal } from "./group/OutboxSignal.js"
export { OwnGroups } from "./group/OwnGroups.js"
export {
  maxCompletions,
  maxCountedValues,
  maxShownKeys,
  maxSortedValues,
  maxTopValues,
  type TagDistribution,
  type TagValue,
} from "./group/TagDistribution.js"
export { TagNotFound, Tags } from "./group/Tags.js"
export { groupUrl, reportUrl, WebAddress } from "./group/WebUrl.js"
export { fingerprint, type Grouping, GroupingAlgorithm, GroupingData } from "./grouping/Grouping.js"
export * as GroupingV2 from "./grouping/GroupingV2.js"
export { Health } from "./health/Health.js"
export {
  type HealthCheck,
  type HealthCode,
  type HealthDetails,
  type HealthFacts,
  type HealthFinding,
  type HealthReport,
  type HealthWarningCode,
  healthChecks,
  silenceOf,
} from "./health/HealthCheck.js"
export {
  type DiskFinding,
  HealthSources,
  type HealthSourcesService,
  type IntakePause,
} from "./health/HealthSources.js"
export { HealthStore, type StoredAmounts, type StoredWork } from "./health/HealthStore.js"
export { CredentialStore } from "./identity/CredentialStore.js"
export * as Lifetimes from "./identity/Lifetimes.js"
export * as Password from "./identity/Password.js"
export { type Session, SessionId, SignInMethod } from "./identity/Session.js"
export { type NewSession, type SessionOfUser, SessionStore } from "./identity/SessionStore.js"
export { NotSignedIn, Sessions, type SignedIn } from "./identity/Sessions.js"
export { type PasswordAttempt, SignIn, type SignInLink, SignInRefused } from "./identity/SignIn.js"
export * as SignInJob from "./identity/SignInJob.js"
export * as Throttle from "./identity/Throttle.js"
export { TooManyAttempts } from "./identity/Throttle.js"
export { ThrottleStore } from "./identity/ThrottleStore.js"
export { DeadLetterNotFound, DeadLetters } from "./ingest/DeadLetters.js"
export { type IngestCounts, type IngestStatistic, IngestStatistics } from "./ingest/IngestStatistics.js"
export { Intake, IntakeUnavailable, UnknownCredential } from "./ingest/Intake.js"
export { type IntakeDemand, IntakeGuard, type IntakeState } from "./ingest/IntakeGuard.js"
export { IntakePaused, type IntakePauseReason } from "./ingest/IntakePaused.js"
export {
  type BatchPart,
  type DeadLetter,
  type DeadLetterBounds,
  type LeaseRequest,
  type PendingBatch,
  PendingPayloads,
  type SuspectPatience,
} from "./ingest/PendingPayloads.js"
export { grantOf, type RateDraw, type RateGrant, RateWindow, sharesLeft } from "./ingest/RateWindow.js"
export { Recorder } from "./ingest/Recorder.js"
export { RecorderSignal } from "./ingest/RecorderSignal.js"
export * as RecorderWorker from "./ingest/RecorderWorker.js"
export { TestEvents } from "./ingest/TestEvents.js"
export { BoundedCache } from "./internal/BoundedCache.js"
export * as FairSemaphore from "./internal/FairSemaphore.js"
export { Remembered } from "./internal/Remembered.js"
export * as Waiting from "./internal/Waiting.js"
export * as Layers from "./Layers.js"
export * as SourcemapArrivals from "./mapping/SourcemapArrivals.js"
export {
  type LeasedReport,
  type ReportPlace,
  type ReportSource,
  type RequeueBounds,
  type SettledReport,
  type SourcemapLeaseRequest,
  SourcemapReportStore,
  type SourcemapState,
  type UploadedNames,
} from "./mapping/SourcemapReportStore.js"
export {
  NoSourceMapAvailable,
  NotJavaScript,
  RetryNotQueued,
  SourcemapRetries,
  type SourcemapRetry,
} from "./mapping/SourcemapRetries.js"
export * as SourcemapWorker from "./mapping/SourcemapWorker.js"
export {
  briefLevel,
  excerptOf,
  type FrameExcerpt,
  fitting as fittingExcerpt,
  type ReportExcerpt,
  type StackExcerpt,
} from "./markdown/Excerpt.js"
export { type GroupStory, groupMarkdown } from "./markdown/GroupMarkdown.js"
export {
  type Markdown,
  maxLength as maxMarkdownLength,
  reportMarkdown,
  securityNote,
} from "./markdown/ReportMarkdown.js"
export * as MarkdownText from "./markdown/Text.js"
export * as Instruments from "./metric/Instruments.js"
export * as MetricFamily from "./metric/MetricFamily.js"
export { type MetricDescription, metricTable } from "./metric/MetricTable.js"
export { maxContentLength as maxNoteLength, type NewNote, type Note, NoteId } from "./note/Note.js"
export { type NotePlace, NoteStore } from "./note/NoteStore.js"
export { NoteNotFound, Notes } from "./note/Notes.js"
export * as Authorization from "./oauth/Authorization.js"
export * as ClientDocumentReader from "./oauth/ClientDocumentReader.js"
export {
  type ClientDocument,
  ClientDocuments,
  ClientDocumentUnreadable,
  isDocumentAddress,
} from "./oauth/ClientDocuments.js"
export { type Connection, ConnectionId } from "./oauth/Connection.js"
export * as OAuthLifetimes from "./oauth/Lifetimes.js"
export {
  type CodeExchange,
  InvalidAccessToken,
  type KnownClient,
  OAuth,
  type Refresh,
  type Tokens,
} from "./oauth/OAuth.js"
export type { ClientMetadata, OAuthClient } from "./oauth/OAuthClient.js"
export * as OAuthJob from "./oauth/OAuthJob.js"
export { OAuthErrorCode, OAuthRefused } from "./oauth/OAuthRefused.js"
export {
  type AccessTokenOwner,
  type Approval,
  type LockedRefreshToken,
  type NewOAuthClient,
  type NewTokens,
  OAuthStore,
  type TakenCode,
} from "./oauth/OAuthStore.js"
export * as RedirectUri from "./oauth/RedirectUri.js"
export {
  type OutboundAnswer,
  OutboundClient,
  type OutboundDownload,
  OutboundFailed,
  OutboundRefused,
  type OutboundRequest,
  OutboundUnreadable,
} from "./outbound/OutboundClient.js"
export * from "./payload/PayloadDecoder.js"
export { type IngestProtectionStatus, Policies } from "./policy/Policies.js"
export {
  type ArtifactRetention,
  defaultPolicies,
  type ErrorRetention,
  type HostedSourcemaps,
  type IngestProtection,
  type InstancePolicies,
  type PolicyName,
} from "./policy/Policy.js"
export * as PolicyInForce from "./policy/PolicyInForce.js"
export { PolicyStore, type StoredPolicy } from "./policy/PolicyStore.js"
export { type Assignee, Members } from "./project/Members.js"
export { activeMute, type Project, ProjectId, ProjectMute, ProjectToken } from "./project/Project.js"
export * as ProjectMuter from "./project/ProjectMuter.js"
export * as ProjectPurger from "./project/ProjectPurger.js"
export { slugOf } from "./project/ProjectSlug.js"
export {
  type NewProject,
  type ProjectChange,
  type ProjectCount,
  type ProjectCredential,
  ProjectStore,
  type UnfinishedMute,
} from "./project/ProjectStore.js"
export { type CreateProject, Projects, type UpdateProject } from "./project/Projects.js"
export {
  type CountedRelease,
  type Deploy,
  lastCommitOf,
  type NewDeploy,
  type Release,
  type ReleaseChange,
  type ReleaseCommit,
  type ReleaseFigures,
  ReleaseId,
  ReleaseRef,
  ReleaseStatus,
} from "./release/Release.js"
export * as ReleaseRules from "./release/ReleaseRules.js"
export { ReleaseStore } from "./release/ReleaseStore.js"
export { ReleaseNotFound, Releases } from "./release/Releases.js"
export { safeFileName } from "./report/FileName.js"
export {
  type AttachmentSummary,
  EventId,
  parseEventId,
  type Report,
  ReportId,
  type ReportRelease,
  type ReportSummary,
  type SourcemapStatus,
} from "./report/Report.js"
export { type ReportRangeTexts, readRange } from "./report/ReportRange.js"
export {
  type AttachmentSource,
  type NewAttachment,
  type NewReport,
  newAttachments,
  type ReportLocation,
  type ReportNavigation,
  type ReportRange,
  ReportStore,
  type StoredReport,
} from "./report/ReportStore.js"
export {
  AttachmentNotFound,
  type ReportAttachment,
  ReportNotFound,
  Reports,
  type ShownFrames,
} from "./report/Reports.js"
export * as ArtifactRetentionJob from "./retention/ArtifactRetentionJob.js"
export { Retention } from "./retention/Retention.js"
export * as RetentionJob from "./retention/RetentionJob.js"
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
export { RetentionStore } from "./retention/RetentionStore.js"
export type { Services as CoreServices, Stores } from "./Services.js"
export * as Services from "./Services.js"
export { conflictsIn, type SettingConflict } from "./SettingConflicts.js"
export {
  momentOf,
  notTimeBound,
  parseDateBound,
  parseTimeBound,
  type Span,
  type TimeBound,
} from "./search/DateBound.js"
export { hintsOn, type SearchHint } from "./search/SearchHints.js"
export type { SearchQuery as ParsedSearchQuery } from "./search/SearchQuery.js"
export * as SearchQuery from "./search/SearchQuery.js"
export * as TextIndex from "./search/TextIndex.js"
export { firstProject, type ProjectBinding } from "./setup/FirstProject.js"
export { type FirstStart, type FirstStartOptions, firstStart } from "./setup/FirstStart.js"
export { canonicalOrigin } from "./sourcemap/CanonicalOrigin.js"
export { type EventScript, hasScript, type InspectedEvent, Inspection } from "./sourcemap/EventScripts.js"
export {
  type AtOnce,
  type EventOfProject,
  FrameMapper,
  type HostedAnswer,
  type MappedEvent,
} from "./sourcemap/FrameMapper.js"
export {
  type HostedMap,
  HostedMapCache,
  type HostedOutcome,
  type HostedScript,
} from "./sourcemap/HostedMapCache.js"
export * as HostedMapJob from "./sourcemap/HostedMapJob.js"
export * as ResolvedFrames from "./sourcemap/ResolvedFrames.js"
export { adviceOf as sourcemapAdviceOf } from "./sourcemap/SourcemapAdvice.js"
export type { SourcemapFailureCode } from "./sourcemap/SourcemapFailure.js"
export * as SourcemapFailure from "./sourcemap/SourcemapFailure.js"
export { type SourcemapOrigin, SourcemapOriginId } from "./sourcemap/SourcemapOrigin.js"
export { SourcemapOriginStore } from "./sourcemap/SourcemapOriginStore.js"
export { SourcemapOriginNotFound, SourcemapOrigins } from "./sourcemap/SourcemapOrigins.js"
export { type SourcemapResolution, unprocessed } from "./sourcemap/SourcemapResolution.js"
export { DiskSpace, DiskUnmeasurable, type DiskUse } from "./storage/DiskSpace.js"
export type { Page as PageOf, PageRequest } from "./storage/Page.js"
export * as Page from "./storage/Page.js"
export * as SharedClock from "./storage/SharedClock.js"
export { Storage } from "./storage/Storage.js"
export { StorageError } from "./storage/StorageError.js"
export type { StorageOutage as StorageOutageService } from "./storage/StorageOutage.js"
export * as StorageOutage from "./storage/StorageOutage.js"
export { StorageUpkeep } from "./storage/StorageUpkeep.js"
export * as Transactions from "./storage/Transactions.js"
export { type AccessibleGroups, type GroupsRule, NotAccessible, Triage } from "./triage/Triage.js"
export { Role, type User, UserId } from "./user/User.js"
export { UserNotFound } from "./user/UserNotFound.js"
export { maxPeople, type NewUser, type PersonName, UserStore } from "./user/UserStore.js"
export { type CreateUser, InvalidApiKey, type InvitedUser, Users, type UserWithApiKey } from "./user/Users.js"
export * as DecodeIssues from "./validation/DecodeIssues.js"
export { idListProblem, maxIds } from "./validation/IdList.js"
export * as JsonBounds from "./validation/JsonBounds.js"
export * as StorableText from "./validation/StorableText.js"
export { ValidationError } from "./validation/ValidationError.js"
export { Deliveries, DeliveryNotFound } from "./webhook/Deliveries.js"
export { type Delivery, DeliveryId, DeliveryStatus } from "./webhook/Delivery.js"
export * as DeliveryJob from "./webhook/DeliveryJob.js"
export {
  type AttemptResult,
  type DeliveryFilter,
  type DeliveryLeaseRequest,
  DeliveryStore,
  type LeasedDelivery,
  type NewDelivery,
} from "./webhook/DeliveryStore.js"
export * as Dispatcher from "./webhook/Dispatcher.js"
export { eventCountProblem, maxEventNames, type Webhook, WebhookEvent, WebhookId } from "./webhook/Webhook.js"
export * as WebhookPayload from "./webhook/WebhookPayload.js"
export * as WebhookSecret from "./webhook/WebhookSecret.js"
export {
  type Listener,
  type NewWebhook,
  type StoredSecret,
  type WebhookChanges,
  WebhookStore,
} from "./webhook/WebhookStore.js"
export {
  type CreatedWebhook,
  type CreateWebhook,
  type UpdateWebhook,
  WebhookNotFound,
  Webhooks,
} from "./webhook/Webhooks.js"
