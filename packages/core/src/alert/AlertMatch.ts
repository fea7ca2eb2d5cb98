/** Rules that apply to something that happened: decided from facts alone. */
import { type DateTime, Option } from "effect"
import { isErrorOrFatal } from "../event/Severities.js"
import type { DocumentEvent } from "../group/GroupEventDocument.js"
import type { GroupId } from "../id/GroupId.js"
import type { NotificationKind } from "../notification/Notification.js"
import type { UserId } from "../user/User.js"
import type { AlertRule, AlertTrigger } from "./AlertRule.js"
import type { ProjectRules } from "./AlertStore.js"

/** The part of a group that a notification shows, as it was when its rule applied. */
export type MatchedGroup = Pick<
  DocumentEvent["group"],
  | "id"
  | "errorType"
  | "errorMessage"
  | "culprit"
  | "severity"
  | "reportsCount"
  | "usersCount"
  | "firstOccurredAt"
  | "lastOccurredAt"
  | "assigneeId"
>

/** A rule that applies to a group, or to a project as a whole. */
export interface AlertMatch {
  readonly project: Omit<ProjectRules, "rules">
  /** Null for an assignment: the assignee is notified without a rule. */
  readonly rule: AlertRule | null
  readonly trigger: AlertTrigger
  readonly kind: Extract<NotificationKind, "alert" | "over">
  /** Distinct per event and rule; part of the id of the notification. */
  readonly occurrence: string
  readonly at: DateTime.Utc
  /** As in `Notification`. */
  readonly reason: string
  /** Null for the project as a whole. */
  readonly group: MatchedGroup | null
  /** The person who did it: who needs no mail about it. */
  readonly by: UserId | null
}

/** The group of a match; null for the project as a whole. */
export const groupIdOf = ({ group }: Pick<AlertMatch, "group">): GroupId | null => group?.id ?? null

/** The conditions that an event fulfils, with the reason in words. */
export const triggersOf = (
  event: DocumentEvent,
): ReadonlyArray<{ readonly type: AlertTrigger["type"]; readonly reason: string }> => {
  switch (event._tag) {
    case "Created":
      return [
        { type: "created", reason: "New error" },
        ...(event.group.severity === "fatal" ? [{ type: "fatal", reason: "New fatal error" } as const] : []),
      ]
    case "Reopened":
      return [
        {
          type: "reopened",
          reason: event.report.release === "" ? "Reopened" : `Reopened in release ${event.report.release}`,
        },
      ]
    case "Escalated":
      return [{ type: "fatal", reason: "The severity rose to fatal" }]
    case "Assigned":
      return event.assigneeId === null ? [] : [{ type: "assigned", reason: "Assigned" }]
    case "Noted":
      return [{ type: "noted", reason: "New note" }]
    default:
      return []
  }
}

/** The first condition of a rule that one of these fulfils. */
export const firstTrigger = (
  rule: AlertRule,
  fulfilled: ReturnType<typeof triggersOf>,
): Option.Option<{ readonly trigger: AlertTrigger; readonly reason: string }> => {
  for (const trigger of rule.triggers) {
    const found = fulfilled.find(({ type }) => type === trigger.type)
    if (found !== undefined) return Option.some({ trigger, reason: found.reason })
  }
  return Option.none()
}

/** True if a project notifies about groups of this severity. */
export const isSevereEnough = (
  { errorAndFatalOnly }: Pick<ProjectRules, "errorAndFatalOnly">,
  { severity }: Pick<MatchedGroup, "severity">,
): boolean => !errorAndFatalOnly || isErrorOrFatal(severity)
