/**
 * The age at which retention deletes data: 90 days, unless an admin changes the policy (`defaultPolicies`). The age of a
 * report counts from its receipt, that of a group without reports from its creation, and that of an artifact from its
 * last use or upload. Partitioned storages keep bodies up to a week longer.
 */
import { DateTime } from "effect"
import type { ArtifactRetention, ErrorRetention } from "../policy/Policy.js"

/** Older data is deleted. Null if the policy has no age limit. */
export const cutoffOf = (
  { enabled, retentionPeriodDays, timeBasedEnabled }: ErrorRetention | ArtifactRetention,
  now: DateTime.Utc,
): DateTime.Utc | null =>
  enabled && timeBasedEnabled ? DateTime.subtract(now, { days: retentionPeriodDays }) : null
