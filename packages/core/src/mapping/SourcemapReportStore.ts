import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { Payload } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { EventId, ReportId } from "../report/Report.js"
import type { SourcemapStatus } from "../sourcemap/SourcemapFailure.js"
import type { SourcemapResolution } from "../sourcemap/SourcemapResolution.js"
import type { StorageError } from "../storage/StorageError.js"

/** A report that waits for its frames to be mapped. */
export interface ReportPlace {
  readonly projectId: ProjectId
  readonly reportId: ReportId
}

/** A report that this node works on, until its lease runs out. */
export interface LeasedReport extends ReportPlace {
  /** The number of leases with this one, which distinguishes them. */
  readonly leases: number
  /** The number of attempts that were postponed because a storage was unavailable. */
  readonly postponed: number
}

/** How many reports a caller takes, and for how long. */
export interface SourcemapLeaseRequest {
  readonly limit: number
  /** The limit for one project on all nodes together. */
  readonly perProject: number
  readonly duration: Duration.Duration
}

/** The stored parts of a report that mapping needs. */
export interface ReportSource {
  /** The group it was recorded in, even if that is merged. */
  readonly groupId: GroupId
  readonly eventId: EventId | null
  /** Null after retention removed it. */
  readonly payload: Payload | null
}

/** The public diagnostics of a report. */
export interface SourcemapState {
  readonly status: SourcemapStatus
  readonly failureCode: string | null
  readonly attemptedAt: DateTime.Utc | null
}

/** The result of an attempt. */
export interface SettledReport {
  readonly resolution: SourcemapResolution
  /** Null to keep the present one. */
  readonly culprit: string | null
}

/** The names by which events refer to an upload. */
export interface UploadedNames {
  /** UUIDs in lower case with hyphens. */
  readonly debugIds: ReadonlyArray<string>
  /** Null for an upload without a release. */
  readonly release: string | null
}

/** Which reports are queued again, and how many. */
export interface RequeueBounds {
  /** Older reports are not queued. */
  readonly maxAge: Duration.Duration
  readonly limit: number
}

/**
 * Keeps which reports wait for their frames to be mapped; `ReportStore.insert` puts those there that are recorded as
 * `queued`. Leases go by the storage's clock.
 */
export class SourcemapReportStore extends Context.Service<
  SourcemapReportStore,
  {
    /**
     * Takes reports that are due, which are `fetching` from then on: of each project in their turn, and what came in just
     * now, or was asked for by somebody, before what an upload has queued again. Of projects that are deleted none.
     */
    readonly lease: (
      request: SourcemapLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedReport>, StorageError>

    /** Gives reports back as `queued`, as if they had not been leased; those leased again since are left alone. */
    readonly release: (reports: ReadonlyArray<LeasedReport>) => Effect.Effect<void, StorageError>

    /** Begins the duration of leases anew, also of those that ran out; those leased again since are left alone. */
    readonly renew: (
      reports: ReadonlyArray<LeasedReport>,
      duration: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /** Returns a report to the queue, as if it had not been leased. It is due when the pause has passed. */
    readonly postpone: (report: LeasedReport, pause: Duration.Duration) => Effect.Effect<void, StorageError>

    /** None where retention has removed the report. */
    readonly find: (report: ReportPlace) => Effect.Effect<Option.Option<ReportSource>, StorageError>

    /**
     * Writes what an attempt has come to, and takes the report off the queue; answers false, and changes nothing, where
     * the lease was lost. Without frames those of an earlier attempt are kept.
     */
    readonly settle: (
      report: LeasedReport,
      settled: SettledReport,
      now: DateTime.Utc,
    ) => Effect.Effect<boolean, StorageError>

    /** The state of a report, which is locked until the transaction ends. */
    readonly lock: (report: ReportPlace) => Effect.Effect<Option.Option<SourcemapState>, StorageError>

    /** Queues a report that is locked and not queued. */
    readonly queue: (report: ReportPlace, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Queues reports of the project that are not mapped, or not wholly, and whose events name one of these ids or, where
     * they are not mapped at all, this release: the newest first. Answers how many. `"latest"` queues all reports without
     * a map among as many of the newest as the limit allows.
     */
    readonly requeue: (
      projectId: ProjectId,
      uploaded: UploadedNames | "latest",
      bounds: RequeueBounds,
      now: DateTime.Utc,
    ) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/mapping/SourcemapReportStore") {}
