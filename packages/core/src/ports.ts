/** Ports for storages and other adapters, with their types. */

export * as AbsentStores from "./absent/AbsentStores.js"
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
export {
  type AlertPlace,
  type AlertState,
  AlertStore,
  type NotificationWindow,
  type ProjectRules,
} from "./alert/AlertStore.js"
export { AppStore, type RefusedProject } from "./app/AppStore.js"
export type { ArtifactType } from "./artifact/ArtifactBundle.js"
export {
  type AdoptedBundle,
  type ArtifactFile,
  ArtifactStore,
  type BlobBytes,
  type BundlePlace,
  type ChunkOwner,
  type ChunkSize,
  maxBundlesLookedInto,
  type NewArtifactBundle,
  type NewArtifactFile,
  type StoredBlob,
} from "./artifact/ArtifactStore.js"
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
export type { JobState } from "./background/Job.js"
export { type HeartbeatOutcome, JobStore, type JobTurn } from "./background/JobStore.js"
export { NodeName } from "./background/NodeName.js"
export { defaultIngestLimits, IngestLimits } from "./config/IngestLimits.js"
export {
  type AttemptResult,
  type DeliveryFilter,
  type DeliveryLeaseRequest,
  DeliveryStore,
  type HeldBack,
  type LeasedDelivery,
  type NewDelivery,
  type NotificationFilter,
} from "./delivery/DeliveryStore.js"
export * as Keyring from "./encryption/Keyring.js"
export { keyIdOf, SealedSecret } from "./encryption/SealedSecret.js"
export type * from "./event/ErrorEvent.js"
export { type ErrorEventParts, makeErrorEvent } from "./event/ErrorEventBuilder.js"
export { type EventTitle, titleOf } from "./event/EventTitle.js"
export { hashSpace } from "./event/EventUsers.js"
export { countTags } from "./event/TagCounting.js"
export * as TagList from "./event/TagList.js"
export { type DiscardedGroup, maxDiscardedKeys } from "./group/DiscardedGroup.js"
export {
  alertsConsumer,
  type GroupEventLeaseRequest,
  GroupEventStore,
  type GroupEventSubscription,
  type LeasedGroupEvent,
  type NewGroupEvent,
  webhooksConsumer,
} from "./group/GroupEventStore.js"
export * as GroupLifecycle from "./group/GroupLifecycle.js"
export {
  figuresTogether,
  type GroupFigures,
  type GroupPart,
  type Half,
  type LockedMerge,
} from "./group/GroupMerge.js"
export {
  type GroupPlace,
  GroupStore,
  type GroupUser,
  type LockedGroup,
  maxTagKeys,
  type TagCount,
} from "./group/GroupStore.js"
export { maxCountedValues, maxShownKeys, maxSortedValues, maxTopValues } from "./group/TagDistribution.js"
export { HealthStore, type StoredAmounts, type StoredWork } from "./health/HealthStore.js"
export { CredentialStore, type NewSession, type SessionOfUser } from "./identity/CredentialStore.js"
export { isValid as isSessionValid, type SessionExpiry } from "./identity/Session.js"
export { type IngestCounts, type IngestStatistic, IngestStatistics } from "./ingest/IngestStatistics.js"
export {
  type BatchPart,
  type DeadLetterBounds,
  type LeaseRequest,
  type PendingBatch,
  PendingPayloads,
} from "./ingest/PendingPayloads.js"
export { type AccountMail, Mailer, MailFailed } from "./mail/Mailer.js"
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
export type { NewNote } from "./note/Note.js"
export { type NotePlace, NoteStore } from "./note/NoteStore.js"
export * as HttpTarget from "./notification/HttpTarget.js"
export { MemberMailStore } from "./notification/MemberMailStore.js"
export {
  NotificationFailed,
  type NotificationTarget,
  NotificationTargets,
  type SendAnswer,
  type SendOptions,
  type TargetAddress,
  type TargetField,
} from "./notification/NotificationTarget.js"
export {
  type Listener,
  type NewTarget,
  type StoredSecret,
  type StoredTarget,
  type TargetChanges,
  TargetStore,
} from "./notification/TargetStore.js"
export * as ClientDocumentReader from "./oauth/ClientDocumentReader.js"
export type { OAuthClient } from "./oauth/OAuthClient.js"
export {
  type AccessTokenOwner,
  type Approval,
  type LockedRefreshToken,
  type NewOAuthClient,
  type NewTokens,
  OAuthStore,
  type TakenCode,
} from "./oauth/OAuthStore.js"
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
export { PolicyStore, type StoredPolicy } from "./policy/PolicyStore.js"
export { slugOf } from "./project/ProjectSlug.js"
export {
  type NewProject,
  type ProjectChange,
  type ProjectCount,
  type ProjectCredential,
  ProjectStore,
  type UnfinishedMute,
} from "./project/ProjectStore.js"
export {
  lastCommitOf,
  type NewDeploy,
  type ReleaseChange,
  type ReleaseFigures,
  ReleaseRef,
} from "./release/Release.js"
export { type ReleasePlace, ReleaseStore } from "./release/ReleaseStore.js"
export type { AttachmentSummary, LatestReport } from "./report/Report.js"
export {
  type AttachmentSource,
  type NewAttachment,
  type NewReport,
  type ReportLocation,
  type ReportNavigation,
  type ReportRange,
  ReportStore,
  type StoredReport,
} from "./report/ReportStore.js"
export { RetentionStore } from "./retention/RetentionStore.js"
export { type EventScript, hasScript, type InspectedEvent, Inspection } from "./sourcemap/EventScripts.js"
export {
  type AtOnce,
  type EventOfProject,
  FrameMapper,
  type HostedAnswer,
  type MappedEvent,
} from "./sourcemap/FrameMapper.js"
export { type SourcemapResolution, unprocessed } from "./sourcemap/SourcemapResolution.js"
export {
  type HostedMap,
  type HostedOutcome,
  type HostedScript,
  SourcemapStore,
} from "./sourcemap/SourcemapStore.js"
export { DiskSpace, DiskUnmeasurable, type DiskUse } from "./storage/DiskSpace.js"
export {
  type AppendObject,
  ObjectStore,
  ObjectStoreError,
  type ObjectStoreService,
} from "./storage/ObjectStore.js"
export {
  grantOf,
  type RateDraw,
  type RateGrant,
  RateLimitStore,
  sharesLeft,
} from "./storage/RateLimitStore.js"
export * as SharedClock from "./storage/SharedClock.js"
export { Storage } from "./storage/Storage.js"
export { maxPeople, type NewUser, type PersonName, UserStore } from "./user/UserStore.js"
