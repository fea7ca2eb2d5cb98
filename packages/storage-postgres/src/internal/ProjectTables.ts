/** The tables with rows of projects. */

/** All but `archives`, in the order of removal: deliveries before targets, so that no statement removes more than its limit. */
export const tables = [
  "attachments",
  "report_frames",
  "sourcemap_queue",
  "report_events",
  "event_packs",
  "event_generations",
  "reports",
  "notes",
  "group_tags",
  "tag_keys",
  "grouping_keys",
  "group_twins",
  "group_merges",
  "group_parts",
  "discarded_groups",
  "discarded_keys",
  "group_events",
  "consumer_events",
  "group_evidence",
  "groups",
  "group_users",
  "group_user_bounds",
  "activity_minutes",
  "activity_hours",
  "release_commits",
  "release_deploys",
  "releases",
  "discarded_events",
  "project_counts",
  "project_contacts",
  "deliveries",
  "targets",
  "alert_states",
  "alert_rules",
  "notification_windows",
  "member_mail",
  "sourcemap_origins",
  "hosted_maps",
  "artifact_files",
  "artifact_file_ids",
  "artifact_links",
  "artifact_bundles",
  "memberships",
  "dead_letters",
  "pending_batches",
  "segments",
  "archive_removals",
] as const

/** Small tables that all buckets share: rows of users, and rows for all projects. */
const shared: ReadonlySet<string> = new Set(["alert_rules", "memberships"])

/** The tables of each bucket. See Buckets.ts. */
export const ofBuckets: ReadonlyArray<string> = [
  ...tables.filter((table) => !shared.has(table)),
  "archives",
  "uncounted",
  "retention_marks",
  "tag_removals",
]
