/** A retention run: its request, plan and result. */
import { type DateTime, Schema } from "effect"
import type { UserId } from "../user/User.js"

/** Identifies a retention run: a positive integer, larger for newer ones. */
export const RetentionRunId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("RetentionRunId"),
)
export type RetentionRunId = typeof RetentionRunId.Type

/** The data that a run deletes. Each kind runs separately, one run at a time. */
export type RetentionKind = "errors" | "artifacts"

/** Why a run was requested: by the schedule, by an admin, or because the previous run was incomplete. */
export type RetentionTrigger = "nightly" | "requested" | "retry"

export type RetentionState = "waiting" | "running" | "succeeded" | "failed"

/** Counts of deleted data so far. */
export interface Removed {
  readonly reports: number
  /** Groups without any remaining report. */
  readonly groups: number
  /** Artifact bundles with their files. */
  readonly bundles: number
  /** Partitions that were dropped. */
  readonly partitions: number
  /** Partitions that were in use and remain for the next run. */
  readonly postponed: number
  /** Disk space freed by dropping partitions. */
  readonly bytes: number
}

/** The plan of a run, from the policy in force at its start. */
export interface RetentionPlan {
  /** How old reports are purged; null without an age limit. */
  readonly timePurgeType: "partial" | "full" | null
  /** Older data is deleted; null without an age limit. */
  readonly before: DateTime.Utc | null
  /** Size of the stored data. */
  readonly bytesBefore: number
}

/** How a retention run ended. */
export interface RetentionOutcome {
  readonly bytesAfter: number
  /** True if disk usage is within the limit. Null if there is no limit or the disk cannot be measured. */
  readonly isWithinDiskLimit: boolean | null
  /** The kind of failure (`failureOf`); null on success. */
  readonly failure: string | null
}

/** A retention run. Times are from the storage's clock; unknown values are null. */
export interface RetentionRun {
  readonly id: RetentionRunId
  readonly kind: RetentionKind
  readonly trigger: RetentionTrigger
  readonly requestedBy: UserId | null
  readonly state: RetentionState
  readonly createdAt: DateTime.Utc
  readonly startedAt: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc | null
  readonly timePurgeType: RetentionPlan["timePurgeType"]
  readonly before: DateTime.Utc | null
  readonly removed: Removed
  readonly bytesBefore: number | null
  readonly bytesAfter: number | null
  readonly isWithinDiskLimit: boolean | null
  readonly failure: string | null
}

/** No such run. */
export class RetentionRunNotFound extends Schema.TaggedError<RetentionRunNotFound>()("RetentionRunNotFound", {
  runId: RetentionRunId,
}) {}
