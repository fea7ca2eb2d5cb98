/** The policies of the instance as the API shows them. Ranges are the core's to check: they depend on one another. */
import type {
  ArtifactRetention,
  ErrorRetention,
  HostedSourcemaps,
  IngestProtection,
  IngestProtectionStatus,
} from "@errata/core"
import { Schema } from "effect"
import { described } from "./Json.js"
import { Flag, oneOf, optional } from "./Params.js"

const Whole = Schema.Number.pipe(Schema.int()).annotations({
  message: () => ({ message: "must be an integer", override: true }),
  jsonSchema: { type: "integer" },
})

const ingestProtection = {
  enabled: described("Whether the limit on accepted errors a minute holds", Flag),
  global_rate_limit_per_minute: described(
    "Accepted errors a clock minute, for the whole instance; 1 to 10,000,000",
    Whole,
  ),
  backlog_protection_enabled: described("Whether intake pauses while too many payloads wait", Flag),
  max_pending_ingest_payloads: described("How many payloads may wait; 1 to 10,000,000", Whole),
  disk_protection_enabled: described("Whether intake pauses while too little of the disk is free", Flag),
  minimum_free_disk_space_mb: described(
    "How many MB of the disk of the database stay free; 0 to 10,000,000",
    Whole,
  ),
}

export const IngestProtectionView = Schema.Struct({
  ...ingestProtection,
  pending_ingest_bytes: described("Decoded bytes waiting to be recorded", Schema.Int),
  max_pending_ingest_bytes: described("How many decoded bytes may wait at most; fixed", Schema.Int),
  recent_rejections: described("Requests refused by the protection in the last hour", Schema.Int),
  recent_truncations: described("Events shortened to fit the limits in the last hour", Schema.Int),
}).annotations({
  identifier: "IngestProtection",
  examples: [
    {
      enabled: true,
      global_rate_limit_per_minute: 3_000,
      backlog_protection_enabled: true,
      max_pending_ingest_payloads: 10_000,
      disk_protection_enabled: true,
      minimum_free_disk_space_mb: 2_048,
      pending_ingest_bytes: 0,
      max_pending_ingest_bytes: 536_870_912,
      recent_rejections: 0,
      recent_truncations: 2,
    },
  ],
})
export type IngestProtectionView = typeof IngestProtectionView.Type

export const IngestProtectionUpdate = Schema.partialWith(Schema.Struct(ingestProtection), {
  exact: true,
}).annotations({
  identifier: "IngestProtectionUpdate",
  examples: [{ global_rate_limit_per_minute: 5_000 }],
})
export type IngestProtectionUpdate = typeof IngestProtectionUpdate.Type

const retention = {
  enabled: described("Whether anything is removed", Flag),
  time_based_enabled: described("Whether what is too old is removed", Flag),
  retention_period_days: described("How many days are kept; 1 to 3,650", Whole),
  disk_based_enabled: described("Whether the oldest is removed where too much of the disk is used", Flag),
  disk_limit_type: described("What `disk_limit_value` counts", oneOf("absolute", "percentage")),
  disk_limit_value: described(
    "GB where the type is `absolute`, 1 to 100,000; else per cent of the disk, 1 to 95",
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
    "What is removed of what is too old: `partial` keeps groups, counts and what lists show of reports",
    oneOf("partial", "full"),
  ),
}

export const ErrorRetentionView = Schema.Struct(errorRetention).annotations({
  identifier: "ErrorRetention",
  examples: [{ ...retentionExample, time_purge_type: "partial" }],
})
export type ErrorRetentionView = typeof ErrorRetentionView.Type

export const ErrorRetentionUpdate = Schema.partialWith(Schema.Struct(errorRetention), {
  exact: true,
}).annotations({
  identifier: "ErrorRetentionUpdate",
  examples: [{ enabled: true, retention_period_days: 30 }],
})
export type ErrorRetentionUpdate = typeof ErrorRetentionUpdate.Type

const artifactRetention = {
  ...retention,
  purge_on_new_release: described("Whether a new release removes artifacts of the oldest ones", Flag),
  max_releases_kept: described("Of how many releases artifacts are kept then; 1 to 1,000", Whole),
}

export const ArtifactRetentionView = Schema.Struct(artifactRetention).annotations({
  identifier: "ArtifactRetention",
  examples: [{ ...retentionExample, purge_on_new_release: false, max_releases_kept: 10 }],
})
export type ArtifactRetentionView = typeof ArtifactRetentionView.Type

export const ArtifactRetentionUpdate = Schema.partialWith(Schema.Struct(artifactRetention), {
  exact: true,
}).annotations({
  identifier: "ArtifactRetentionUpdate",
  examples: [{ purge_on_new_release: true, max_releases_kept: 5 }],
})
export type ArtifactRetentionUpdate = typeof ArtifactRetentionUpdate.Type

export const HostedSourcemapsView = Schema.Struct({
  enabled: described("Whether source maps are fetched from origins that projects allow", Flag),
}).annotations({
  identifier: "HostedSourcemaps",
  examples: [{ enabled: true }],
})
export type HostedSourcemapsView = typeof HostedSourcemapsView.Type

export const HostedSourcemapsUpdate = Schema.Struct({
  enabled: described("Whether source maps are fetched from origins that projects allow", optional(Flag)),
}).annotations({
  identifier: "HostedSourcemapsUpdate",
  examples: [{ enabled: false }],
})
export type HostedSourcemapsUpdate = typeof HostedSourcemapsUpdate.Type

export const ingestProtectionView = (
  policy: IngestProtection,
  status: IngestProtectionStatus,
): IngestProtectionView => ({
  enabled: policy.enabled,
  global_rate_limit_per_minute: policy.globalRateLimitPerMinute,
  backlog_protection_enabled: policy.backlogProtectionEnabled,
  max_pending_ingest_payloads: policy.maxPendingIngestPayloads,
  disk_protection_enabled: policy.diskProtectionEnabled,
  minimum_free_disk_space_mb: policy.minimumFreeDiskSpaceMb,
  pending_ingest_bytes: status.pendingIngestBytes,
  max_pending_ingest_bytes: status.maxPendingIngestBytes,
  recent_rejections: status.recentRejections,
  recent_truncations: status.recentTruncations,
})

export const errorRetentionView = (policy: ErrorRetention): ErrorRetentionView => ({
  ...retentionView(policy),
  time_purge_type: policy.timePurgeType,
})

export const artifactRetentionView = (policy: ArtifactRetention): ArtifactRetentionView => ({
  ...retentionView(policy),
  purge_on_new_release: policy.purgeOnNewRelease,
  max_releases_kept: policy.maxReleasesKept,
})

export const hostedSourcemapsView = (policy: HostedSourcemaps): HostedSourcemapsView => ({
  enabled: policy.enabled,
})

// internal

const retentionView = (policy: ErrorRetention | ArtifactRetention) => ({
  enabled: policy.enabled,
  time_based_enabled: policy.timeBasedEnabled,
  retention_period_days: policy.retentionPeriodDays,
  disk_based_enabled: policy.diskBasedEnabled,
  disk_limit_type: policy.diskLimitType,
  disk_limit_value: policy.diskLimitValue,
})
