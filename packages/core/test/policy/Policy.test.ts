import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { defaultPolicies, type InstancePolicies, type PolicyName, validate } from "../../src/policy/Policy.js"

/** The messages by field of a policy with changed settings; null if it is valid. */
const errorsOf = <Name extends PolicyName>(name: Name, changes: Partial<InstancePolicies[Name]>) => {
  const settings = { ...defaultPolicies[name], ...changes }
  return Result.match(validate(name, settings), {
    onFailure: ({ errors }) => errors,
    onSuccess: (valid) => {
      expect(valid).toEqual(settings)
      return null
    },
  })
}

describe("Policy", () => {
  it.each(Object.keys(defaultPolicies) as ReadonlyArray<PolicyName>)("has valid defaults of %s", (name) => {
    expect(errorsOf(name, {})).toBeNull()
  })

  it("has the defaults that are documented", () => {
    expect(defaultPolicies).toEqual({
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
      hostedSourcemaps: { enabled: true },
    })
  })

  it.each([
    ["ingestProtection", "globalRateLimitPerMinute", 1, 10_000_000],
    ["ingestProtection", "maxPendingIngestPayloads", 1, 10_000_000],
    ["ingestProtection", "minimumFreeDiskSpaceMb", 0, 10_000_000],
    ["errorRetention", "retentionPeriodDays", 1, 3_650],
    ["artifactRetention", "retentionPeriodDays", 1, 3_650],
    ["artifactRetention", "maxReleasesKept", 1, 1_000],
  ] as const)("bounds %s.%s", (name, setting, minimum, maximum) => {
    const errors = { [setting]: [`must be between ${minimum} and ${maximum}`] }
    for (const value of [minimum, maximum]) expect(errorsOf(name, { [setting]: value })).toBeNull()
    for (const value of [minimum - 1, maximum + 1])
      expect(errorsOf(name, { [setting]: value })).toEqual(errors)
    for (const value of [minimum + 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(Object.keys(errorsOf(name, { [setting]: value }) ?? {})).toEqual([setting])
    }
  })

  it.each([
    ["absolute", 1, 100_000],
    ["percentage", 1, 95],
  ] as const)("bounds the disk limit by its type: %s", (diskLimitType, minimum, maximum) => {
    const message = `must be between ${minimum} and ${maximum} where the type is ${diskLimitType}`
    for (const name of ["errorRetention", "artifactRetention"] as const) {
      for (const diskLimitValue of [minimum, maximum]) {
        expect(errorsOf(name, { diskLimitType, diskLimitValue })).toBeNull()
      }
      for (const diskLimitValue of [minimum - 1, maximum + 1]) {
        expect(errorsOf(name, { diskLimitType, diskLimitValue })).toEqual({ diskLimitValue: [message] })
      }
    }
  })

  it("names all invalid fields together", () => {
    const errors = errorsOf("artifactRetention", {
      retentionPeriodDays: 0,
      diskLimitValue: 96,
      maxReleasesKept: 1_001,
    })
    expect(Object.keys(errors ?? {}).sort()).toEqual([
      "diskLimitValue",
      "maxReleasesKept",
      "retentionPeriodDays",
    ])
  })
})
