/** Conflicts between settings that are each within their bounds. */
import type { ErrataSettings } from "./ErrataConfig.js"

/** The setting `path` conflicts with the setting `other`. */
export interface SettingConflict {
  readonly path: string
  /** The middle of the sentence `PATH must be RELATION OTHER`. */
  readonly relation: string
  readonly other: string
}

export const conflictsIn = (settings: ErrataSettings): ReadonlyArray<SettingConflict> => {
  const { ingestLimits, intake, policies } = settings
  const atLeast = (path: string, value: number, other: string, least: number) =>
    value >= least ? [] : [{ path, relation: "at least", other }]
  const retention = (["errorRetention", "artifactRetention"] as const).flatMap((policy) =>
    policies[policy].diskLimitType === "percentage" && policies[policy].diskLimitValue > 95
      ? [
          {
            path: `policies.${policy}.diskLimitValue`,
            relation: "at most 95 with",
            other: `policies.${policy}.diskLimitType`,
          },
        ]
      : [],
  )
  return [
    ...(["maxEventBytes", "maxAttachmentBytes"] as const).flatMap((part) =>
      atLeast(
        "ingestLimits.maxBodyBytes",
        ingestLimits.maxBodyBytes,
        `ingestLimits.${part}`,
        ingestLimits[part],
      ),
    ),
    ...atLeast(
      "intake.maxWaitingBytes",
      intake.maxWaitingBytes,
      "ingestLimits.maxBodyBytes",
      ingestLimits.maxBodyBytes,
    ),
    ...retention,
  ]
}
