/** The instance's policies: their settings and ranges. */
import { Result, Schema, SchemaParser } from "effect"
import * as DecodeIssues from "../validation/DecodeIssues.js"
import { ValidationError } from "../validation/ValidationError.js"

/** Key of the annotation with a number's range. */
export const rangeOf = "@errata/core/policy/range"

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween(
      { minimum, maximum },
      { message: `must be between ${minimum} and ${maximum}`, [rangeOf]: { minimum, maximum } },
    ),
  )

/** When intake pauses. */
export const IngestProtection = Schema.Struct({
  /** Enables `globalRateLimitPerMinute`. */
  enabled: Schema.Boolean,
  /** Accepted errors per clock minute across all nodes. */
  globalRateLimitPerMinute: between(1, 10_000_000),
  backlogProtectionEnabled: Schema.Boolean,
  maxPendingIngestPayloads: between(1, 10_000_000),
  diskProtectionEnabled: Schema.Boolean,
  minimumFreeDiskSpaceMb: between(0, 10_000_000),
})
export type IngestProtection = typeof IngestProtection.Type

const retention = {
  /** If false, retention deletes nothing, whatever the other settings are. */
  enabled: Schema.Boolean,
  timeBasedEnabled: Schema.Boolean,
  retentionPeriodDays: between(1, 3_650),
  diskBasedEnabled: Schema.Boolean,
  diskLimitType: Schema.Literals(["absolute", "percentage"]),
  /** GB, or percent of the disk; see `diskLimitRanges`. */
  diskLimitValue: Schema.Int,
}

/** How long reports are kept. */
export const ErrorRetention = Schema.Struct({
  ...retention,
  /** `partial` keeps groups, counts and the list fields of reports. `full` keeps nothing. */
  timePurgeType: Schema.Literals(["partial", "full"]),
})
export type ErrorRetention = typeof ErrorRetention.Type

/** How long debug symbols, minidumps and other artifacts of releases are kept. */
export const ArtifactRetention = Schema.Struct({
  ...retention,
  purgeOnNewRelease: Schema.Boolean,
  maxReleasesKept: between(1, 1_000),
})
export type ArtifactRetention = typeof ArtifactRetention.Type

/** If enabled, source maps are fetched from the origins that projects allow. */
export const HostedSourcemaps = Schema.Struct({ enabled: Schema.Boolean })
export type HostedSourcemaps = typeof HostedSourcemaps.Type

const policySchemas = {
  ingestProtection: IngestProtection,
  errorRetention: ErrorRetention,
  artifactRetention: ArtifactRetention,
  hostedSourcemaps: HostedSourcemaps,
}

/** The settings that admins change at run time. */
export interface InstancePolicies {
  readonly ingestProtection: IngestProtection
  readonly errorRetention: ErrorRetention
  readonly artifactRetention: ArtifactRetention
  readonly hostedSourcemaps: HostedSourcemaps
}
/** The name of a policy. */
export type PolicyName = keyof InstancePolicies

export const defaultPolicies: InstancePolicies = {
  ingestProtection: {
    enabled: true,
    globalRateLimitPerMinute: 3_000,
    backlogProtectionEnabled: true,
    maxPendingIngestPayloads: 10_000,
    diskProtectionEnabled: true,
    minimumFreeDiskSpaceMb: 2_048,
  },
  errorRetention: {
    enabled: true,
    timeBasedEnabled: true,
    retentionPeriodDays: 90,
    timePurgeType: "partial",
    diskBasedEnabled: false,
    diskLimitType: "percentage",
    diskLimitValue: 80,
  },
  artifactRetention: {
    enabled: false,
    timeBasedEnabled: true,
    retentionPeriodDays: 90,
    diskBasedEnabled: false,
    diskLimitType: "percentage",
    diskLimitValue: 80,
    purgeOnNewRelease: false,
    maxReleasesKept: 10,
  },
  // Nothing is fetched until an admin allows an origin for a project. The switch stops all fetching at once.
  hostedSourcemaps: { enabled: true },
}

/** The range of `diskLimitValue` for each `diskLimitType`. */
const diskLimitRanges = { absolute: [1, 100_000], percentage: [1, 95] } as const

/** Validates all settings of a policy. */
export const validate = <Name extends PolicyName>(
  name: Name,
  settings: InstancePolicies[Name],
): Result.Result<InstancePolicies[Name], ValidationError> => {
  const errors: Record<string, ReadonlyArray<string>> = {}
  const checked = SchemaParser.decodeUnknownResult(
    Schema.toType(policySchemas[name]) as Schema.Codec<unknown>,
    {
      errors: "all",
    },
  )(settings)
  if (Result.isFailure(checked)) {
    for (const { message, path } of DecodeIssues.of(checked.failure)) {
      errors[String(path[0])] = [message]
    }
  }
  if ("diskLimitType" in settings && settings.diskLimitType in diskLimitRanges) {
    const { diskLimitType, diskLimitValue } = settings
    const [minimum, maximum] = diskLimitRanges[diskLimitType]
    if (!(diskLimitValue >= minimum && diskLimitValue <= maximum)) {
      errors["diskLimitValue"] = [
        `must be between ${minimum} and ${maximum} where the type is ${diskLimitType}`,
      ]
    }
  }
  return Object.keys(errors).length > 0
    ? Result.fail(new ValidationError({ errors }))
    : Result.succeed(settings)
}
