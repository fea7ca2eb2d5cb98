/** The settings under `policies`: defaults that apply until an admin changes a policy. */
import { Schema, SchemaAST } from "effect"
import { choice, count, flag } from "../config/SettingSchema.js"
import {
  ArtifactRetention,
  defaultPolicies,
  ErrorRetention,
  IngestProtection,
  type InstancePolicies,
  rangeOf,
} from "./Policy.js"

/** Takes the range from the policy's field. */
const bounded = (field: Schema.Schema<number>, value: number, description: string) => {
  const { maximum, minimum } = SchemaAST.resolveAt<{ readonly minimum: number; readonly maximum: number }>(
    rangeOf,
  )(field.ast)!
  return count({ default: String(value), min: String(minimum), max: String(maximum), description })
}

const { artifactRetention, errorRetention, hostedSourcemaps, ingestProtection } = defaultPolicies

const retention = (
  policy: typeof ErrorRetention | typeof ArtifactRetention,
  defaults: RetentionDefaults,
  what: string,
) => ({
  enabled: flag({
    default: defaults.enabled,
    description: `Turns the deletion of ${what} on.`,
  }),
  timeBasedEnabled: flag({
    default: defaults.timeBasedEnabled,
    description: `Deletes ${what} by age.`,
  }),
  retentionPeriodDays: bounded(
    policy.fields.retentionPeriodDays,
    defaults.retentionPeriodDays,
    `Age in days at which ${what} are deleted.`,
  ),
  diskBasedEnabled: flag({
    default: defaults.diskBasedEnabled,
    description: `Deletes the oldest ${what} while more than \`diskLimitValue\` is used. Turn it on if the disk may become full before ${what} reach their age.`,
  }),
  diskLimitType: choice(["absolute", "percentage"], {
    default: defaults.diskLimitType,
    description:
      "Unit of `diskLimitValue`: `absolute` is GB of stored data, `percentage` is the used part of the disk. Use `absolute` if other services write to the same disk.",
  }),
  diskLimitValue: count({
    default: String(defaults.diskLimitValue),
    min: "1",
    max: "100000",
    description:
      "The disk limit, in GB or percent. A percentage is at most 95. Lower it to leave more space to other data.",
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
      description: "Turns the rate limit on. Turn it off if a proxy limits requests.",
    }),
    globalRateLimitPerMinute: bounded(
      IngestProtection.fields.globalRateLimitPerMinute,
      ingestProtection.globalRateLimitPerMinute,
      "Maximum number of errors accepted per minute, on all nodes together. Further events get 429. Raise it for a busy instance.",
    ),
    backlogProtectionEnabled: flag({
      default: ingestProtection.backlogProtectionEnabled,
      description: "Rejects events while the queue holds `maxPendingIngestPayloads` payloads.",
    }),
    maxPendingIngestPayloads: bounded(
      IngestProtection.fields.maxPendingIngestPayloads,
      ingestProtection.maxPendingIngestPayloads,
      "Maximum number of payloads in the queue. Raise it if bursts of small events get 429.",
    ),
    diskProtectionEnabled: flag({
      default: ingestProtection.diskProtectionEnabled,
      description:
        "Rejects events while the disk has less free space than `minimumFreeDiskSpaceMb`. Turn it off if the measured disk is not the one that fills up.",
    }),
    minimumFreeDiskSpaceMb: bounded(
      IngestProtection.fields.minimumFreeDiskSpaceMb,
      ingestProtection.minimumFreeDiskSpaceMb,
      "Minimum free disk space in MiB. Raise it if other services write to the same disk.",
    ),
  }),
  errorRetention: Schema.Struct({
    ...retention(ErrorRetention, errorRetention, "reports"),
    timePurgeType: choice(["partial", "full"], {
      default: errorRetention.timePurgeType,
      description:
        "Extent of the deletion by age. `partial` removes the details of reports, and keeps groups, counts and list fields. `full` removes reports, and groups without reports.",
    }),
  }),
  artifactRetention: Schema.Struct({
    ...retention(ArtifactRetention, artifactRetention, "artifacts"),
    purgeOnNewRelease: flag({
      default: artifactRetention.purgeOnNewRelease,
      description: "Deletes artifacts of old releases when a release is created.",
    }),
    maxReleasesKept: bounded(
      ArtifactRetention.fields.maxReleasesKept,
      artifactRetention.maxReleasesKept,
      "Number of releases whose artifacts `purgeOnNewRelease` keeps.",
    ),
  }),
  hostedSourcemaps: Schema.Struct({
    enabled: flag({
      default: hostedSourcemaps.enabled,
      description:
        "Allows Errata to fetch source maps from the origins that a project has authorized. Turn it off if the server must not send such requests.",
    }),
  }),
})

export const PolicySettings: Schema.Codec<InstancePolicies, typeof fields.Encoded> = fields
