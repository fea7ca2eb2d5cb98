// biome-ignore-all format: generated
// biome-ignore-all lint/suspicious/noConfusingVoidType: the answer of endpoints without one
// Generated from the contract. To update it: npx vitest run packages/api/test/surface -u
// Types without schemas: type checkers need not read the contract, or anything of Effect.

/** `Activity` of the REST API. */
export interface Activity {
  readonly since: Timestamp
  readonly until: Timestamp
  readonly step: "hour" | "day"
  readonly complete_until: Timestamp
  readonly series: ReadonlyArray<ActivitySeries>
}

/** `ActivitySeries` of the REST API. */
export interface ActivitySeries {
  readonly group_id: number | null
  readonly reports: ReadonlyArray<number>
  readonly new_groups: ReadonlyArray<number> | null
  readonly total: number
}

/** `AlertFilter` of the REST API. */
export interface AlertFilter {
  readonly query: string
  readonly environments: ReadonlyArray<string>
  readonly severities: ReadonlyArray<"fatal" | "error" | "warning" | "info" | "debug">
}

/** `AlertFilterInput` of the REST API. */
export type AlertFilterInput = Partial<AlertFilter>

/** `AlertReceivers` of the REST API. */
export interface AlertReceivers {
  readonly members: boolean
  readonly targets: "all" | ReadonlyArray<number>
}

/** `AlertReceiversInput` of the REST API. */
export type AlertReceiversInput = Partial<AlertReceivers>

/** `AlertRule` of the REST API. */
export interface AlertRule {
  readonly id: number
  readonly project_id: number | null
  readonly name: string
  readonly enabled: boolean
  readonly triggers: ReadonlyArray<AlertTrigger>
  readonly filter: AlertFilter
  readonly receivers: AlertReceivers
  readonly repeat_minutes: number
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `AlertRuleCreation` of the REST API. */
export interface AlertRuleCreation {
  readonly name: string
  readonly triggers: ReadonlyArray<AlertTrigger>
  readonly enabled?: boolean
  readonly filter?: AlertFilterInput
  readonly receivers?: AlertReceiversInput
  readonly repeat_minutes?: number
}

/** `AlertRuleUpdate` of the REST API. */
export type AlertRuleUpdate = Partial<AlertRuleCreation>

/** `AlertRules` of the REST API. */
export interface AlertRules {
  readonly default: boolean
  readonly alert_rules: ReadonlyArray<AlertRule>
}

/** `AlertTrigger` of the REST API. */
export type AlertTrigger = {
  readonly type: "created"
} | {
  readonly type: "reopened"
} | {
  readonly type: "assigned"
} | {
  readonly type: "noted"
} | {
  readonly type: "fatal"
} | {
  readonly type: "users"
  readonly count: number
} | {
  readonly type: "reports"
  readonly count: number
  readonly minutes: number
  readonly of: "group" | "project"
} | {
  readonly type: "rate"
  readonly factor: number
}

/** `App` of the REST API. */
export interface App {
  readonly id: number
  readonly name: string
  readonly project_ids: ReadonlyArray<number>
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `AppCreation` of the REST API. */
export interface AppCreation {
  readonly name: string
  readonly project_ids?: ReadonlyArray<number>
}

/** `AppUpdate` of the REST API. */
export type AppUpdate = Partial<AppCreation>

/** `AppsPage` of the REST API. */
export interface AppsPage extends Page {
  readonly apps: ReadonlyArray<App>
}

/** `ArtifactBundle` of the REST API. */
export interface ArtifactBundle {
  readonly id: number
  readonly project_id: number
  readonly kind: "bundle" | "release_file" | "debug_file"
  readonly state: "ok" | "failed"
  readonly detail: string | null
  readonly checksum: string
  readonly size: number
  readonly files_count: number
  readonly name: string | null
  readonly note: string | null
  readonly links: ReadonlyArray<{
    readonly release: string | null
    readonly dist: string | null
  }>
  readonly uploaded_by: number | null
  readonly created_at: Timestamp
  readonly uploaded_at: Timestamp
  readonly last_used_at: Timestamp | null
}

/** `ArtifactBundleDetail` of the REST API. */
export interface ArtifactBundleDetail extends ArtifactBundle {
  readonly files: ReadonlyArray<{
    readonly type: "source" | "minified_source" | "source_map" | "indexed_ram_bundle"
    readonly url: string | null
    readonly debug_id: string | null
    readonly source_map: string | null
    readonly size: number
  }>
}

/** `ArtifactBundlesPage` of the REST API. */
export interface ArtifactBundlesPage extends Page {
  readonly artifact_bundles: ReadonlyArray<ArtifactBundle>
}

/** `ArtifactRetention` of the REST API. */
export interface ArtifactRetention {
  readonly enabled: boolean
  readonly time_based_enabled: boolean
  readonly retention_period_days: number
  readonly disk_based_enabled: boolean
  readonly disk_limit_type: "absolute" | "percentage"
  readonly disk_limit_value: number
  readonly purge_on_new_release: boolean
  readonly max_releases_kept: number
}

/** `ArtifactRetentionUpdate` of the REST API. */
export type ArtifactRetentionUpdate = Partial<ArtifactRetention>

/** `Assignee` of the REST API. */
export interface Assignee {
  readonly id: number
  readonly name: string
}

/** `AssigneesPage` of the REST API. */
export interface AssigneesPage extends Page {
  readonly assignees: ReadonlyArray<Assignee>
}

/** `Assignment` of the REST API. */
export interface Assignment {
  readonly user_id: number
}

/** `BulkMute` of the REST API. */
export interface BulkMute {
  readonly group_ids: ReadonlyArray<number>
  readonly until_release?: "next"
}

/** `BulkResolve` of the REST API. */
export interface BulkResolve {
  readonly group_ids: ReadonlyArray<number>
  readonly in_release?: string
}

/** `BulkResult` of the REST API. */
export interface BulkResult {
  readonly processed: number
}

/** `CreatedUser` of the REST API. */
export interface CreatedUser extends User {
  readonly sign_in_link: string
  readonly sign_in_link_expires_at: Timestamp
  readonly mailed: boolean
}

/** `CreatedWebhook` of the REST API. */
export interface CreatedWebhook extends Webhook {
  readonly secret: string
}

/** `DeadLetter` of the REST API. */
export interface DeadLetter {
  readonly id: number
  readonly project_id: number
  readonly event_id: string
  readonly reason: string
  readonly bytes: number
  readonly received_at: Timestamp
}

/** `DeadLetterRetry` of the REST API. */
export interface DeadLetterRetry {
  readonly retried: number
}

/** `DeadLettersPage` of the REST API. */
export interface DeadLettersPage extends Page {
  readonly dead_letters: ReadonlyArray<DeadLetter>
}

/** `DefaultAlertRules` of the REST API. */
export interface DefaultAlertRules {
  readonly alert_rules: ReadonlyArray<AlertRule>
}

/** `DeliveriesPage` of the REST API. */
export interface DeliveriesPage extends Page {
  readonly deliveries: ReadonlyArray<Delivery>
}

/** `Delivery` of the REST API. */
export interface Delivery {
  readonly id: number
  readonly webhook_id: number
  readonly event: "group.created" | "group.resolved" | "group.unresolved" | "group.muted" | "group.unmuted" | "group.merged" | "group.assigned" | "webhook.test"
  readonly success: boolean
  readonly status: "pending" | "succeeded" | "failed"
  readonly attempts: number
  readonly response_status: number | null
  readonly error: string | null
  readonly duration_ms: number | null
  readonly request_body: string
  readonly next_attempt_at: Timestamp | null
  readonly created_at: Timestamp
  readonly completed_at: Timestamp | null
}

/** `DryRun` of the REST API. */
export interface DryRun {
  readonly since: Timestamp
  readonly until: Timestamp
  readonly count: number
  readonly partial: boolean
  readonly matches: ReadonlyArray<DryRunMatch>
}

/** `DryRunMatch` of the REST API. */
export interface DryRunMatch {
  readonly at: Timestamp
  readonly trigger: string
  readonly group: {
    readonly id: number
    readonly error_type: string
    readonly error_message: string
    readonly web_url: string | null
  } | null
}

/** `ErrorRetention` of the REST API. */
export interface ErrorRetention {
  readonly enabled: boolean
  readonly time_based_enabled: boolean
  readonly retention_period_days: number
  readonly disk_based_enabled: boolean
  readonly disk_limit_type: "absolute" | "percentage"
  readonly disk_limit_value: number
  readonly time_purge_type: "partial" | "full"
}

/** `ErrorRetentionUpdate` of the REST API. */
export type ErrorRetentionUpdate = Partial<ErrorRetention>

/** `Exception` of the REST API. */
export interface Exception {
  readonly type: string | null
  readonly value: string | null
  readonly module: string | null
  readonly thread_id: string | null
  readonly mechanism: JsonObject | null
  readonly handled: boolean | null
  readonly frames: ReadonlyArray<Frame>
}

/** `Frame` of the REST API. */
export type Frame = { readonly [key: string]: unknown }

/** `Group` of the REST API. */
export interface Group {
  readonly id: number
  readonly project_id: number
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly fingerprint: string
  readonly severity: "fatal" | "error" | "warning" | "info" | "debug"
  readonly occurred_at: Timestamp
  readonly first_occurred_at: Timestamp
  readonly last_occurred_at: Timestamp
  readonly reports_count: number
  readonly users_count: number
  readonly users_count_estimated: boolean
  readonly notes_count: number
  readonly resolved_at: Timestamp | null
  readonly resolver_id: number | null
  readonly resolved_in_release: string | null
  readonly reopened_at: Timestamp | null
  readonly muted_at: Timestamp | null
  readonly muter_id: number | null
  readonly muted_until: Timestamp | null
  readonly muted_until_reports_count: number | null
  readonly muted_until_release: "next" | null
  readonly project_muted_at: Timestamp | null
  readonly project_muted_until: Timestamp | null
  readonly mute_source: "manual" | "project" | "manual_and_project" | null
  readonly resolved: boolean
  readonly muted: boolean
  readonly assignee_id: number | null
  readonly issue_url: string | null
  readonly web_url: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  readonly last_environment?: string
  readonly last_release_version?: string
}

/** `GroupDetail` of the REST API. */
export interface GroupDetail {
  readonly id: number
  readonly project_id: number
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly fingerprint: string
  readonly severity: "fatal" | "error" | "warning" | "info" | "debug"
  readonly occurred_at: Timestamp
  readonly first_occurred_at: Timestamp
  readonly last_occurred_at: Timestamp
  readonly reports_count: number
  readonly users_count: number
  readonly users_count_estimated: boolean
  readonly notes_count: number
  readonly resolved_at: Timestamp | null
  readonly resolver_id: number | null
  readonly resolved_in_release: string | null
  readonly reopened_at: Timestamp | null
  readonly muted_at: Timestamp | null
  readonly muter_id: number | null
  readonly muted_until: Timestamp | null
  readonly muted_until_reports_count: number | null
  readonly muted_until_release: "next" | null
  readonly project_muted_at: Timestamp | null
  readonly project_muted_until: Timestamp | null
  readonly mute_source: "manual" | "project" | "manual_and_project" | null
  readonly resolved: boolean
  readonly muted: boolean
  readonly assignee_id: number | null
  readonly issue_url: string | null
  readonly web_url: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
  readonly grouping: {
    readonly algorithm: "v1" | "v2"
    readonly compatible_with: ReadonlyArray<string>
    readonly data: {
      readonly method: "exception"
      readonly type: string
      readonly value: string
    } | {
      readonly method: "backtrace"
      readonly frames: ReadonlyArray<string>
    } | {
      readonly method: "message"
      readonly message: string
    } | {
      readonly method: "custom"
      readonly fingerprint: ReadonlyArray<string>
    } | {
      readonly method: "ungroupable"
    }
  }
}

/** `GroupIds` of the REST API. */
export interface GroupIds {
  readonly group_ids: ReadonlyArray<number>
}

/** `GroupMute` of the REST API. */
export interface GroupMute {
  readonly occurrences?: number
  readonly snooze_until?: string
  readonly until_release?: "next"
}

/** `GroupResolve` of the REST API. */
export interface GroupResolve {
  readonly in_release?: string
}

/** `GroupTags` of the REST API. */
export interface GroupTags {
  readonly tags: ReadonlyArray<TagDistribution>
}

/** `GroupsCount` of the REST API. */
export interface GroupsCount {
  readonly count: number
  readonly capped: boolean
}

/** `GroupsPage` of the REST API. */
export interface GroupsPage extends Page {
  readonly groups: ReadonlyArray<Group>
  readonly hints?: ReadonlyArray<SearchHint>
}

/** `Health` of the REST API. */
export interface Health {
  readonly ready: boolean
  readonly checks: ReadonlyArray<{
    readonly name: string
    readonly ok: boolean
    readonly code: string | null
  }>
  readonly warnings: ReadonlyArray<{
    readonly code: string
  }>
  readonly queue: {
    readonly payloads: number
    readonly bytes: number
    readonly oldest_waiting_seconds: number | null
    readonly recorded_per_minute: number | null
  } | null
  readonly jobs: ReadonlyArray<{
    readonly name: string
    readonly node: string
    readonly heartbeat_at: Timestamp
    readonly succeeded_at: Timestamp | null
    readonly failed_at: Timestamp | null
    readonly failure: string | null
  }>
  readonly mail: { readonly set_up: boolean; readonly failed_at: Timestamp | null }
  readonly database_bytes: number | null
}

/** `HostedSourcemapOrigin` of the REST API. */
export interface HostedSourcemapOrigin {
  readonly id: number
  readonly origin: string
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `HostedSourcemapOriginCreation` of the REST API. */
export interface HostedSourcemapOriginCreation {
  readonly origin: string
}

/** `HostedSourcemapOriginsPage` of the REST API. */
export interface HostedSourcemapOriginsPage extends Page {
  readonly hosted_sourcemap_origins: ReadonlyArray<HostedSourcemapOrigin>
}

/** `HostedSourcemaps` of the REST API. */
export interface HostedSourcemaps {
  readonly enabled: boolean
}

/** `HostedSourcemapsUpdate` of the REST API. */
export type HostedSourcemapsUpdate = Partial<HostedSourcemaps>

/** `IngestProtection` of the REST API. */
export interface IngestProtection {
  readonly enabled: boolean
  readonly global_rate_limit_per_minute: number
  readonly backlog_protection_enabled: boolean
  readonly max_pending_ingest_payloads: number
  readonly disk_protection_enabled: boolean
  readonly minimum_free_disk_space_mb: number
  readonly pending_ingest_bytes: number
  readonly max_pending_ingest_bytes: number
  readonly recent_rejections: number
  readonly recent_rejections_by_disk: number
  readonly recent_rejections_by_queue: number
  readonly recent_rejections_by_rate: number
  readonly recent_truncations: number
}

/** `IngestProtectionUpdate` of the REST API. */
export interface IngestProtectionUpdate {
  readonly enabled?: boolean
  readonly global_rate_limit_per_minute?: number
  readonly backlog_protection_enabled?: boolean
  readonly max_pending_ingest_payloads?: number
  readonly disk_protection_enabled?: boolean
  readonly minimum_free_disk_space_mb?: number
}

/** `IssueLink` of the REST API. */
export interface IssueLink {
  readonly url: string
}

/** `JsonObject` of the REST API. */
export type JsonObject = { readonly [key: string]: unknown }

/** `MailSettings` of the REST API. */
export interface MailSettings {
  readonly mode: "everything" | "new_and_reopened" | "assigned" | "nothing"
  readonly digest: "never" | "daily" | "weekly"
  readonly mail: boolean
}

/** `MailSettingsUpdate` of the REST API. */
export interface MailSettingsUpdate {
  readonly mode?: "everything" | "new_and_reopened" | "assigned" | "nothing"
  readonly digest?: "never" | "daily" | "weekly"
}

/** `Me` of the REST API. */
export interface Me {
  readonly user: {
    readonly id: number
    readonly name: string
    readonly email_address: string
    readonly admin: boolean
  } | null
  readonly instance: { readonly version: string; readonly base_url: string | null; readonly service_name: string }
  readonly can: ReadonlyArray<string>
}

/** `MemberAddition` of the REST API. */
export interface MemberAddition {
  readonly user_id: number
}

/** `Merge` of the REST API. */
export interface Merge {
  readonly id: number
  readonly source_id: number
  readonly source_error_type: string
  readonly source_error_message: string
  readonly source_culprit: string
  readonly target_id: number
  readonly merged_at: Timestamp
  readonly merged_by: number | null
}

/** `MergeResult` of the REST API. */
export interface MergeResult {
  readonly processed: number
  readonly merged_into_id: number
  readonly muted_until_reports_count?: number
}

/** `MergesPage` of the REST API. */
export interface MergesPage extends Page {
  readonly merges: ReadonlyArray<Merge>
}

/** `NewestReleases` of the REST API. */
export interface NewestReleases {
  readonly releases: ReadonlyArray<ReleaseAppearance>
}

/** `Note` of the REST API. */
export interface Note {
  readonly id: number
  readonly group_id: number
  readonly content: string
  readonly automated: boolean
  readonly user: {
    readonly id: number
    readonly name: string
    readonly email_address: string
  } | null
  readonly created_at: Timestamp
}

/** `NoteCreation` of the REST API. */
export interface NoteCreation {
  readonly content: string
}

/** `NotesPage` of the REST API. */
export interface NotesPage extends Page {
  readonly notes: ReadonlyArray<Note>
}

/** `Notification` of the REST API. */
export interface Notification {
  readonly id: number
  readonly project_id: number
  readonly target_id: number
  readonly target_kind: string
  readonly target_name: string
  readonly rule_id: number | null
  readonly rule_name: string | null
  readonly group_id: number | null
  readonly event: "notification.alert" | "notification.over" | "notification.summary" | "notification.digest" | "notification.test" | "notification.target_disabled"
  readonly status: "pending" | "succeeded" | "failed" | "throttled"
  readonly throttle: "repeat" | "limit" | "quiet_hours" | null
  readonly user_id: number | null
  readonly recipient: string | null
  readonly attempts: number
  readonly response_status: number | null
  readonly error: string | null
  readonly duration_ms: number | null
  readonly reason: string
  readonly title: string | null
  readonly next_attempt_at: Timestamp | null
  readonly created_at: Timestamp
  readonly completed_at: Timestamp | null
}

/** `NotificationKind` of the REST API. */
export interface NotificationKind {
  readonly kind: string
  readonly label: string
  readonly fields: ReadonlyArray<TargetField>
  readonly requires_base_url: boolean
}

/** `NotificationKinds` of the REST API. */
export interface NotificationKinds {
  readonly kinds: ReadonlyArray<NotificationKind>
  readonly mail: boolean
}

/** `NotificationSettings` of the REST API. */
export interface NotificationSettings {
  readonly error_and_fatal_notifications_only: boolean
}

/** `NotificationsPage` of the REST API. */
export interface NotificationsPage extends Page {
  readonly notifications: ReadonlyArray<Notification>
}

/** `OwnGroupsPage` of the REST API. */
export interface OwnGroupsPage extends GroupsPage {
  readonly skipped_project_ids?: ReadonlyArray<number>
}

/** `Page` of the REST API. */
export interface Page {
  readonly next_cursor: number | null
  readonly has_more: boolean
}

/** `PausedAddress` of the REST API. */
export interface PausedAddress {
  readonly address: string
  readonly detail: string
  readonly paused_at: Timestamp
}

/** `PausedAddresses` of the REST API. */
export interface PausedAddresses {
  readonly addresses: ReadonlyArray<PausedAddress>
  readonly next: string | null
}

/** `People` of the REST API. */
export interface People {
  readonly people: ReadonlyArray<Assignee>
}

/** `Project` of the REST API. */
export interface Project {
  readonly id: number
  readonly name: string
  readonly platform: string
  readonly timezone: string
  readonly token: string
  readonly groups_count: number
  readonly reports_count: number
  readonly muted: boolean
  readonly muted_at: Timestamp | null
  readonly muted_until: Timestamp | null
  readonly muter_id: number | null
  readonly first_report_at: Timestamp | null
  readonly last_report_at: Timestamp | null
  readonly last_contact_at: Timestamp | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `ProjectAccess` of the REST API. */
export interface ProjectAccess {
  readonly can: ReadonlyArray<string>
}

/** `ProjectCreation` of the REST API. */
export interface ProjectCreation {
  readonly name: string
  readonly platform?: string
  readonly timezone?: string
}

/** `ProjectMuting` of the REST API. */
export interface ProjectMuting {
  readonly snooze_until?: string
}

/** `ProjectTags` of the REST API. */
export interface ProjectTags {
  readonly tags: ReadonlyArray<{
    readonly key: string
  }>
}

/** `ProjectUpdate` of the REST API. */
export type ProjectUpdate = Partial<ProjectCreation>

/** `ProjectsPage` of the REST API. */
export interface ProjectsPage extends Page {
  readonly projects: ReadonlyArray<Project>
}

/** `QuietHours` of the REST API. */
export interface QuietHours {
  readonly from: string
  readonly to: string
  readonly timezone: string
}

/** `Release` of the REST API. */
export interface Release {
  readonly id: number
  readonly project_id: number
  readonly version: string
  readonly status: "open" | "archived"
  readonly ref: string | null
  readonly url: string | null
  readonly reports_count: number
  readonly groups_count: number
  readonly new_groups_count: number
  readonly first_seen_at: Timestamp | null
  readonly last_seen_at: Timestamp | null
  readonly started_at: Timestamp | null
  readonly released_at: Timestamp | null
  readonly commits_count: number
  readonly last_commit: string | null
  readonly deploys_count: number
  readonly last_deployed_at: Timestamp | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `ReleaseAppearance` of the REST API. */
export interface ReleaseAppearance {
  readonly id: number
  readonly version: string
  readonly appeared_at: Timestamp
}

/** `ReleasesPage` of the REST API. */
export interface ReleasesPage extends Page {
  readonly releases: ReadonlyArray<Release>
}

/** `Report` of the REST API. */
export interface Report {
  readonly id: number
  readonly group_id: number
  readonly project_id: number
  readonly event_id: string | null
  readonly error_type: string
  readonly error_message: string
  readonly culprit: string
  readonly occurred_at: Timestamp
  readonly platform: string
  readonly severity: "fatal" | "error" | "warning" | "info" | "debug"
  readonly handled: boolean
  readonly server_name: string
  readonly environment: string
  readonly release_version: string
  readonly sourcemap_status: "unprocessed" | "queued" | "fetching" | "resolved" | "not_found" | "failed" | "blocked"
  readonly sourcemap_failure_code: string | null
  readonly sourcemap_attempted_at: Timestamp | null
  readonly web_url: string | null
  readonly created_at: Timestamp
  readonly tags: ReadonlyArray<{
    readonly key: string
    readonly value: string
  }>
}

/** `ReportDetail` of the REST API. */
export interface ReportDetail extends Report {
  readonly updated_at: Timestamp
  readonly custom_fingerprint: ReadonlyArray<string> | null
  readonly transaction: string
  readonly transaction_source: string | null
  readonly logger: string
  readonly dist: string
  readonly contexts: ReadonlyArray<{
    readonly name: string
    readonly data: JsonObject
  }>
  readonly user: {
    readonly user_id: string
    readonly username: string
    readonly email: string
    readonly ip_address: string
    readonly geo_city: string
    readonly geo_region: string
    readonly geo_country_code: string
    readonly data: JsonObject
  }
  readonly request: {
    readonly url: string
    readonly method: string
    readonly query_string: string
    readonly data: JsonObject
    readonly cookies: JsonObject
    readonly headers: JsonObject
    readonly env: JsonObject
  }
  readonly sdk: { readonly name: string; readonly version: string }
  readonly extras: ReadonlyArray<{
    readonly key: string
    readonly value: unknown
  }>
  readonly dependencies: ReadonlyArray<{
    readonly name: string
    readonly version: string
  }>
  readonly release: {
    readonly id: number
    readonly version: string
  } | null
  readonly exceptions: ReadonlyArray<Exception>
  readonly threads: ReadonlyArray<JsonObject>
  readonly breadcrumbs: ReadonlyArray<JsonObject>
  readonly debug_images: ReadonlyArray<JsonObject>
  readonly logentry: JsonObject | null
  readonly security_report: JsonObject | null
  readonly attachments: ReadonlyArray<{
    readonly id: number
    readonly filename: string
    readonly content_type: string
    readonly type: string
    readonly size: number
  }>
  readonly ingest_truncations: ReadonlyArray<string>
  readonly details_purged: boolean
  readonly details_unreadable: "missing" | "damaged" | "unreachable" | "no_store" | null
  readonly navigation?: ReportNavigation
}

/** `ReportNavigation` of the REST API. */
export interface ReportNavigation {
  readonly first_id: number | null
  readonly previous_id: number | null
  readonly next_id: number | null
  readonly last_id: number | null
}

/** `ReportsPage` of the REST API. */
export interface ReportsPage extends Page {
  readonly reports: ReadonlyArray<Report>
}

/** `RetentionRun` of the REST API. */
export interface RetentionRun {
  readonly id: number
  readonly kind: "errors" | "artifacts"
  readonly trigger: "nightly" | "requested" | "retry"
  readonly state: "waiting" | "running" | "succeeded" | "failed"
  readonly requested_by: number | null
  readonly created_at: Timestamp
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
  readonly time_purge_type: "partial" | "full" | null
  readonly purged_before: Timestamp | null
  readonly reports_purged: number
  readonly groups_purged: number
  readonly artifact_bundles_purged: number
  readonly partitions_purged: number
  readonly partitions_postponed: number
  readonly bytes_returned: number
  readonly bytes_before: number | null
  readonly bytes_after: number | null
  readonly within_disk_limit: boolean | null
  readonly failure: string | null
}

/** `RunsPage` of the REST API. */
export interface RunsPage extends Page {
  readonly runs: ReadonlyArray<RetentionRun>
}

/** `SearchHint` of the REST API. */
export interface SearchHint {
  readonly token: string
  readonly did_you_mean: string | null
}

/** `SignInLink` of the REST API. */
export interface SignInLink {
  readonly sign_in_link: string
  readonly sign_in_link_expires_at: Timestamp
  readonly mailed: boolean
}

/** `SourcemapRetryResolved` of the REST API. */
export interface SourcemapRetryResolved {
  readonly result: "resolved"
  readonly report_id: number
  readonly sourcemap_status: "unprocessed" | "queued" | "fetching" | "resolved" | "not_found" | "failed" | "blocked"
  readonly sourcemap_failure_code: string | null
  readonly sourcemap_attempted_at: Timestamp | null
}

/** `TagCompletion` of the REST API. */
export interface TagCompletion {
  readonly values: ReadonlyArray<string>
}

/** `TagDistribution` of the REST API. */
export interface TagDistribution {
  readonly key: string
  readonly reports_count: number
  readonly values_count: number
  readonly values_count_capped: boolean
  readonly values: ReadonlyArray<TagValue>
}

/** `TagValue` of the REST API. */
export interface TagValue {
  readonly value: string
  readonly reports_count: number
}

/** `TagValuesPage` of the REST API. */
export interface TagValuesPage extends Page {
  readonly values: ReadonlyArray<TagValue>
}

/** `Target` of the REST API. */
export interface Target {
  readonly id: number
  readonly project_id: number
  readonly kind: string
  readonly name: string
  readonly enabled: boolean
  readonly address: { readonly [key: string]: string }
  readonly secret_fields: ReadonlyArray<string>
  readonly quiet_hours: QuietHours | null
  readonly failing_since: Timestamp | null
  readonly disabled_reason: string | null
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `TargetCreation` of the REST API. */
export interface TargetCreation {
  readonly kind: string
  readonly name: string
  readonly address: { readonly [key: string]: string }
  readonly enabled?: boolean
  readonly quiet_hours?: QuietHours | null
}

/** `TargetField` of the REST API. */
export interface TargetField {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly secret: boolean
  readonly required: boolean
  readonly placeholder: string
}

/** `TargetUpdate` of the REST API. */
export interface TargetUpdate {
  readonly name?: string
  readonly address?: { readonly [key: string]: string }
  readonly enabled?: boolean
  readonly quiet_hours?: QuietHours | null
}

/** `Targets` of the REST API. */
export interface Targets {
  readonly targets: ReadonlyArray<Target>
}

/** `TestedNotifications` of the REST API. */
export interface TestedNotifications {
  readonly notifications: ReadonlyArray<Notification>
}

/** `Timestamp` of the REST API. */
export type Timestamp = string

/** `User` of the REST API. */
export interface User {
  readonly id: number
  readonly name: string
  readonly email_address: string
  readonly role: "admin" | "member"
  readonly active: boolean
  readonly project_ids: ReadonlyArray<number>
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `UserCreation` of the REST API. */
export interface UserCreation {
  readonly email_address: string
  readonly name?: string
  readonly role?: "admin" | "member"
}

/** `UserUpdate` of the REST API. */
export interface UserUpdate {
  readonly role: "admin" | "member"
}

/** `UsersPage` of the REST API. */
export interface UsersPage extends Page {
  readonly users: ReadonlyArray<User>
}

/** `Webhook` of the REST API. */
export interface Webhook {
  readonly id: number
  readonly project_id: number
  readonly url: string
  readonly events: ReadonlyArray<"group.created" | "group.resolved" | "group.unresolved" | "group.muted" | "group.unmuted" | "group.merged" | "group.assigned" | "webhook.test">
  readonly enabled: boolean
  readonly created_at: Timestamp
  readonly updated_at: Timestamp
}

/** `WebhookCreation` of the REST API. */
export interface WebhookCreation {
  readonly url: string
  readonly events: ReadonlyArray<"group.created" | "group.resolved" | "group.unresolved" | "group.muted" | "group.unmuted" | "group.merged" | "group.assigned" | "webhook.test">
  readonly enabled?: boolean
}

/** `WebhookUpdate` of the REST API. */
export type WebhookUpdate = Partial<WebhookCreation>

/** `WebhooksPage` of the REST API. */
export interface WebhooksPage extends Page {
  readonly webhooks: ReadonlyArray<Webhook>
}

/** The answer of every endpoint. */
export interface Answers {
  readonly me: {
    readonly get: Me
  }
  readonly projects: {
    readonly list: ProjectsPage
    readonly create: Project
    readonly get: Project
    readonly update: Project
    readonly remove: void
    readonly access: ProjectAccess
    readonly rotateToken: Project
    readonly mute: void
    readonly unmute: void
    readonly sendTestEvent: { readonly event_id: string }
    readonly getNotificationSettings: NotificationSettings
    readonly updateNotificationSettings: NotificationSettings
  }
  readonly groups: {
    readonly list: GroupsPage
    readonly listAll: OwnGroupsPage
    readonly count: GroupsCount
    readonly get: GroupDetail
    readonly remove: void
    readonly resolve: void
    readonly unresolve: void
    readonly mute: void
    readonly unmute: void
    readonly bulkResolve: BulkResult
    readonly bulkUnresolve: BulkResult
    readonly bulkMute: BulkResult
    readonly bulkUnmute: BulkResult
    readonly bulkMerge: MergeResult
    readonly assign: void
    readonly unassign: void
    readonly linkIssue: void
    readonly unlinkIssue: void
  }
  readonly activity: {
    readonly get: Activity
  }
  readonly merges: {
    readonly list: MergesPage
    readonly undo: void
  }
  readonly tags: {
    readonly ofGroup: GroupTags
    readonly valuesOfGroup: TagValuesPage
    readonly keys: ProjectTags
    readonly values: TagCompletion
  }
  readonly releases: {
    readonly list: ReleasesPage
    readonly newest: NewestReleases
    readonly get: Release
  }
  readonly artifacts: {
    readonly list: ArtifactBundlesPage
    readonly get: ArtifactBundleDetail
    readonly remove: void
  }
  readonly reports: {
    readonly list: ReportsPage
    readonly get: ReportDetail
    readonly latest: ReportDetail
    readonly getAttachment: Uint8Array
    readonly retrySourcemaps: SourcemapRetryResolved | {
      readonly result: "queued" | "in_progress"
      readonly report_id: number
      readonly sourcemap_status: "unprocessed" | "queued" | "fetching" | "resolved" | "not_found" | "failed" | "blocked"
      readonly sourcemap_failure_code: string | null
      readonly sourcemap_attempted_at: Timestamp | null
    }
    readonly findByEventId: ReportDetail
    readonly findAnywhere: ReportDetail
  }
  readonly notes: {
    readonly list: NotesPage
    readonly create: Note
    readonly remove: void
  }
  readonly assignees: {
    readonly list: AssigneesPage
  }
  readonly people: {
    readonly all: People
  }
  readonly members: {
    readonly list: UsersPage
    readonly add: void
    readonly remove: void
  }
  readonly sourcemapOrigins: {
    readonly list: HostedSourcemapOriginsPage
    readonly create: HostedSourcemapOrigin
    readonly remove: void
  }
  readonly webhooks: {
    readonly list: WebhooksPage
    readonly create: CreatedWebhook
    readonly get: Webhook
    readonly update: Webhook
    readonly remove: void
    readonly test: Delivery
  }
  readonly deliveries: {
    readonly list: DeliveriesPage
    readonly get: Delivery
    readonly resend: Delivery
  }
  readonly targets: {
    readonly kinds: NotificationKinds
    readonly all: Targets
    readonly create: Target
    readonly get: Target
    readonly update: Target
    readonly remove: void
    readonly test: TestedNotifications
  }
  readonly alertRules: {
    readonly all: AlertRules
    readonly create: AlertRule
    readonly get: AlertRule
    readonly update: AlertRule
    readonly remove: void
    readonly dryRun: DryRun
  }
  readonly defaultAlertRules: {
    readonly all: DefaultAlertRules
    readonly create: AlertRule
    readonly get: AlertRule
    readonly update: AlertRule
    readonly remove: void
  }
  readonly notifications: {
    readonly list: NotificationsPage
  }
  readonly mailSettings: {
    readonly get: MailSettings
    readonly update: MailSettings
  }
  readonly pausedAddresses: {
    readonly page: PausedAddresses
    readonly resume: void
  }
  readonly apps: {
    readonly list: AppsPage
    readonly create: App
    readonly get: App
    readonly update: App
    readonly remove: void
  }
  readonly users: {
    readonly list: UsersPage
    readonly create: CreatedUser
    readonly createSignInLink: SignInLink
    readonly rotateApiKey: { readonly api_key: string }
    readonly get: User
    readonly update: User
    readonly deactivate: void
  }
  readonly policies: {
    readonly getIngestProtection: IngestProtection
    readonly updateIngestProtection: IngestProtection
    readonly getErrorRetention: ErrorRetention
    readonly updateErrorRetention: ErrorRetention
    readonly getArtifactRetention: ArtifactRetention
    readonly updateArtifactRetention: ArtifactRetention
    readonly getHostedSourcemaps: HostedSourcemaps
    readonly updateHostedSourcemaps: HostedSourcemaps
  }
  readonly retention: {
    readonly list: RunsPage
    readonly run: RetentionRun
    readonly get: RetentionRun
  }
  readonly deadLetters: {
    readonly list: DeadLettersPage
    readonly retryAll: DeadLetterRetry
    readonly retry: void
    readonly discard: void
  }
  readonly health: {
    readonly details: Health
  }
}

/** The queries of the endpoints that have one. */
export interface Queries {
  readonly projects: {
    readonly list: { readonly name?: string; readonly limit?: number; readonly cursor?: number }
  }
  readonly groups: {
    readonly list: {
      readonly query?: string
      readonly status?: "unresolved" | "resolved" | "muted" | "unmuted" | "all"
      readonly resolved?: "true" | "false" | "resolved" | "unresolved" | "1" | "0"
      readonly since?: string
      readonly until?: string
      readonly sort?: "newest" | "last_seen" | "reports_count" | "users_count"
      readonly include?: "last_report"
      readonly limit?: number
      readonly cursor?: number
    }
    readonly listAll: {
      readonly query?: string
      readonly status?: "unresolved" | "resolved" | "muted" | "unmuted" | "all"
      readonly resolved?: "true" | "false" | "resolved" | "unresolved" | "1" | "0"
      readonly since?: string
      readonly until?: string
      readonly sort?: "newest" | "last_seen" | "reports_count" | "users_count"
      readonly include?: "last_report"
      readonly limit?: number
      readonly cursor?: number
      readonly project_ids?: ReadonlyArray<number>
    }
    readonly count: {
      readonly query?: string
      readonly status?: "unresolved" | "resolved" | "muted" | "unmuted" | "all"
      readonly resolved?: "true" | "false" | "resolved" | "unresolved" | "1" | "0"
      readonly since?: string
      readonly until?: string
    }
  }
  readonly activity: {
    readonly get: {
      readonly since?: string
      readonly until?: string
      readonly step?: "hour" | "day"
      readonly group_ids?: ReadonlyArray<number>
    }
  }
  readonly merges: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly tags: {
    readonly valuesOfGroup: { readonly limit?: number; readonly cursor?: number }
    readonly values: { readonly prefix?: string; readonly limit?: number }
  }
  readonly releases: {
    readonly list: { readonly version?: string; readonly limit?: number; readonly cursor?: number }
  }
  readonly artifacts: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly reports: {
    readonly list: {
      readonly since?: string
      readonly until?: string
      readonly limit?: number
      readonly cursor?: number
    }
    readonly get: { readonly frames?: "resolved" | "raw"; readonly include?: "navigation" }
    readonly latest: { readonly frames?: "resolved" | "raw"; readonly include?: "navigation" }
    readonly findByEventId: { readonly frames?: "resolved" | "raw"; readonly include?: "navigation" }
    readonly findAnywhere: { readonly frames?: "resolved" | "raw"; readonly include?: "navigation" }
  }
  readonly notes: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly assignees: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly members: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly sourcemapOrigins: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly webhooks: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly deliveries: {
    readonly list: {
      readonly event?: "group.created" | "group.resolved" | "group.unresolved" | "group.muted" | "group.unmuted" | "group.merged" | "group.assigned" | "webhook.test"
      readonly success?: boolean
      readonly limit?: number
      readonly cursor?: number
    }
  }
  readonly notifications: {
    readonly list: {
      readonly target_id?: number
      readonly rule_id?: number
      readonly group_id?: number
      readonly status?: "pending" | "succeeded" | "failed" | "throttled"
      readonly limit?: number
      readonly cursor?: number
    }
  }
  readonly pausedAddresses: {
    readonly page: { readonly after?: string; readonly limit?: number }
  }
  readonly apps: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly users: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
  readonly retention: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
    readonly run: { readonly kind?: "errors" | "artifacts" }
  }
  readonly deadLetters: {
    readonly list: { readonly limit?: number; readonly cursor?: number }
  }
}

/** The bodies of the endpoints that have one. */
export interface Bodies {
  readonly projects: {
    readonly create: ProjectCreation
    readonly update: ProjectUpdate
    readonly mute: ProjectMuting
    readonly updateNotificationSettings: NotificationSettings
  }
  readonly groups: {
    readonly resolve: GroupResolve
    readonly mute: GroupMute
    readonly bulkResolve: BulkResolve
    readonly bulkUnresolve: GroupIds
    readonly bulkMute: BulkMute
    readonly bulkUnmute: GroupIds
    readonly bulkMerge: GroupIds
    readonly assign: Assignment
    readonly linkIssue: IssueLink
  }
  readonly notes: {
    readonly create: NoteCreation
  }
  readonly members: {
    readonly add: MemberAddition
  }
  readonly sourcemapOrigins: {
    readonly create: HostedSourcemapOriginCreation
  }
  readonly webhooks: {
    readonly create: WebhookCreation
    readonly update: WebhookUpdate
  }
  readonly targets: {
    readonly create: TargetCreation
    readonly update: TargetUpdate
  }
  readonly alertRules: {
    readonly create: AlertRuleCreation
    readonly update: AlertRuleUpdate
    readonly dryRun: AlertRuleCreation
  }
  readonly defaultAlertRules: {
    readonly create: AlertRuleCreation
    readonly update: AlertRuleUpdate
  }
  readonly mailSettings: {
    readonly update: MailSettingsUpdate
  }
  readonly apps: {
    readonly create: AppCreation
    readonly update: AppUpdate
  }
  readonly users: {
    readonly create: UserCreation
    readonly update: UserUpdate
  }
  readonly policies: {
    readonly updateIngestProtection: IngestProtectionUpdate
    readonly updateErrorRetention: ErrorRetentionUpdate
    readonly updateArtifactRetention: ArtifactRetentionUpdate
    readonly updateHostedSourcemaps: HostedSourcemapsUpdate
  }
}
