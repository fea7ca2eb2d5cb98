import { type DateTime, Schema } from "effect"
import { UserId } from "../user/User.js"

/** Identifies a project: a positive integer, larger for newer ones. */
export const ProjectId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

/** The secret part of a DSN: 32 lowercase hexadecimal characters, which every Sentry SDK accepts. */
export const ProjectToken = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[0-9a-f]{32}$/)),
  Schema.brand("ProjectToken"),
)
export type ProjectToken = typeof ProjectToken.Type

/** A mute that a project's groups inherit. Permanent without `until`. */
export const ProjectMute = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  by: Schema.NullOr(UserId),
  until: Schema.NullOr(Schema.DateTimeUtcFromString),
})
export type ProjectMute = typeof ProjectMute.Type

/** A project holds the errors of one application. */
export interface Project {
  readonly id: ProjectId
  readonly name: string
  /** The key by which an application finds its project, independent of the name. Null if no application is bound. */
  readonly key: string | null
  readonly platform: string
  /** An IANA time zone name. */
  readonly timezone: string
  readonly token: ProjectToken
  readonly groupsCount: number
  readonly reportsCount: number
  readonly mute: ProjectMute | null
  /** If true, only groups of severity `error` and `fatal` notify. */
  readonly errorAndFatalNotificationsOnly: boolean
  /** Times of the first and the latest report, and of the latest request of an application, to the minute. */
  readonly firstReportAt: DateTime.Utc | null
  readonly lastReportAt: DateTime.Utc | null
  readonly lastContactAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Returns the mute unless it has expired. */
export const activeMute = (mute: ProjectMute | null, now: DateTime.Utc): ProjectMute | null =>
  mute !== null && (mute.until === null || mute.until.epochMilliseconds > now.epochMilliseconds) ? mute : null
