/** A group with context for an investigation: a report, notes and similar groups. */
import type { DateTime } from "effect"
import {
  activeMutes,
  type Group,
  type ListedGroup,
  maxExactUsers,
  mutedUntilRelease,
  muteSource,
  nextRelease,
} from "../group/Group.js"
import { maxIssueUrlLength } from "../group/IssueUrl.js"
import { groupUrl } from "../group/WebUrl.js"
import { fingerprint } from "../grouping/Grouping.js"
import type { Note } from "../note/Note.js"
import type { Report } from "../report/Report.js"
import { fitting } from "./Excerpt.js"
import {
  factList,
  type Markdown,
  maxLength,
  moment,
  reportSections,
  securityNote,
  words,
} from "./ReportMarkdown.js"
import { block, inline } from "./Text.js"

export interface GroupStory {
  readonly group: Group
  /** The newest report with frames of the application, or the newest of all. Null if no report is kept. */
  readonly report: Report | null
  /** Newest first. */
  readonly notes: ReadonlyArray<Note>
  /** Open groups of the same kind of error. */
  readonly similar: ReadonlyArray<ListedGroup>
}

/** Renders a group as a document of at most `maxLength`. `address` is the public URL of the instance, for the links. */
export const groupMarkdown = (story: GroupStory, now: DateTime.Utc, address: string | null): Markdown => {
  const { group, report } = story
  const notes = story.notes.slice(0, maxNotes)
  const isCut =
    story.notes.length > maxNotes || story.notes.some(({ content }) => content.length > noteLength)
  const before = [`# Group ${group.id}`, `> ${securityNote}`, facts(group, now, address)]
  const after = [
    ...(notes.length === 0 ? [] : ["## Notes, newest first", ...notes.map(noteText)]),
    ...(story.similar.length === 0
      ? []
      : [
          "## Open groups of the same kind of error",
          story.similar.slice(0, maxSimilar).map(similarText).join("\n"),
        ]),
  ]
  if (report === null) return { text: `${[...before, ...after].join("\n\n")}\n`, truncated: isCut }
  const { excerpt, text } = fitting(
    report,
    maxLength,
    (excerpt) =>
      `${[...before, `## Report ${report.id}`, reportSections(report, excerpt, address, 3), ...after].join("\n\n")}\n`,
  )
  return { text, truncated: excerpt.truncated || isCut }
}

// internal

const maxNotes = 10
const noteLength = 500
const maxSimilar = 5

const facts = (group: Group, now: DateTime.Utc, address: string | null): string =>
  factList([
    ["Link", groupUrl(address, group) ?? ""],
    ["Project", String(group.projectId)],
    ["Error", inline(group.errorType, 200)],
    ["Message", inline(group.errorMessage, 1_000)],
    ["Culprit", inline(group.culprit, 300)],
    ["Severity", group.severity],
    ["State", state(group, now)],
    ["Assignee", group.assigneeId === null ? "" : `user ${group.assigneeId}`],
    ["Issue", group.issueUrl === null ? "" : inline(group.issueUrl, maxIssueUrlLength)],
    ["Reports", String(group.reportsCount)],
    ["Users", `${group.usersCount > maxExactUsers ? "about " : ""}${group.usersCount}`],
    ["First seen", moment(group.firstOccurredAt)],
    ["Last seen", moment(group.lastOccurredAt)],
    ["Grouped by", inline(`${group.grouping.data.method}, ${fingerprint(group.grouping)}`, 120)],
  ])

const state = (group: Group, now: DateTime.Utc): string => {
  return `${resolutionText(group)}${muteText(group, now)}`
}

const resolutionText = ({ reopenedAt, resolution }: Group): string => {
  if (resolution === null) return reopenedAt === null ? "unresolved" : `reopened ${moment(reopenedAt)}`
  const { at, inRelease } = resolution
  if (inRelease === null) return `resolved ${moment(at)}`
  const release = inRelease === nextRelease ? "the next release" : `release ${inline(inRelease, 250)}`
  return `resolved in ${release}, ${moment(at)}`
}

const muteText = (group: Group, now: DateTime.Utc): string => {
  if (muteSource(group, now) === null) return ""
  const { mute, projectMute } = activeMutes(group, now)
  return mutedUntilRelease(mute) === null || projectMute !== null
    ? ", muted"
    : ", muted until the next release"
}

const noteText = ({ automated, content, createdAt, user }: Note): string =>
  `${words(moment(createdAt), automated ? "by Errata" : user === null ? "" : `by user ${user.id}`)}:\n\n${block(content, noteLength)}`

const similarText = (group: ListedGroup): string =>
  `- ${words(`Group ${group.id}:`, inline(group.errorMessage, 200), inline(group.culprit, 100))}`
