/**
 * The content of a notification: plain facts about a project and its groups. Each kind of target makes a message of it, such as
 * a mail or a message in a chat.
 */
import { Schema } from "effect"
import { Severity } from "../event/Severity.js"
import { GroupId } from "../id/GroupId.js"
import { ProjectId } from "../project/Project.js"

/** A function in the stack trace of the newest report; `line` is null if the SDK did not report it. */
export const NotifiedFrame = Schema.Struct({
  function: Schema.String,
  file: Schema.String,
  line: Schema.NullOr(Schema.Int),
})
export type NotifiedFrame = typeof NotifiedFrame.Type

/** A group at the time of the notification. Texts come from applications: they may contain markup, and be empty. */
export const NotifiedGroup = Schema.Struct({
  id: GroupId,
  errorType: Schema.String,
  /** At most 2,000 characters. */
  errorMessage: Schema.String,
  culprit: Schema.String,
  severity: Severity,
  /** Of the newest report; empty if it has none. */
  environment: Schema.String,
  /** Of the newest report; empty if it has none. */
  release: Schema.String,
  reportsCount: Schema.Int,
  usersCount: Schema.Int,
  firstOccurredAt: Schema.DateTimeUtcFromString,
  lastOccurredAt: Schema.DateTimeUtcFromString,
  /** The application's own frames of the newest report, innermost first, at most 5. */
  frames: Schema.Array(NotifiedFrame),
  /** The page of the group in the dashboard. */
  url: Schema.NullOr(Schema.String),
})
export type NotifiedGroup = typeof NotifiedGroup.Type

/** A line of a summary or digest, such as a group with its number of reports. */
export const NotifiedLine = Schema.Struct({
  text: Schema.String,
  /** The page that the line leads to. */
  url: Schema.NullOr(Schema.String),
})
export type NotifiedLine = typeof NotifiedLine.Type

/** A list with a heading, in summaries and digests. */
export const NotifiedSection = Schema.Struct({ title: Schema.String, lines: Schema.Array(NotifiedLine) })
export type NotifiedSection = typeof NotifiedSection.Type

/**
 * The kinds of notifications.
 *
 * - `alert`: a rule applies to a group, or to a project as a whole.
 * - `over`: the condition of a rule no longer holds.
 * - `summary`: notifications were held back by a limit or by quiet hours.
 * - `digest`: a day or a week is over.
 * - `test`: a person tests the target.
 * - `target_disabled`: a target failed for too long.
 */
export const NotificationKind = Schema.Literals([
  "alert",
  "over",
  "summary",
  "digest",
  "test",
  "target_disabled",
])
export type NotificationKind = typeof NotificationKind.Type

/** A notification. Stored as JSON with each delivery. */
export const Notification = Schema.Struct({
  version: Schema.Literal(1),
  /** Distinct per event and target; the same in every attempt. Receivers that deduplicate messages get it. */
  id: Schema.String,
  kind: NotificationKind,
  at: Schema.DateTimeUtcFromString,
  project: Schema.Struct({ id: ProjectId, name: Schema.String, url: Schema.NullOr(Schema.String) }),
  /** The rule that applies. */
  rule: Schema.NullOr(Schema.Struct({ id: Schema.Int, name: Schema.String })),
  /** One line without a full stop, such as "New error" or "Reopened in release 1.4.2". */
  reason: Schema.String,
  group: Schema.NullOr(NotifiedGroup),
  sections: Schema.Array(NotifiedSection),
  /** The page where the receiver changes rules, targets and personal settings. */
  settingsUrl: Schema.NullOr(Schema.String),
})
export type Notification = typeof Notification.Type

/** Reads what `encode` wrote. */
export const decode = Schema.decodeEffect(Schema.fromJsonString(Notification))

/** Writes a notification as JSON. */
export const encode = Schema.encodeSync(Schema.fromJsonString(Notification))

/** The title of a group, such as `TypeError: x is not a function`. */
export const titleOf = ({
  errorMessage,
  errorType,
}: Pick<NotifiedGroup, "errorType" | "errorMessage">): string =>
  [errorType, errorMessage].filter((part) => part !== "").join(": ") || "Error without a message"

/** Links that lead to the dashboard, where people confirm the action; null without a link to the group. */
export const actionsOf = (
  group: Pick<NotifiedGroup, "url">,
): { readonly resolve: string; readonly mute: string } | null =>
  group.url === null ? null : { resolve: `${group.url}?do=resolve`, mute: `${group.url}?do=mute` }
