/** The core's services as layers, for any storage and decoder. */
import { Layer } from "effect"
import * as AccessPolicy from "./access/AccessPolicy.js"
import { ProjectReferences } from "./access/ProjectReferences.js"
import { Activity } from "./activity/Activity.js"
import * as ActivityJob from "./activity/ActivityJob.js"
import type { ActivityStore } from "./activity/ActivityStore.js"
import { AlertRules } from "./alert/AlertRules.js"
import * as AlertStateJob from "./alert/AlertStateJob.js"
import type { AlertStore } from "./alert/AlertStore.js"
import * as DigestJob from "./alert/DigestJob.js"
import * as FailingTargetJob from "./alert/FailingTargetJob.js"
import * as MeasureJob from "./alert/MeasureJob.js"
import * as SummaryJob from "./alert/SummaryJob.js"
import type { AppStore } from "./app/AppStore.js"
import { Apps } from "./app/Apps.js"
import * as ArtifactJob from "./artifact/ArtifactJob.js"
import type { ArtifactStore } from "./artifact/ArtifactStore.js"
import { Artifacts } from "./artifact/Artifacts.js"
import { ArtifactUploads } from "./artifact/ArtifactUploads.js"
import type { BlobStore } from "./artifact/BlobStore.js"
import * as BackgroundWork from "./background/BackgroundWork.js"
import type { JobStore } from "./background/JobStore.js"
import * as StorageJob from "./background/StorageJob.js"
import * as DeliveryJob from "./delivery/DeliveryJob.js"
import type { DeliveryStore } from "./delivery/DeliveryStore.js"
import * as Dispatcher from "./dispatch/Dispatcher.js"
import type { GroupEventStore } from "./group/GroupEventStore.js"
import * as GroupPurger from "./group/GroupPurger.js"
import type { GroupStore } from "./group/GroupStore.js"
import { Groups } from "./group/Groups.js"
import * as MuteJob from "./group/MuteJob.js"
import * as OutboxJob from "./group/OutboxJob.js"
import * as OutboxSignal from "./group/OutboxSignal.js"
import { OwnGroups } from "./group/OwnGroups.js"
import { Tags } from "./group/Tags.js"
import { Health } from "./health/Health.js"
import * as HealthSources from "./health/HealthSources.js"
import type { HealthStore } from "./health/HealthStore.js"
import type { CredentialStore } from "./identity/CredentialStore.js"
import { Sessions } from "./identity/Sessions.js"
import { SignIn } from "./identity/SignIn.js"
import * as SignInJob from "./identity/SignInJob.js"
import * as DeadLetterJob from "./ingest/DeadLetterJob.js"
import { DeadLetters } from "./ingest/DeadLetters.js"
import type { IngestStatistics } from "./ingest/IngestStatistics.js"
import { Intake } from "./ingest/Intake.js"
import { IntakeGuard } from "./ingest/IntakeGuard.js"
import type { PendingPayloads } from "./ingest/PendingPayloads.js"
import { Recorder } from "./ingest/Recorder.js"
import { RecorderSignal } from "./ingest/RecorderSignal.js"
import * as RecorderWorker from "./ingest/RecorderWorker.js"
import { TestEvents } from "./ingest/TestEvents.js"
import { AccountMails } from "./mail/AccountMails.js"
import * as SourcemapArrivals from "./mapping/SourcemapArrivals.js"
import type { SourcemapReportStore } from "./mapping/SourcemapReportStore.js"
import { SourcemapRetries } from "./mapping/SourcemapRetries.js"
import * as SourcemapWorker from "./mapping/SourcemapWorker.js"
import type { NoteStore } from "./note/NoteStore.js"
import { Notes } from "./note/Notes.js"
import type { MemberMailStore } from "./notification/MemberMailStore.js"
import { MemberMails } from "./notification/MemberMails.js"
import * as TargetSecret from "./notification/TargetSecret.js"
import type { TargetStore } from "./notification/TargetStore.js"
import { Targets } from "./notification/Targets.js"
import { OAuth } from "./oauth/OAuth.js"
import * as OAuthJob from "./oauth/OAuthJob.js"
import type { OAuthStore } from "./oauth/OAuthStore.js"
import type { OutboundClient } from "./outbound/OutboundClient.js"
import type { PayloadDecoder } from "./payload/PayloadDecoder.js"
import { Policies } from "./policy/Policies.js"
import type { PolicyStore } from "./policy/PolicyStore.js"
import { Members } from "./project/Members.js"
import { ProjectCredentials } from "./project/ProjectCredentials.js"
import * as ProjectMuter from "./project/ProjectMuter.js"
import * as ProjectPurger from "./project/ProjectPurger.js"
import type { ProjectStore } from "./project/ProjectStore.js"
import { Projects } from "./project/Projects.js"
import type { ReleaseStore } from "./release/ReleaseStore.js"
import { Releases } from "./release/Releases.js"
import type { ReportStore } from "./report/ReportStore.js"
import { Reports } from "./report/Reports.js"
import * as ArtifactRetentionJob from "./retention/ArtifactRetentionJob.js"
import { Retention } from "./retention/Retention.js"
import * as RetentionJob from "./retention/RetentionJob.js"
import type { RetentionStore } from "./retention/RetentionStore.js"
import * as HostedMapJob from "./sourcemap/HostedMapJob.js"
import { SourcemapOrigins } from "./sourcemap/SourcemapOrigins.js"
import type { SourcemapStore } from "./sourcemap/SourcemapStore.js"
import type { DiskSpace } from "./storage/DiskSpace.js"
import type { RateLimitStore } from "./storage/RateLimitStore.js"
import type { Storage } from "./storage/Storage.js"
import * as StorageOutage from "./storage/StorageOutage.js"
import { Triage } from "./triage/Triage.js"
import type { UserStore } from "./user/UserStore.js"
import { Users } from "./user/Users.js"
import { Deliveries } from "./webhook/Deliveries.js"
import { Webhooks } from "./webhook/Webhooks.js"

/** Every port of a storage. */
export type Stores =
  | Storage
  | DiskSpace
  | ProjectStore
  | UserStore
  | CredentialStore
  | RateLimitStore
  | OAuthStore
  | GroupStore
  | GroupEventStore
  | ActivityStore
  | ReleaseStore
  | ReportStore
  | RetentionStore
  | NoteStore
  | SourcemapStore
  | SourcemapReportStore
  | ArtifactStore
  | BlobStore
  | PendingPayloads
  | AppStore
  | DeliveryStore
  | TargetStore
  | MemberMailStore
  | AlertStore
  | PolicyStore
  | IngestStatistics
  | JobStore
  | HealthStore

/** The services that transports call. */
export type Services =
  | AccessPolicy.AccessPolicy
  | Projects
  | Users
  | SignIn
  | Sessions
  | AccountMails
  | OAuth
  | Members
  | SourcemapOrigins
  | SourcemapRetries
  | Artifacts
  | ArtifactUploads
  | Groups
  | Activity
  | OwnGroups
  | Tags
  | Notes
  | ProjectReferences
  | Releases
  | Reports
  | Apps
  | Webhooks
  | Deliveries
  | Targets
  | MemberMails
  | AlertRules
  | Policies
  | Retention
  | DeadLetters
  | TestEvents
  | Intake
  | IntakeGuard
  | RecorderSignal
  | Health
  | Triage

/** Health with the sources of its checks. */
export const layerHealth: Layer.Layer<Health, never, Stores> = Layer.provide(
  Health.Default,
  Layer.provide(HealthSources.layer, IntakeGuard.Default),
)

/** The services that every instance needs: access rules, projects, and those that accept errors. */
export type IntakeServices = AccessPolicy.AccessPolicy | Projects | Intake | IntakeGuard | RecorderSignal

/** The intake services with custom access rules, which may extend the default ones. */
export const layerIntake = (rules: AccessPolicy.AccessRules): Layer.Layer<IntakeServices, never, Stores> =>
  Layer.mergeAll(Projects.DefaultWithoutDependencies, Intake.DefaultWithoutDependencies).pipe(
    Layer.provideMerge(IntakeGuard.Default),
    Layer.provideMerge(
      Layer.mergeAll(
        AccessPolicy.layerWith(rules),
        RecorderSignal.Default,
        OutboxSignal.layer,
        StorageOutage.layer,
        SourcemapArrivals.layer,
        ProjectCredentials.Default,
      ),
    ),
  )

/**
 * All other services, which only calls need. If you build them later, pass the memo map of `layerIntake`, so that
 * both share their dependencies.
 */
export const layerCalls: Layer.Layer<
  Exclude<Services, IntakeServices>,
  never,
  Stores | PayloadDecoder | IntakeServices
> = Layer.mergeAll(
  Deliveries.Default,
  Releases.DefaultWithoutDependencies,
  Retention.Default,
  Triage.Default,
  Users.DefaultWithoutDependencies,
).pipe(
  Layer.provideMerge(Layer.mergeAll(Reports.Default, SignIn.DefaultWithoutDependencies)),
  Layer.provideMerge(
    Layer.mergeAll(
      AccountMails.Default,
      Activity.Default,
      Apps.Default,
      Artifacts.Default,
      ArtifactUploads.Default,
      DeadLetters.Default,
      Groups.Default,
      layerHealth,
      Members.Default,
      Notes.Default,
      OAuth.Default,
      OwnGroups.Default,
      Policies.DefaultWithoutDependencies,
      ProjectReferences.Default,
      Sessions.Default,
      SourcemapOrigins.Default,
      SourcemapRetries.Default,
      Tags.Default,
      Targets.Default,
      MemberMails.Default,
      AlertRules.Default,
      TestEvents.Default,
      Webhooks.Default,
    ),
  ),
)

/** All services with custom access rules. */
export const layerWith = (
  rules: AccessPolicy.AccessRules,
): Layer.Layer<Services, never, Stores | PayloadDecoder> => Layer.provideMerge(layerCalls, layerIntake(rules))

/** All services with the default access rules. */
export const layer = layerWith(AccessPolicy.defaultRules)

/** Records accepted payloads. CPU-bound: a server may run it in a thread of its own. */
export const layerRecorder: Layer.Layer<never, never, Stores | PayloadDecoder | RecorderSignal> =
  Layer.provide(RecorderWorker.layer, Recorder.Default)

/** Background jobs. Each job runs on one node at a time. */
export const layerBackground: Layer.Layer<never, never, Stores | PayloadDecoder> = Layer.provide(
  BackgroundWork.layer<Stores | Policies | PayloadDecoder>([
    MuteJob.job,
    ProjectMuter.job,
    ProjectPurger.job,
    GroupPurger.job,
    RetentionJob.job,
    ArtifactRetentionJob.job,
    DeadLetterJob.job,
    ArtifactJob.job,
    SignInJob.job,
    OAuthJob.job,
    HostedMapJob.job,
    StorageJob.job,
    StorageJob.archiving,
    DeliveryJob.job,
    OutboxJob.job,
    ActivityJob.job,
    TargetSecret.job,
    MeasureJob.job,
    SummaryJob.job,
    DigestJob.job,
    FailingTargetJob.job,
    AlertStateJob.job,
  ]),
  Policies.Default,
)

/** Maps the frames of recorded reports. Any number of nodes share the work. */
export const layerMapping: Layer.Layer<never, never, Stores | PayloadDecoder> = SourcemapWorker.layer

/** Applies rules and sends to webhooks and targets. Any number of nodes share the work. */
export const layerDispatcher: Layer.Layer<never, never, Stores | PayloadDecoder | OutboundClient> =
  Dispatcher.layer

/** All background work of a node. */
export const layerWorkers: Layer.Layer<
  never,
  never,
  Stores | PayloadDecoder | RecorderSignal | OutboundClient
> = Layer.mergeAll(layerRecorder, layerBackground, layerDispatcher, layerMapping)
