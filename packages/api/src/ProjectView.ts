/** Projects in the API. */
import { activeMute, type Project } from "@errata/core/project"
import { type DateTime, Schema, Struct } from "effect"
import { flag, int, intOrNull, text, time, timeOrNull, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { Flag, optional, Text, TimeParam } from "./Params.js"

/** A project, as REST shows it. */
export const ProjectView = Schema.Struct({
  id: int("Id of the project"),
  name: text("Name of the project, unique among projects"),
  platform: text("Platform of the applications, e.g. `node`"),
  timezone: text("IANA name of the time zone"),
  token: text("Key in the project's DSN, with which applications send events"),
  groups_count: int("Number of groups"),
  reports_count: int("Number of reports ever recorded, including deleted ones"),
  muted: flag("True if new groups are currently muted"),
  muted_at: timeOrNull("Time at which it was muted, or null"),
  muted_until: timeOrNull("End of the mute. Null without an end"),
  muter_id: intOrNull("Id of the user who muted it, or null"),
  first_report_at: timeOrNull("Time at which the first report was recorded, or null"),
  last_report_at: timeOrNull("Time at which the latest report was recorded, or null"),
  last_contact_at: timeOrNull(
    "Time of the last call of an application with the project's key, to the minute, or null. Counts calls without an error",
  ),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
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

export const notificationSettingsView: (project: Project) => NotificationSettings = viewOf(
  NotificationSettings.fields,
)

export const projectView = (project: Project, now: DateTime.Utc): ProjectView => {
  const mute = activeMute(project.mute, now)
  return {
    ...plainOf(project),
    muted: mute !== null,
    muted_at: mute?.at ?? null,
    muted_until: mute?.until ?? null,
    muter_id: mute?.by ?? null,
  }
}

/** The response to a test event. The event is accepted and will be recorded soon. */
export const TestEventAccepted = Schema.Struct({
  event_id: text("Event id of the report that the event becomes"),
}).pipe(named("TestEvent", { event_id: "4c79f60c11214eb38604f4ae0781bfb2" }))

// internal

const plainOf = viewOf(Struct.omit(ProjectView.fields, ["muted", "muted_at", "muted_until", "muter_id"]))
