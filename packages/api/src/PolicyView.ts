/** The policies of the instance as the API shows them. Ranges are the core's to check: they depend on one another. */
import type {
  ArtifactRetention,
  ErrorRetention,
  HostedSourcemaps,
  IngestProtection,
  IngestProtectionStatus,
} from "@errata/core"
import { Schema, Struct } from "effect"
import { int, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { Flag, oneOf, optional } from "./Params.js"

const notInteger = { message: "must be an integer" }
const Whole = Schema.Number.annotate(notInteger).check(Schema.isInt(notInteger))

const ingestProtection = {
  enabled: described("Turns the rate limit on", Flag),
  global_rate_limit_per_minute: described(
    "Maximum number of errors accepted per minute, on all nodes together: 1 to 10,000,000",
    Whole,
  ),
  backlog_protection_enabled: described(
    "Rejects events while the queue has `max_pending_ingest_payloads`",
    Flag,
  ),
  max_pending_ingest_payloads: described("Maximum number of payloads in the queue: 1 to 10,000,000", Whole),
  disk_protection_enabled: described(
    "Rejects events while the disk has less free space than `minimum_free_disk_space_mb`",
    Flag,
  ),
  minimum_free_disk_space_mb: described(
    "Minimum free space of the database's disk in MiB: 0 to 10,000,000",
    Whole,
  ),
}

/** The limits of ingest, as REST shows them. */
export const IngestProtectionView = Schema.Struct({
  ...ingestProtection,
  pending_ingest_bytes: int("Decoded bytes in the queue"),
  max_pending_ingest_bytes: int("Maximum decoded bytes in the queue. Read-only"),
  recent_rejections: int("Number of requests that ingest protection rejected in the last hour"),
  recent_rejections_by_disk: int("How many of them because the disk was almost full"),
  recent_rejections_by_queue: int("How many of them because the queue was full"),
  recent_rejections_by_rate: int("How many of them because of the rate limit"),
  recent_truncations: int("Number of events truncated in the last hour"),
}).pipe(
  named("IngestProtection", {
    enabled: true,
    global_rate_limit_per_minute: 3_000,
    backlog_protection_enabled: true,
    max_pending_ingest_payloads: 10_000,
    disk_protection_enabled: true,
    minimum_free_disk_space_mb: 2_048,
    pending_ingest_bytes: 0,
    max_pending_ingest_bytes: 536_870_912,
    recent_rejections: 40,
    recent_rejections_by_disk: 0,
    recent_rejections_by_queue: 0,
    recent_rejections_by_rate: 40,
    recent_truncations: 2,
  }),
)
export type IngestProtectionView = typeof IngestProtectionView.Type

export const IngestProtectionUpdate = Schema.Struct(ingestProtection)
  .mapFields(Struct.map(Schema.optionalKey))
  .pipe(named("IngestProtectionUpdate", { global_rate_limit_per_minute: 5_000 }))
export type IngestProtectionUpdate = typeof IngestProtectionUpdate.Type

const retention = {
  enabled: described("Turns the deletion on", Flag),
  time_based_enabled: described("Deletes by age", Flag),
  retention_period_days: described("Age in days at which data is deleted: 1 to 3,650", Whole),
  disk_based_enabled: described("Deletes the oldest data while more than `disk_limit_value` is used", Flag),
  disk_limit_type: described("What `disk_limit_value` counts", oneOf("absolute", "percentage")),
  disk_limit_value: described(
    "Limit in GB for `absolute` (1 to 100,000), or in percent of the disk (1 to 95)",
    Whole,
  ),
}

const retentionExample = {
  enabled: false,
  time_based_enabled: true,
  retention_period_days: 90,
  disk_based_enabled: false,
  disk_limit_type: "percentage",
  disk_limit_value: 80,
} as const

const errorRetention = {
  ...retention,
  time_purge_type: described(
    "Extent of the deletion by age. `partial` keeps groups, counts and the list fields of reports. `full` deletes reports, and groups without reports",
    oneOf("partial", "full"),
  ),
}

/** The retention of errors, as REST shows it. */
export const ErrorRetentionView = Schema.Struct(errorRetention).pipe(
  named("ErrorRetention", { ...retentionExample, time_purge_type: "partial" }),
)
export type ErrorRetentionView = typeof ErrorRetentionView.Type

export const ErrorRetentionUpdate = Schema.Struct(errorRetention)
  .mapFields(Struct.map(Schema.optionalKey))
  .pipe(named("ErrorRetentionUpdate", { enabled: true, retention_period_days: 30 }))
export type ErrorRetentionUpdate = typeof ErrorRetentionUpdate.Type

const artifactRetention = {
  ...retention,
  purge_on_new_release: described("Deletes artifacts of old releases when a release is created", Flag),
  max_releases_kept: described(
    "Number of releases whose artifacts `purge_on_new_release` keeps: 1 to 1,000",
    Whole,
  ),
}

/** The retention of artifacts, as REST shows it. */
export const ArtifactRetentionView = Schema.Struct(artifactRetention).pipe(
  named("ArtifactRetention", { ...retentionExample, purge_on_new_release: false, max_releases_kept: 10 }),
)
export type ArtifactRetentionView = typeof ArtifactRetentionView.Type

export const ArtifactRetentionUpdate = Schema.Struct(artifactRetention)
  .mapFields(Struct.map(Schema.optionalKey))
  .pipe(named("ArtifactRetentionUpdate", { purge_on_new_release: true, max_releases_kept: 5 }))
export type ArtifactRetentionUpdate = typeof ArtifactRetentionUpdate.Type

/** The policy about source maps on the web, as REST shows it. */
export const HostedSourcemapsView = Schema.Struct({
  enabled: described("Allows Errata to fetch source maps from the authorized origins of a project", Flag),
}).pipe(named("HostedSourcemaps", { enabled: true }))
export type HostedSourcemapsView = typeof HostedSourcemapsView.Type

export const HostedSourcemapsUpdate = Schema.Struct({
  enabled: described(
    "Allows Errata to fetch source maps from the authorized origins of a project",
    optional(Flag),
  ),
}).pipe(named("HostedSourcemapsUpdate", { enabled: false }))
export type HostedSourcemapsUpdate = typeof HostedSourcemapsUpdate.Type

export const ingestProtectionView = (
  policy: IngestProtection,
  status: IngestProtectionStatus,
): IngestProtectionView => ({
  ...limitsOf(policy),
  pending_ingest_bytes: status.pendingIngestBytes,
  max_pending_ingest_bytes: status.maxPendingIngestBytes,
  recent_rejections: status.recentRejections,
  recent_rejections_by_disk: status.recentRejectionsBy.disk,
  recent_rejections_by_queue: status.recentRejectionsBy.queue,
  recent_rejections_by_rate: status.recentRejectionsBy.rate,
  recent_truncations: status.recentTruncations,
})

export const errorRetentionView: (policy: ErrorRetention) => ErrorRetentionView = viewOf(errorRetention)

export const artifactRetentionView: (policy: ArtifactRetention) => ArtifactRetentionView =
  viewOf(artifactRetention)

export const hostedSourcemapsView: (policy: HostedSourcemaps) => HostedSourcemapsView = viewOf(
  HostedSourcemapsView.fields,
)

// internal

const limitsOf = viewOf(ingestProtection)
