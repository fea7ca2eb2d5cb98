/** A project as the API shows it. */
import { activeMute, type Project } from "@errata/core"
import { type DateTime, Schema } from "effect"
import { described, Timestamp } from "./Json.js"
import { DateParam, Flag, optional, Text } from "./Params.js"

export const ProjectView = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  platform: Schema.String,
  timezone: Schema.String,
  token: described("The key half of the project's DSN", Schema.String),
  groups_count: Schema.Int,
  reports_count: Schema.Int,
  muted: Schema.Boolean,
  muted_at: Schema.NullOr(Timestamp),
  muted_until: Schema.NullOr(Timestamp),
  muter_id: Schema.NullOr(Schema.Int),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotations({ identifier: "Project" })
export type ProjectView = typeof ProjectView.Type

/** What a project is created from; `platform` is `other` and `timezone` `UTC` where they are left out. */
export const ProjectCreation = Schema.Struct({
  name: Text,
  platform: optional(Text),
  timezone: optional(Text),
}).annotations({ identifier: "ProjectCreation" })
export type ProjectCreation = typeof ProjectCreation.Type

/** What may be changed of a project. */
export const ProjectUpdate = Schema.Struct({ name: optional(Text), timezone: optional(Text) }).annotations({
  identifier: "ProjectUpdate",
})
export type ProjectUpdate = typeof ProjectUpdate.Type

/** What may be sent to mute a project: nothing for ever. */
export const ProjectMuting = Schema.Struct({
  snooze_until: optional(described("ISO 8601, in the future", DateParam)),
}).annotations({ identifier: "ProjectMuting" })
export type ProjectMuting = typeof ProjectMuting.Type

export const NotificationSettings = Schema.Struct({
  error_and_fatal_notifications_only: described(
    "Whether only groups of severity error and fatal notify",
    Flag,
  ),
}).annotations({ identifier: "NotificationSettings" })
export type NotificationSettings = typeof NotificationSettings.Type

export const notificationSettingsView = (project: Project): NotificationSettings => ({
  error_and_fatal_notifications_only: project.errorAndFatalNotificationsOnly,
})

export const projectView = (project: Project, now: DateTime.Utc): ProjectView => ({
  id: project.id,
  name: project.name,
  platform: project.platform,
  timezone: project.timezone,
  token: project.token,
  groups_count: project.groupsCount,
  reports_count: project.reportsCount,
  muted: activeMute(project.mute, now) !== null,
  muted_at: project.mute?.at ?? null,
  muted_until: project.mute?.until ?? null,
  muter_id: project.mute?.by ?? null,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
})
