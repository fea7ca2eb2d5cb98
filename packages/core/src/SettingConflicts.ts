/** Settings that are each in bounds, but do not go together. */
import { Duration } from "effect"
import type { ErrataSettings } from "./ErrataConfig.js"

/** `path` is not as it must be in the face of `other`. */
export interface SettingConflict {
  readonly path: string
  /** The end of the sentence `PATH must be ... OTHER`. */
  readonly relation: string
  readonly other: string
}

export const conflictsIn = (settings: ErrataSettings): ReadonlyArray<SettingConflict> => {
  const { ingestLimits, intake, policies, webhooks } = settings
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
    // What was leased has to be sent before another node may take it.
    ...atLeast(
      "webhooks.leaseDuration",
      Duration.toMillis(webhooks.leaseDuration),
      "webhooks.attemptTimeout",
      Duration.toMillis(webhooks.attemptTimeout),
    ),
    ...retention,
  ]
}
