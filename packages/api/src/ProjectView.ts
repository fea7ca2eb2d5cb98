/** Projects in the API. */
import { activeMute, type Project } from "@errata/core/project"
import { type DateTime, Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"
import { Flag, optional, Text, TimeParam } from "./Params.js"

/** A project, as REST shows it. */
export const ProjectView = Schema.Struct({
  id: described("Id of the project", Schema.Int),
  name: described("Name of the project, unique among projects", Schema.String),
  platform: described("Platform of the applications, e.g. `node`", Schema.String),
  timezone: described("IANA name of the time zone", Schema.String),
  token: described("Key in the project's DSN, with which applications send events", Schema.String),
  groups_count: described("Number of groups", Schema.Int),
  reports_count: described("Number of reports ever recorded, including deleted ones", Schema.Int),
  muted: described("True if new groups are currently muted", Schema.Boolean),
  muted_at: described("Time at which it was muted, or null", Schema.NullOr(Timestamp)),
  muted_until: described("End of the mute. Null without an end", Schema.NullOr(Timestamp)),
  muter_id: described("Id of the user who muted it, or null", Schema.NullOr(Schema.Int)),
  first_report_at: described(
    "Time at which the first report was recorded, or null",
    Schema.NullOr(Timestamp),
  ),
  last_report_at: described(
    "Time at which the latest report was recorded, or null",
    Schema.NullOr(Timestamp),
  ),
  last_contact_at: described(
    "Time of the last call of an application with the project's key, to the minute, or null. Counts calls without an error",
    Schema.NullOr(Timestamp),
  ),
  created_at: described("Time of creation", Timestamp),
  updated_at: described("Time of the last change", Timestamp),
}).pipe(
  named("Project", {
    id: 1,
    name: "Tea shop",
    platform: "node",
    timezone: "Europe/Vienna",
    token: "0123456789abcdef0123456789abcdef",
    groups_count: 12,
    reports_count: 340,
    muted: false,
    muted_at: null,
    muted_until: null,
    muter_id: null,
    first_report_at: "2026-01-02T03:04:06.000Z",
    last_report_at: "2026-01-05T09:30:01.000Z",
    last_contact_at: "2026-01-05T09:41:00.000Z",
    created_at: "2026-01-01T08:00:00.000Z",
    updated_at: "2026-01-05T09:30:00.000Z",
  }),
)
export type ProjectView = typeof ProjectView.Type

/** The input for a new project. `platform` defaults to `other` and `timezone` to `UTC`. */
export const ProjectCreation = Schema.Struct({
  name: described("Name: at most 200 characters, unique among projects", Text),
  platform: described("Platform: 1 to 64 characters. Default: `other`", optional(Text)),
  timezone: described("IANA name of the time zone. Default: `UTC`", optional(Text)),
}).pipe(named("ProjectCreation", { name: "Tea shop", platform: "node", timezone: "Europe/Vienna" }))
export type ProjectCreation = typeof ProjectCreation.Type

/** Changes of a project. */
export const ProjectUpdate = Schema.Struct({
  name: described("New name: at most 200 characters, unique among projects", optional(Text)),
  platform: described("New platform: 1 to 64 characters", optional(Text)),
  timezone: described("New time zone: an IANA name", optional(Text)),
}).pipe(named("ProjectUpdate", { timezone: "Europe/Vienna" }))
export type ProjectUpdate = typeof ProjectUpdate.Type

/** The input for muting a project. An empty body mutes it without end. */
export const ProjectMuting = Schema.Struct({
  snooze_until: described(
    "End of the mute: a date or an ISO 8601 timestamp in the future, or a time span, e.g. 7d. Default: no end",
    optional(TimeParam),
  ),
}).pipe(named("ProjectMuting", { snooze_until: "2030-01-31T00:00:00Z" }))
export type ProjectMuting = typeof ProjectMuting.Type

/** The severities of groups that a project sends notifications about. */
export const NotificationSettings = Schema.Struct({
  error_and_fatal_notifications_only: described(
    "True to notify only about groups of severity error and fatal",
    Flag,
  ),
}).pipe(named("NotificationSettings", { error_and_fatal_notifications_only: true }))
export type NotificationSettings = typeof NotificationSettings.Type

export const notificationSettingsView = (project: Project): NotificationSettings => ({
  error_and_fatal_notifications_only: project.errorAndFatalNotificationsOnly,
})

export const projectView = (project: Project, now: DateTime.Utc): ProjectView => {
  const mute = activeMute(project.mute, now)
  return {
    id: project.id,
    name: project.name,
    platform: project.platform,
    timezone: project.timezone,
    token: project.token,
    groups_count: project.groupsCount,
    reports_count: project.reportsCount,
    muted: mute !== null,
    muted_at: mute?.at ?? null,
    muted_until: mute?.until ?? null,
    muter_id: mute?.by ?? null,
    first_report_at: project.firstReportAt,
    last_report_at: project.lastReportAt,
    last_contact_at: project.lastContactAt,
    created_at: project.createdAt,
    updated_at: project.updatedAt,
  }
}

/** The response to a test event. The event is accepted and will be recorded soon. */
export const TestEventAccepted = Schema.Struct({
  event_id: described("Event id of the report that the event becomes", Schema.String),
}).pipe(named("TestEvent", { event_id: "4c79f60c11214eb38604f4ae0781bfb2" }))
