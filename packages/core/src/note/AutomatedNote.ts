/** Notes that Errata writes about changes of a group. */
import { DateTime } from "effect"
import type { DiscardedGroup } from "../group/DiscardedGroup.js"
import {
  activeMutes,
  type Group,
  type GroupId,
  type MuteCondition,
  mutedUntilReportsCount,
  nextRelease,
} from "../group/Group.js"
import { authorOf, type GroupEvent } from "../group/GroupEvent.js"
import type { UserFeedback } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { NewNote } from "./Note.js"

/** The note for an event, or null if the event gets none, such as a first creation. */
export const ofEvent = (event: GroupEvent, now: DateTime.Utc): NewNote | null => {
  const content = contentOf(event, now)
  return content === null ? null : noteOn(event.group, authorOf(event), content, now)
}

/** A user's feedback as a note. */
export const ofFeedback = (
  groupId: GroupId,
  feedback: UserFeedback & { readonly projectId: ProjectId },
  now: DateTime.Utc,
): NewNote => {
  const author = [feedback.name, feedback.email === "" ? "" : `<${feedback.email}>`].filter(
    (part) => part !== "",
  )
  return {
    projectId: feedback.projectId,
    groupId,
    userId: null,
    content: `${author.length === 0 ? "An affected user" : author.join(" ")}: ${feedback.comments}`,
    automated: true,
    createdAt: now,
  }
}

/** The note on two groups whose reports have equal mapped frames, which were unknown when they were grouped. */
export const ofTwin = (
  {
    groupId,
    otherId,
    projectId,
  }: {
    readonly projectId: ProjectId
    readonly groupId: GroupId
    readonly otherId: GroupId
  },
  now: DateTime.Utc,
): NewNote => ({
  projectId,
  groupId,
  userId: null,
  content: `May be the same error as group ${otherId}: with mapped frames, their reports have the same grouping`,
  automated: true,
  createdAt: now,
})

/** The change that an automated note describes; null for changes that no rule needs. */
export const changeOf = (content: string): "reopened" | "assigned" | null =>
  content.startsWith(reopened) ? "reopened" : content.startsWith(assignedTo) ? "assigned" : null

// internal

const reopened = "Reopened by a new report"
const assignedTo = "Assigned to user "

const noteOn = (group: Group, userId: UserId | null, content: string, createdAt: DateTime.Utc): NewNote => ({
  projectId: group.projectId,
  groupId: group.id,
  userId,
  content,
  automated: true,
  createdAt,
})

const contentOf = (event: GroupEvent, now: DateTime.Utc): string | null => {
  switch (event._tag) {
    case "Created":
      return event.discarded === undefined ? null : afterDiscard(event.discarded)
    case "Escalated":
    case "Noted":
      return null
    case "Resolved": {
      const inRelease = event.group.resolution?.inRelease ?? null
      return inRelease === null ? "Resolved" : `Resolved in ${releaseText(inRelease)}`
    }
    case "Unresolved":
      return "Unresolved"
    case "Reopened":
      return event.report.release === "" ? reopened : `${reopened} in release ${event.report.release}`
    case "Muted":
      return `Muted ${describe(event.condition)}`
    case "Unmuted":
      return event.reason === "release"
        ? `Unmuted: a report of release ${event.release} arrived`
        : unmuted[event.reason]
    case "Merged":
      return `Merged with ${event.sourceIds.length === 1 ? "group" : "groups"} ${event.sourceIds.join(", ")}${stillMuted(event.group, now)}`
    case "Unmerged":
      return `Unmerged from group ${event.otherId}${stillMuted(event.group, now)}`
    case "Assigned":
      return event.assigneeId === null ? "Unassigned" : `${assignedTo}${event.assigneeId}`
    case "IssueLinked":
      return event.issueUrl === null
        ? "Removed the link to an issue"
        : `Linked to the issue ${event.issueUrl}`
  }
}

const afterDiscard = ({ at, by, groupId, reportsCount }: DiscardedGroup): string => {
  const reports = `${reportsCount} ${reportsCount === 1 ? "report" : "reports"}`
  const when = `on ${DateTime.formatIsoDateUtc(at)}${by === null ? "" : ` by user ${by}`}`
  return `An earlier group of this error (number ${groupId}, ${reports}) was deleted ${when}`
}

/** Merges and unmerges shift the end of a mute by count, because they are not new reports. */
const stillMuted = (group: Group, now: DateTime.Utc): string => {
  const count = mutedUntilReportsCount(activeMutes(group, now).mute)
  return count === null ? "" : `. Still muted, now until ${count} reports`
}

const describe = (condition: MuteCondition): string => {
  switch (condition._tag) {
    case "Permanent":
      return "permanently"
    case "Until":
      return `until ${DateTime.formatIso(condition.until)}`
    case "UntilReportsCount":
      return `until ${condition.reportsCount} reports`
    case "UntilNextRelease":
      return `until ${releaseText(nextRelease)}`
  }
}

const releaseText = (release: string): string =>
  release === nextRelease ? "the next release" : `release ${release}`

const unmuted = {
  manual: "Unmuted",
  expired: "Unmuted: the mute expired",
  reports_count: "Unmuted: the number of reports was reached",
}
