/** The parts of a message, in the order in which every chat shows them. Formatters add their markup. */
import { actionsOf, type Notification, titleOf } from "@errata/core"
import { type Escape, linkOf, oneLine } from "./Text.js"

/** The mood of a message: its color, emoji or priority. */
export type Tone = "bad" | "warning" | "neutral" | "good"

/** A link below a message. */
export interface ContentLink {
  readonly label: string
  readonly url: string
}

/** A named value, such as the release. */
export interface Fact {
  readonly label: string
  readonly value: string
}

/** A line of a section. */
export interface ContentLine {
  readonly text: string
  readonly url: string | null
}

/** A list with a heading. */
export interface ContentSection {
  readonly title: string
  readonly lines: ReadonlyArray<ContentLine>
  /** Number of omitted lines. */
  readonly more: number
}

/** A message without markup. Texts are not escaped, and are not shortened. */
export interface Content {
  readonly tone: Tone
  readonly reason: string
  readonly project: string
  readonly projectUrl: string | null
  readonly title: string | null
  readonly url: string | null
  readonly culprit: string | null
  readonly facts: ReadonlyArray<Fact>
  /** Such as `checkout (src/cart.ts:42)`, innermost first. */
  readonly frames: ReadonlyArray<string>
  readonly sections: ReadonlyArray<ContentSection>
  /** Such as `Rule: Spikes`; empty if there is nothing to say. */
  readonly footer: string
  readonly links: ReadonlyArray<ContentLink>
}

/** Lines of all sections that are shown in a chat. */
const maxLines = 15

/** Makes the content of a notification. */
export const contentOf = (notification: Notification, lineLimit: number = maxLines): Content => {
  const { group, project, reason, rule, sections } = notification
  return {
    tone: toneOf(notification),
    reason: visible(reason, "Notification"),
    project: visible(project.name, "Project"),
    projectUrl: linkOf(project.url),
    title: group === null ? null : visible(titleOf(group), "Error"),
    url: group === null ? null : linkOf(group.url),
    culprit: group === null || group.culprit === "" ? null : group.culprit,
    facts: factsOf(notification),
    frames: (group?.frames ?? []).slice(0, 5).map(frameText),
    sections: shownSections(sections, lineLimit),
    footer: rule === null ? "" : `Rule: ${rule.name}`,
    links: linksOf(notification),
  }
}

/** A one-line summary, for lists of messages and small screens. */
export const headlineOf = ({ project, reason, title }: Content): string =>
  `[${project}] ${title === null ? reason : `${title} (${reason})`}`

/** The facts as one line, such as `Severity: error · Release: 1.4.2`. */
export const factLine = ({ facts }: Content, escape?: Escape): string =>
  facts.map(({ label, value }) => `${label}: ${oneLine(value, 100, escape)}`).join(" · ")

/** A note for lines that a section leaves out. */
export const moreText = (more: number): string => `and ${more} more`

// internal

/** The text, or another one if nothing of it can be seen. */
const visible = (text: string, otherwise: string): string => (oneLine(text, 100) === "" ? otherwise : text)

const toneOf = ({ group, kind }: Notification): Tone => {
  switch (kind) {
    case "alert":
      if (group === null) return "warning"
      if (group.severity === "fatal" || group.severity === "error") return "bad"
      return group.severity === "warning" ? "warning" : "neutral"
    case "over":
      return "good"
    case "summary":
    case "target_disabled":
      return "warning"
    case "digest":
    case "test":
      return "neutral"
  }
}

const factsOf = ({ group }: Notification): ReadonlyArray<Fact> => {
  if (group === null) return []
  const { environment, release, reportsCount, severity, usersCount } = group
  return [
    { label: "Severity", value: severity },
    { label: "Environment", value: environment },
    { label: "Release", value: release },
    { label: "Reports", value: String(reportsCount) },
    { label: "Users", value: usersCount === 0 ? "" : String(usersCount) },
  ].filter(({ value }) => value !== "")
}

const frameText = ({ file, function: name, line }: NonNullable<Notification["group"]>["frames"][number]) => {
  const place = line === null ? file : `${file}:${line}`
  if (name === "") return place
  return place === "" ? name : `${name} (${place})`
}

const shownSections = (
  sections: Notification["sections"],
  lineLimit: number,
): ReadonlyArray<ContentSection> => {
  let left = lineLimit
  return sections.slice(0, 8).map(({ lines, title }) => {
    const shown = lines.slice(0, left)
    left -= shown.length
    return {
      title,
      lines: shown.map(({ text, url }) => ({ text, url: linkOf(url) })),
      more: lines.length - shown.length,
    }
  })
}

const linksOf = ({ group, kind, project, settingsUrl }: Notification): ReadonlyArray<ContentLink> => {
  const actions = group === null || kind !== "alert" ? null : actionsOf(group)
  return [
    { label: "Open", url: linkOf(group?.url ?? project.url) },
    { label: "Resolve", url: linkOf(actions?.resolve ?? null) },
    { label: "Mute", url: linkOf(actions?.mute ?? null) },
    { label: "Settings", url: linkOf(settingsUrl) },
  ].flatMap(({ label, url }) => (url === null ? [] : [{ label, url }]))
}
