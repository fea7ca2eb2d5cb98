import { type DateTime, Schema } from "effect"
import { UserId } from "../user/User.js"

export const ProjectId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

/** The secret half of a DSN: 32 lowercase hexadecimal characters, the form that every Sentry SDK accepts. */
export const ProjectToken = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
  Schema.brand("ProjectToken"),
)
export type ProjectToken = typeof ProjectToken.Type

/** A mute that a project hands on to its groups; without `until` it is permanent. */
export const ProjectMute = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  by: Schema.NullOr(UserId),
  until: Schema.NullOr(Schema.DateTimeUtcFromString),
})
export type ProjectMute = typeof ProjectMute.Type

export class Project extends Schema.Class<Project>("Project")({
  id: ProjectId,
  name: Schema.String,
  platform: Schema.String,
  /** An IANA time zone name. */
  timezone: Schema.String,
  token: ProjectToken,
  groupsCount: Schema.Int,
  reportsCount: Schema.Int,
  mute: Schema.NullOr(ProjectMute),
  /** Whether only groups of severity `error` and `fatal` notify. */
  errorAndFatalNotificationsOnly: Schema.Boolean,
  /** When its first and its latest report were recorded, and when an application called last, to the minute. */
  firstReportAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  lastReportAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  lastContactAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
}) {}

/** Whether the project's mute, if there is one, still holds. */
export const activeMute = (mute: ProjectMute | null, now: DateTime.Utc): ProjectMute | null =>
  mute !== null && (mute.until === null || mute.until.epochMilliseconds > now.epochMilliseconds) ? mute : null
