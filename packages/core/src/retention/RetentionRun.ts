/** One run of retention, from when it was asked for to its end: what it was to remove, and what it has removed. */
import { type DateTime, Schema } from "effect"
import type { UserId } from "../user/User.js"

/** Identifies a retention run: a positive integer, larger for newer ones. */
export const RetentionRunId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("RetentionRunId"),
)
export type RetentionRunId = typeof RetentionRunId.Type

/** What it removes. Each kind has runs of its own, one at a time. */
export type RetentionKind = "errors" | "artifacts"

/** Who asked for it: the hour, a person, or the run before it, which could not do everything. */
export type RetentionTrigger = "nightly" | "requested" | "retry"

export type RetentionState = "waiting" | "running" | "succeeded" | "failed"

/** What a run has removed by now. */
export interface Removed {
  readonly reports: number
  /** Groups that were left without a report. */
  readonly groups: number
  /** Uploads of artifacts, with their files. */
  readonly bundles: number
  /** Parts of the storage that were removed as a whole. */
  readonly partitions: number
  /** The parts that were in use, and are left for the next run. */
  readonly postponed: number
  /** Bytes that were given back with the parts. */
  readonly bytes: number
}

/** What a run is to do, by the policy that was in force when it began. */
export interface RetentionPlan {
  /** What is removed of what is too old; null where age does not decide. */
  readonly timePurgeType: "partial" | "full" | null
  /** What came in before is too old; null where age does not decide. */
  readonly before: DateTime.Utc | null
  /** Bytes that the storage took. */
  readonly bytesBefore: number
}

/** How a retention run ended. */
export interface RetentionOutcome {
  readonly bytesAfter: number
  /** Whether the use of the disk is within the limit now; null where there is none, or it could not be measured. */
  readonly isWithinDiskLimit: boolean | null
  /** What kind of failure ended it (`failureOf`); null where none did. */
  readonly failure: string | null
}

/** Times are the storage's. What is not known yet is null. */
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
