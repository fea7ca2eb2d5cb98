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
import { Flag, optional } from "./Params.js"

const Whole = Schema.Number.pipe(Schema.int()).annotations({
  message: () => ({ message: "must be an integer", override: true }),
  jsonSchema: { type: "integer" },
})

const oneOf = <const Values extends readonly [string, ...Array<string>]>(...values: Values) =>
  Schema.Literal(...values).annotations({
    message: () => ({ message: `must be ${values.join(" or ")}`, override: true }),
  })

const ingestProtection = {
  enabled: Flag,
  global_rate_limit_per_minute: Whole,
  backlog_protection_enabled: Flag,
  max_pending_ingest_payloads: Whole,
  disk_protection_enabled: Flag,
  minimum_free_disk_space_mb: Whole,
}

export const IngestProtectionView = Schema.Struct({
  ...ingestProtection,
  pending_ingest_bytes: described("Decoded bytes waiting to be recorded", Schema.Int),
  max_pending_ingest_bytes: Schema.Int,
  recent_rejections: described("Requests refused by the protection in the last hour", Schema.Int),
  recent_truncations: described("Events shortened to fit the limits in the last hour", Schema.Int),
}).annotations({ identifier: "IngestProtection" })
export type IngestProtectionView = typeof IngestProtectionView.Type

export const IngestProtectionUpdate = Schema.partialWith(Schema.Struct(ingestProtection), {
  exact: true,
}).annotations({
  identifier: "IngestProtectionUpdate",
})
export type IngestProtectionUpdate = typeof IngestProtectionUpdate.Type

const retention = {
  enabled: Flag,
  time_based_enabled: Flag,
  retention_period_days: Whole,
  disk_based_enabled: Flag,
  disk_limit_type: oneOf("absolute", "percentage"),
  disk_limit_value: described("In GB where the type is absolute", Whole),
}

const errorRetention = { ...retention, time_purge_type: oneOf("partial", "full") }

export const ErrorRetentionView = Schema.Struct(errorRetention).annotations({ identifier: "ErrorRetention" })
export type ErrorRetentionView = typeof ErrorRetentionView.Type

export const ErrorRetentionUpdate = Schema.partialWith(Schema.Struct(errorRetention), {
  exact: true,
}).annotations({
  identifier: "ErrorRetentionUpdate",
})
export type ErrorRetentionUpdate = typeof ErrorRetentionUpdate.Type

const artifactRetention = { ...retention, purge_on_new_release: Flag, max_releases_kept: Whole }

export const ArtifactRetentionView = Schema.Struct(artifactRetention).annotations({
  identifier: "ArtifactRetention",
})
export type ArtifactRetentionView = typeof ArtifactRetentionView.Type

export const ArtifactRetentionUpdate = Schema.partialWith(Schema.Struct(artifactRetention), {
  exact: true,
}).annotations({
  identifier: "ArtifactRetentionUpdate",
})
export type ArtifactRetentionUpdate = typeof ArtifactRetentionUpdate.Type

export const HostedSourcemapsView = Schema.Struct({ enabled: Flag }).annotations({
  identifier: "HostedSourcemaps",
})
export type HostedSourcemapsView = typeof HostedSourcemapsView.Type

export const HostedSourcemapsUpdate = Schema.Struct({ enabled: optional(Flag) }).annotations({
  identifier: "HostedSourcemapsUpdate",
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
