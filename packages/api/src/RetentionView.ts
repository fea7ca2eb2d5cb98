/** A run of retention as the API shows it. */
import type { RetentionRun } from "@errata/core"
import { Schema } from "effect"
import { int, intOrNull, textOrNull, time, timeOrNull } from "./Fields.js"
import { described, named } from "./Json.js"
import { oneOf } from "./Params.js"

export const RetentionKind = oneOf("errors", "artifacts")

const Bytes = Schema.NullOr(Schema.Int)

/** A retention run and the number of deleted items. */
export const RetentionRunView = Schema.Struct({
  id: int("Id of the run"),
  kind: described("Data that the run deletes", RetentionKind),
  trigger: described(
    "Reason of the run: `nightly`, `requested` by a user, or a `retry` of a run that found data in use",
    Schema.Literals(["nightly", "requested", "retry"]),
  ),
  state: described("State of the run", Schema.Literals(["waiting", "running", "succeeded", "failed"])),
  requested_by: intOrNull("Id of the user who requested it, or null"),
  created_at: time("Time at which it was requested or due"),
  started_at: timeOrNull("Start time, or null"),
  finished_at: timeOrNull("End time, or null"),
  time_purge_type: described(
    "Extent of the deletion by age, from the policy at the start. Null without deletion by age",
    Schema.NullOr(Schema.Literals(["partial", "full"])),
  ),
  purged_before: timeOrNull("Data received before this time is deleted. Null without deletion by age"),
  reports_purged: int("Number of deleted reports"),
  groups_purged: int("Number of deleted groups, which had no reports left"),
  artifact_bundles_purged: int("Number of deleted uploads"),
  partitions_purged: int("Number of deleted database partitions"),
  partitions_postponed: int(
    "Number of partitions that were in use. A later run deletes them. Their expired data is hidden",
  ),
  bytes_returned: int("Bytes returned to the file system"),
  bytes_before: described(
    "Bytes of the tables at the start. For artifacts: bytes of the contents in use",
    Bytes,
  ),
  bytes_after: described("The same at the end", Bytes),
  within_disk_limit: described(
    "True if the disk usage is within the limit. Null without a limit, or if the disk cannot be measured",
    Schema.NullOr(Schema.Boolean),
  ),
  failure: textOrNull("Kind of the failure that ended the run, or null"),
}).pipe(
  named("RetentionRun", {
    id: 5,
    kind: "errors",
    trigger: "nightly",
    state: "succeeded",
    requested_by: null,
    created_at: "2026-01-05T02:00:01.000Z",
    started_at: "2026-01-05T02:00:01.000Z",
    finished_at: "2026-01-05T02:00:09.000Z",
    time_purge_type: "full",
    purged_before: "2025-10-07T02:00:01.000Z",
    reports_purged: 12_500,
    groups_purged: 31,
    artifact_bundles_purged: 0,
    partitions_purged: 3,
    partitions_postponed: 0,
    bytes_returned: 48_234_496,
    bytes_before: 912_261_120,
    bytes_after: 864_026_624,
    within_disk_limit: null,
    failure: null,
  }),
)
export type RetentionRunView = typeof RetentionRunView.Type

export const retentionRunView = (run: RetentionRun): RetentionRunView => ({
  id: run.id,
  kind: run.kind,
  trigger: run.trigger,
  state: run.state,
  requested_by: run.requestedBy,
  created_at: run.createdAt,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
  time_purge_type: run.timePurgeType,
  purged_before: run.before,
  reports_purged: run.removed.reports,
  groups_purged: run.removed.groups,
  artifact_bundles_purged: run.removed.bundles,
  partitions_purged: run.removed.partitions,
  partitions_postponed: run.removed.postponed,
  bytes_returned: run.removed.bytes,
  bytes_before: run.bytesBefore,
  bytes_after: run.bytesAfter,
  within_disk_limit: run.isWithinDiskLimit,
  failure: run.failure,
})
