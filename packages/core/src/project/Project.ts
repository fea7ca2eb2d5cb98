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

export interface Project {
  readonly id: ProjectId
  readonly name: string
  /** The name that an application has for it, whatever people call it. Null if no application has one. */
  readonly key: string | null
  readonly platform: string
  /** An IANA time zone name. */
  readonly timezone: string
  readonly token: ProjectToken
  readonly groupsCount: number
  readonly reportsCount: number
  readonly mute: ProjectMute | null
  /** Whether only groups of severity `error` and `fatal` notify. */
  readonly errorAndFatalNotificationsOnly: boolean
  /** When its first and its latest report were recorded, and when an application called last, to the minute. */
  readonly firstReportAt: DateTime.Utc | null
  readonly lastReportAt: DateTime.Utc | null
  readonly lastContactAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Whether the project's mute, if there is one, still holds. */
export const activeMute = (mute: ProjectMute | null, now: DateTime.Utc): ProjectMute | null =>
  mute !== null && (mute.until === null || mute.until.epochMilliseconds > now.epochMilliseconds) ? mute : null
