import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { Payload } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { EventId, ReportId } from "../report/Report.js"
import type { SourcemapStatus } from "../sourcemap/SourcemapFailure.js"
import type { SourcemapResolution } from "../sourcemap/SourcemapResolution.js"
import type { StorageError } from "../storage/StorageError.js"

/** Identifies a report whose frames are to be mapped. */
export interface ReportPlace {
  readonly projectId: ProjectId
  readonly reportId: ReportId
}

/** A report that this node has leased. */
export interface LeasedReport extends ReportPlace {
  /** The number of leases, including this one. It identifies the lease. */
  readonly leases: number
  /** The number of attempts that were postponed because a storage was unavailable. */
  readonly postponed: number
}

/** Limits of a lease. */
export interface SourcemapLeaseRequest {
  readonly limit: number
  /** The limit per project across all nodes. */
  readonly perProject: number
  readonly duration: Duration.Duration
}

/** The stored parts of a report that mapping needs. */
export interface ReportSource {
  /** The group in which the report was recorded, even if that is merged. */
  readonly groupId: GroupId
  readonly eventId: EventId | null
  /** Null after retention deleted it. */
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
  /** Null keeps the present one. */
  readonly culprit: string | null
}

/** The names by which events refer to an upload. */
export interface UploadedNames {
  /** UUIDs in lower case with hyphens. */
  readonly debugIds: ReadonlyArray<string>
  /** Null for an upload without a release. */
  readonly release: string | null
}

/** Limits of a requeue. */
export interface RequeueBounds {
  /** Older reports are not queued. */
  readonly maxAge: Duration.Duration
  readonly limit: number
}

/**
 * The queue of reports whose frames are to be mapped. `ReportStore.insert` adds reports that are recorded as
 * `queued`. Leases use the storage's clock.
 */
export class SourcemapReportStore extends Context.Service<
  SourcemapReportStore,
  {
    /**
     * Leases reports that are due and sets them to `fetching`, round-robin over projects. New reports and retries of
     * users come before reports that an upload queued again. Deleted projects are skipped.
     */
    readonly lease: (
      request: SourcemapLeaseRequest,
    ) => Effect.Effect<ReadonlyArray<LeasedReport>, StorageError>

    /** Sets reports to `queued` and does not count the lease. Skips reports that were leased again since. */
    readonly release: (reports: ReadonlyArray<LeasedReport>) => Effect.Effect<void, StorageError>

    /** Renews leases, even expired ones. Skips reports that were leased again since. */
    readonly renew: (
      reports: ReadonlyArray<LeasedReport>,
      duration: Duration.Duration,
    ) => Effect.Effect<void, StorageError>

    /** Returns a report to the queue and does not count the lease. It is due after the pause. */
    readonly postpone: (report: LeasedReport, pause: Duration.Duration) => Effect.Effect<void, StorageError>

    /** None if retention deleted the report. */
    readonly find: (report: ReportPlace) => Effect.Effect<Option.Option<ReportSource>, StorageError>

    /**
     * Writes the result of an attempt and removes the report from the queue. Returns false and changes nothing if the
     * lease was lost. A result without frames keeps those of an earlier attempt.
     */
    readonly settle: (
      report: LeasedReport,
      settled: SettledReport,
      now: DateTime.Utc,
    ) => Effect.Effect<boolean, StorageError>

    /** Returns the state of a report and locks it until the transaction ends. */
    readonly lock: (report: ReportPlace) => Effect.Effect<Option.Option<SourcemapState>, StorageError>

    /** Queues a locked report that is not queued. */
    readonly queue: (report: ReportPlace, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /**
     * Queues reports of the project that are not fully mapped and whose events name one of these debug ids. Reports
     * without any map are also queued if they name the release. The newest come first. Returns their number.
     * `"latest"` queues all reports without a map among the newest `limit` reports.
     */
    readonly requeue: (
      projectId: ProjectId,
      uploaded: UploadedNames | "latest",
      bounds: RequeueBounds,
      now: DateTime.Utc,
    ) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/mapping/SourcemapReportStore") {}
