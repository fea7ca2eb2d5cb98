/** Helpers that Errata's own packages share. They may change in any release: do not build on them. */

export * as Secrets from "./access/Secrets.js"
export * as ActivityJob from "./activity/ActivityJob.js"
export * as AlertEvents from "./alert/AlertEvents.js"
export * as DigestJob from "./alert/DigestJob.js"
export * as FailingTargetJob from "./alert/FailingTargetJob.js"
export * as MeasureJob from "./alert/MeasureJob.js"
export * as SummaryJob from "./alert/SummaryJob.js"
export { type ArtifactArrival, ArtifactArrivals } from "./artifact/ArtifactArrivals.js"
export { chunkBytesFor } from "./artifact/ArtifactChunks.js"
export * as ArtifactJob from "./artifact/ArtifactJob.js"
export { type KnownReleases, purgeOldReleases } from "./artifact/OldReleases.js"
export * as BackgroundWork from "./background/BackgroundWork.js"
export type { Job, JobOutcome } from "./background/Job.js"
export * as StorageJob from "./background/StorageJob.js"
export { formatDuration, parseDuration } from "./config/Quantity.js"
export {
  type ListedSetting,
  listSettings,
  type SettingTexts,
  settingsFrom,
  settingTexts,
} from "./config/SettingList.js"
export * as DeliveryJob from "./delivery/DeliveryJob.js"
export * as RetryPolicy from "./delivery/RetryPolicy.js"
export * as Dispatcher from "./dispatch/Dispatcher.js"
export * as GroupEventDocument from "./group/GroupEventDocument.js"
export * as GroupListParameters from "./group/GroupListParameters.js"
export { selectionProblem } from "./group/GroupSelection.js"
export * as MuteJob from "./group/MuteJob.js"
export {
  isOccurrences,
  maxOccurrences,
  occurrencesProblem,
  readDeadline,
  readMute,
} from "./group/MuteRequest.js"
export { OutboxSignal } from "./group/OutboxSignal.js"
export { maxCompletions } from "./group/TagDistribution.js"
export * as GroupingV2 from "./grouping/GroupingV2.js"
export { type HealthFacts, healthChecks } from "./health/HealthCheck.js"
export { HealthSources, type HealthSourcesService } from "./health/HealthSources.js"
export * as Password from "./identity/Password.js"
export * as Session from "./identity/Session.js"
export * as SignInJob from "./identity/SignInJob.js"
export { Recorder } from "./ingest/Recorder.js"
export * as RecorderWorker from "./ingest/RecorderWorker.js"
export { BoundedCache } from "./internal/BoundedCache.js"
export { editDistance } from "./internal/EditDistance.js"
export * as FairSemaphore from "./internal/FairSemaphore.js"
export * as RealTimers from "./internal/RealTimers.js"
export { Remembered } from "./internal/Remembered.js"
export * as Waiting from "./internal/Waiting.js"
export * as SourcemapArrivals from "./mapping/SourcemapArrivals.js"
export * as SourcemapWorker from "./mapping/SourcemapWorker.js"
export {
  briefLevel,
  type FrameExcerpt,
  fitting as fittingExcerpt,
  type ReportExcerpt,
  type StackExcerpt,
} from "./markdown/Excerpt.js"
export { maxLength as maxMarkdownLength } from "./markdown/ReportMarkdown.js"
export * as MarkdownText from "./markdown/Text.js"
export * as Instruments from "./metric/Instruments.js"
export * as MetricFamily from "./metric/MetricFamily.js"
export { type MetricDescription, metricTable } from "./metric/MetricTable.js"
export { webhookKind } from "./notification/Target.js"
export * as TargetSecret from "./notification/TargetSecret.js"
export * as Authorization from "./oauth/Authorization.js"
export { isDocumentAddress } from "./oauth/ClientDocuments.js"
export { type Connection, ConnectionId } from "./oauth/Connection.js"
export type { KnownClient, Tokens } from "./oauth/OAuth.js"
export * as OAuthJob from "./oauth/OAuthJob.js"
export * as RedirectUri from "./oauth/RedirectUri.js"
export { defaultPolicies } from "./policy/Policy.js"
export * as PolicyInForce from "./policy/PolicyInForce.js"
export * as ProjectMuter from "./project/ProjectMuter.js"
export * as ProjectPurger from "./project/ProjectPurger.js"
export { readRange } from "./report/ReportRange.js"
export * as ArtifactRetentionJob from "./retention/ArtifactRetentionJob.js"
export * as RetentionJob from "./retention/RetentionJob.js"
export { conflictsIn } from "./SettingConflicts.js"
export { momentOf, notTimeBound, parseTimeBound } from "./search/DateBound.js"
export * as TextIndex from "./search/TextIndex.js"
export { firstProject } from "./setup/FirstProject.js"
export { type FirstStart, firstStart } from "./setup/FirstStart.js"
export { canonicalOrigin } from "./sourcemap/CanonicalOrigin.js"
export * as HostedMapJob from "./sourcemap/HostedMapJob.js"
export * as ResolvedFrames from "./sourcemap/ResolvedFrames.js"
export { adviceOf as sourcemapAdviceOf } from "./sourcemap/SourcemapAdvice.js"
export type { SourcemapFailureCode } from "./sourcemap/SourcemapFailure.js"
export * as SourcemapFailure from "./sourcemap/SourcemapFailure.js"
export * as StorageOutage from "./storage/StorageOutage.js"
export * as Transactions from "./storage/Transactions.js"
export * as DecodeIssues from "./validation/DecodeIssues.js"
export { idListProblem, maxIds } from "./validation/IdList.js"
export * as JsonBounds from "./validation/JsonBounds.js"
export * as StorableText from "./validation/StorableText.js"
export { eventCountProblem, maxEventNames } from "./webhook/Webhook.js"
export * as WebhookPayload from "./webhook/WebhookPayload.js"
