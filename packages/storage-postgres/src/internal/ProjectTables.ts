/** Which tables have rows of projects. */

/** All but `archives`, in the order of their removal: deliveries before their targets, so that no statement removes more than its limit. */
export const tables = [
  "attachments",
  "report_frames",
  "sourcemap_queue",
  "report_events",
  "reports",
  "notes",
  "group_tags",
  "tag_keys",
  "grouping_keys",
  "group_twins",
  "group_merges",
  "group_parts",
  "discarded_groups",
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

/** Small ones among them that all buckets share: rows of people, and rows that are of all projects. */
const shared: ReadonlySet<string> = new Set(["alert_rules", "memberships"])

/** The tables that each bucket has of its own; see Buckets.ts. */
export const ofBuckets: ReadonlyArray<string> = [
  ...tables.filter((table) => !shared.has(table)),
  "archives",
  "uncounted",
  "retention_marks",
]
