/** A run of retention as the API shows it. */
import type { RetentionRun } from "@errata/core"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { oneOf } from "./Params.js"

export const RetentionKind = oneOf("errors", "artifacts")

const Bytes = Schema.NullOr(Schema.Int)

export const RetentionRunView = Schema.Struct({
  id: described("The run's id", Schema.Int),
  kind: described("What it removes", RetentionKind),
  trigger: described(
    "Why it was done: `nightly`, because somebody `requested` it, or as a `retry` of one that found something in use",
    Schema.Literal("nightly", "requested", "retry"),
  ),
  state: described("How far it is", Schema.Literal("waiting", "running", "succeeded", "failed")),
  requested_by: described(
    "The id of the user who asked for it; null where no user did",
    Schema.NullOr(Schema.Int),
  ),
  created_at: described("When it was asked for, or due", Timestamp),
  started_at: described("When it began; null while it waits", Schema.NullOr(Timestamp)),
  finished_at: described("When it ended; null until then", Schema.NullOr(Timestamp)),
  time_purge_type: described(
    "What it removes of what is too old, by the policy of then; null where age does not decide",
    Schema.NullOr(Schema.Literal("partial", "full")),
  ),
  purged_before: described(
    "What came in before is too old; null where age does not decide",
    Schema.NullOr(Timestamp),
  ),
  reports_purged: described("How many reports it has removed", Schema.Int),
  groups_purged: described("How many groups, that were left without a report", Schema.Int),
  artifact_bundles_purged: described("How many uploads of artifacts, with their files", Schema.Int),
  partitions_purged: described("How many partitions of the database, each removed as a whole", Schema.Int),
  partitions_postponed: described(
    "How many partitions were in use and are removed by a later run; nothing in them is shown any more that is not to be",
    Schema.Int,
  ),
  bytes_returned: described("What was given back to the file system, with the partitions", Schema.Int),
  bytes_before: described(
    "What Errata's tables took when it began; of a run for artifacts, the contents that are needed",
    Bytes,
  ),
  bytes_after: described("What they took at its end", Bytes),
  within_disk_limit: described(
    "Whether the use of the disk is within the limit; null where there is none, or it cannot be measured",
    Schema.NullOr(Schema.Boolean),
  ),
  failure: described("Which kind of failure ended it; null where none did", Schema.NullOr(Schema.String)),
}).annotations({
  identifier: "RetentionRun",
  examples: [
    {
      id: 5,
      kind: "errors",
      trigger: "nightly",
      state: "succeeded",
      requested_by: null,
      created_at: at("2026-01-05T02:00:01.000Z"),
      started_at: at("2026-01-05T02:00:01.000Z"),
      finished_at: at("2026-01-05T02:00:09.000Z"),
      time_purge_type: "full",
      purged_before: at("2025-10-07T02:00:01.000Z"),
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
    },
  ],
})
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
