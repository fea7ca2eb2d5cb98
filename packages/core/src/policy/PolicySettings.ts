/** What the policies of the instance say until an admin changes them: the settings that begin with `policies`. */
import { Option, Schema, SchemaAST } from "effect"
import { choice, count, flag } from "../config/SettingSchema.js"
import {
  ArtifactRetention,
  defaultPolicies,
  ErrorRetention,
  IngestProtection,
  type InstancePolicies,
} from "./Policy.js"

/** The bounds are those of the policy's own field. */
const bounded = (field: Schema.Schema<number>, value: number, description: string) => {
  const { maximum, minimum } = Option.getOrThrow(SchemaAST.getJSONSchemaAnnotation(field.ast)) as {
    readonly minimum: number
    readonly maximum: number
  }
  return count({ default: String(value), min: String(minimum), max: String(maximum), description })
}

const { artifactRetention, errorRetention, hostedSourcemaps, ingestProtection } = defaultPolicies

const retention = (
  policy: typeof ErrorRetention | typeof ArtifactRetention,
  defaults: RetentionDefaults,
) => ({
  enabled: flag({
    default: defaults.enabled,
    description: "Whether anything is removed at all.",
  }),
  timeBasedEnabled: flag({
    default: defaults.timeBasedEnabled,
    description: "Whether age decides what is removed.",
  }),
  retentionPeriodDays: bounded(
    policy.fields.retentionPeriodDays,
    defaults.retentionPeriodDays,
    "Days after which it is removed.",
  ),
  diskBasedEnabled: flag({
    default: defaults.diskBasedEnabled,
    description: "Whether the disk's use decides what is removed.",
  }),
  diskLimitType: choice(["absolute", "percentage"], {
    default: defaults.diskLimitType,
    description: "Whether the limit is in GB or in per cent of the disk.",
  }),
  diskLimitValue: count({
    default: String(defaults.diskLimitValue),
    min: "1",
    max: "100000",
    description: "The limit; a percentage is 95 at most.",
  }),
})

type RetentionDefaults = Pick<
  typeof ErrorRetention.Type,
  | "enabled"
  | "timeBasedEnabled"
  | "retentionPeriodDays"
  | "diskBasedEnabled"
  | "diskLimitType"
  | "diskLimitValue"
>

const fields = Schema.Struct({
  ingestProtection: Schema.Struct({
    enabled: flag({
      default: ingestProtection.enabled,
      description: "Whether the rate below holds.",
    }),
    globalRateLimitPerMinute: bounded(
      IngestProtection.fields.globalRateLimitPerMinute,
      ingestProtection.globalRateLimitPerMinute,
      "Accepted errors in a clock minute, of all nodes together.",
    ),
    backlogProtectionEnabled: flag({
      default: ingestProtection.backlogProtectionEnabled,
      description: "Whether intake pauses while too much waits to be recorded.",
    }),
    maxPendingIngestPayloads: bounded(
      IngestProtection.fields.maxPendingIngestPayloads,
      ingestProtection.maxPendingIngestPayloads,
      "Payloads that may wait to be recorded.",
    ),
    diskProtectionEnabled: flag({
      default: ingestProtection.diskProtectionEnabled,
      description: "Whether intake pauses while the disk is nearly full.",
    }),
    minimumFreeDiskSpaceMb: bounded(
      IngestProtection.fields.minimumFreeDiskSpaceMb,
      ingestProtection.minimumFreeDiskSpaceMb,
      "MB of the disk that stay free.",
    ),
  }),
  errorRetention: Schema.Struct({
    ...retention(ErrorRetention, errorRetention),
    timePurgeType: choice(["partial", "full"], {
      default: errorRetention.timePurgeType,
      description: "`partial` keeps groups, counts and what lists show of reports; `full` keeps nothing.",
    }),
  }),
  artifactRetention: Schema.Struct({
    ...retention(ArtifactRetention, artifactRetention),
    purgeOnNewRelease: flag({
      default: artifactRetention.purgeOnNewRelease,
      description: "Whether a new release removes the artifacts of old ones.",
    }),
    maxReleasesKept: bounded(
      ArtifactRetention.fields.maxReleasesKept,
      artifactRetention.maxReleasesKept,
      "Releases whose artifacts are kept then.",
    ),
  }),
  hostedSourcemaps: Schema.Struct({
    enabled: flag({
      default: hostedSourcemaps.enabled,
      description: "Whether source maps are fetched from the origins that projects allow.",
    }),
  }),
})

export const PolicySettings: Schema.Schema<InstancePolicies, typeof fields.Encoded> = fields
