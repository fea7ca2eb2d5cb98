/**
 * All ports of the core in memory, for tests, experiments, and programs that need no old errors. The data is lost when
 * the process exits.
 */
import { firstRule, type Services } from "@errata/core"
import {
  ActivityStore,
  AlertStore,
  AppStore,
  ArtifactStore,
  BlobStore,
  CredentialStore,
  DeliveryStore,
  DiskSpace,
  DiskUnmeasurable,
  GroupEventStore,
  GroupStore,
  HealthStore,
  IngestStatistics,
  JobStore,
  MemberMailStore,
  NoteStore,
  OAuthStore,
  PendingPayloads,
  PolicyStore,
  ProjectStore,
  RateLimitStore,
  ReleaseStore,
  ReportStore,
  RetentionStore,
  SourcemapReportStore,
  SourcemapStore,
  Storage,
  TargetStore,
  UserStore,
} from "@errata/core/ports"
import { Context, DateTime, Effect, Layer } from "effect"
import * as State from "./internal/State.js"
import * as MemoryActivityStore from "./MemoryActivityStore.js"
import * as MemoryAlertStore from "./MemoryAlertStore.js"
import * as MemoryAppStore from "./MemoryAppStore.js"
import * as MemoryArtifactStore from "./MemoryArtifactStore.js"
import * as MemoryBlobStore from "./MemoryBlobStore.js"
import * as MemoryCredentialStore from "./MemoryCredentialStore.js"
import * as MemoryDeliveryStore from "./MemoryDeliveryStore.js"
import * as MemoryGroupEventStore from "./MemoryGroupEventStore.js"
import * as MemoryGroupStore from "./MemoryGroupStore.js"
import * as MemoryHealthStore from "./MemoryHealthStore.js"
import * as MemoryIngestStatistics from "./MemoryIngestStatistics.js"
import * as MemoryJobStore from "./MemoryJobStore.js"
import * as MemoryMemberMailStore from "./MemoryMemberMailStore.js"
import * as MemoryNoteStore from "./MemoryNoteStore.js"
import * as MemoryOAuthStore from "./MemoryOAuthStore.js"
import * as MemoryPendingPayloads from "./MemoryPendingPayloads.js"
import * as MemoryPolicyStore from "./MemoryPolicyStore.js"
import * as MemoryProjectStore from "./MemoryProjectStore.js"
import * as MemoryRateLimitStore from "./MemoryRateLimitStore.js"
import * as MemoryReleaseStore from "./MemoryReleaseStore.js"
import * as MemoryReportStore from "./MemoryReportStore.js"
import * as MemoryRetentionStore from "./MemoryRetentionStore.js"
import * as MemorySourcemapReportStore from "./MemorySourcemapReportStore.js"
import * as MemorySourcemapStore from "./MemorySourcemapStore.js"
import * as MemoryTargetStore from "./MemoryTargetStore.js"
import * as MemoryUserStore from "./MemoryUserStore.js"

/** Creates a new storage each time it runs. Services that share a context are nodes on one storage. */
export const make: Effect.Effect<Context.Context<Services.Stores>> = Effect.gen(function* () {
  const state = State.make()
  const now = yield* DateTime.now
  yield* state.write((transaction) => MemoryAlertStore.insertRule(state, transaction, null, firstRule, now))
  const jobs = MemoryJobStore.make(state)
  const pending = MemoryPendingPayloads.make(state)
  return Context.empty()
    .pipe(
      Context.add(Storage, {
        transaction: state.transaction,
        now: DateTime.now,
        ping: Effect.void,
        prepare: Effect.void,
        archive: () => Effect.void,
      }),
      Context.add(DiskSpace, { measure: onNoDisk }),
      Context.add(ProjectStore, MemoryProjectStore.make(state)),
      Context.add(UserStore, MemoryUserStore.make(state)),
      Context.add(CredentialStore, MemoryCredentialStore.make(state)),
      Context.add(RateLimitStore, MemoryRateLimitStore.make(state)),
      Context.add(OAuthStore, MemoryOAuthStore.make(state)),
      Context.add(GroupStore, MemoryGroupStore.make(state)),
      Context.add(GroupEventStore, MemoryGroupEventStore.make(state)),
      Context.add(ReportStore, MemoryReportStore.make(state)),
      Context.add(RetentionStore, MemoryRetentionStore.make(state)),
      Context.add(NoteStore, MemoryNoteStore.make(state)),
      Context.add(SourcemapReportStore, MemorySourcemapReportStore.make(state)),
    )
    .pipe(
      Context.add(SourcemapStore, MemorySourcemapStore.make(state)),
      Context.add(ActivityStore, MemoryActivityStore.make(state)),
      Context.add(ReleaseStore, MemoryReleaseStore.make(state)),
      Context.add(ArtifactStore, MemoryArtifactStore.make(state)),
      Context.add(BlobStore, MemoryBlobStore.make(state)),
      Context.add(AppStore, MemoryAppStore.make(state)),
      Context.add(DeliveryStore, MemoryDeliveryStore.make(state)),
      Context.add(TargetStore, MemoryTargetStore.make(state)),
      Context.add(MemberMailStore, MemoryMemberMailStore.make(state)),
      Context.add(AlertStore, MemoryAlertStore.make(state)),
      Context.add(PolicyStore, MemoryPolicyStore.make(state)),
      Context.add(IngestStatistics, MemoryIngestStatistics.make(state)),
      Context.add(JobStore, jobs),
      Context.add(PendingPayloads, pending),
      Context.add(HealthStore, MemoryHealthStore.make(state, jobs, pending)),
    )
})

const onNoDisk = new DiskUnmeasurable({ reason: "memory storage has no disk", why: "no_disk" })

/** Creates a new storage each time it is built. */
export const layer: Layer.Layer<Services.Stores> = Layer.effectContext(make)
