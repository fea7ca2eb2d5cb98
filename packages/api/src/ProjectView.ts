/** A project as the API shows it. */
import { activeMute, type Project } from "@errata/core/project"
import { type DateTime, Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { DateParam, Flag, optional, Text } from "./Params.js"

export const ProjectView = Schema.Struct({
  id: described("The project's id", Schema.Int),
  name: described("Its name, unique among the projects there are", Schema.String),
  platform: described("What its applications are made with, e.g. `node`", Schema.String),
  timezone: described("The IANA name of its time zone", Schema.String),
  token: described("The key half of the project's DSN, with which applications send to it", Schema.String),
  groups_count: described("How many groups it has", Schema.Int),
  reports_count: described("How many reports were ever recorded in it", Schema.Int),
  muted: described("Whether it mutes new groups at the moment of the answer", Schema.Boolean),
  muted_at: described("When it was muted; null where it is not", Schema.NullOr(Timestamp)),
  muted_until: described("When its mute ends; null where it has no end", Schema.NullOr(Timestamp)),
  muter_id: described("The user who muted it; null where nobody did", Schema.NullOr(Schema.Int)),
  created_at: described("When it was created", Timestamp),
  updated_at: described("When it last changed", Timestamp),
}).annotations({
  identifier: "Project",
  examples: [
    {
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
      created_at: at("2026-01-01T08:00:00.000Z"),
      updated_at: at("2026-01-05T09:30:00.000Z"),
    },
  ],
})
export type ProjectView = typeof ProjectView.Type

/** What a project is created from; `platform` is `other` and `timezone` `UTC` where they are left out. */
export const ProjectCreation = Schema.Struct({
  name: described("At most 200 characters, unique among the projects there are", Text),
  platform: described("1 to 64 characters; `other` where it is left out", optional(Text)),
  timezone: described("An IANA name; `UTC` where it is left out", optional(Text)),
}).annotations({
  identifier: "ProjectCreation",
  examples: [{ name: "Tea shop", platform: "node", timezone: "Europe/Vienna" }],
})
export type ProjectCreation = typeof ProjectCreation.Type

/** What may be changed of a project. */
export const ProjectUpdate = Schema.Struct({
  name: described("Another name: at most 200 characters, unique", optional(Text)),
  timezone: described("Another time zone: an IANA name", optional(Text)),
}).annotations({ identifier: "ProjectUpdate", examples: [{ timezone: "Europe/Vienna" }] })
export type ProjectUpdate = typeof ProjectUpdate.Type

/** What may be sent to mute a project: nothing for ever. */
export const ProjectMuting = Schema.Struct({
  snooze_until: described(
    "When the mute ends: a date or an ISO 8601 timestamp in the future; never where it is left out",
    optional(DateParam),
  ),
}).annotations({ identifier: "ProjectMuting", examples: [{ snooze_until: "2030-01-31T00:00:00Z" }] })
export type ProjectMuting = typeof ProjectMuting.Type

export const NotificationSettings = Schema.Struct({
  error_and_fatal_notifications_only: described(
    "Whether only groups of severity error and fatal notify",
    Flag,
  ),
}).annotations({
  identifier: "NotificationSettings",
  examples: [{ error_and_fatal_notifications_only: true }],
})
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
    created_at: project.createdAt,
    updated_at: project.updatedAt,
  }
}
