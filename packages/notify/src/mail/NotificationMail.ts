/** The mail of a notification. */
import { createHash } from "node:crypto"
import type { Notification } from "@errata/core"
import { DateTime } from "effect"
import { type Content, contentOf, moreText } from "../internal/Content.js"
import { linkOf, oneLine, orElse } from "../internal/Text.js"
import * as Layout from "./MailLayout.js"
import type { Mail } from "./MailMessage.js"
import type { MailSender } from "./MailSettings.js"

/** Makes a mail. Mail about one group of a project refers to the same message, so that clients show it as a thread. */
export const make = (
  notification: Notification,
  {
    sender,
    to,
    unsubscribeUrl,
  }: { readonly sender: MailSender; readonly to: string; readonly unsubscribeUrl: string | null },
): Mail => {
  const content = contentOf(notification, maxLines)
  const unsubscribe = linkOf(unsubscribeUrl, 2_000)
  return {
    to,
    subject: subjectOf(content),
    html: htmlOf(content, notification, unsubscribe),
    text: textOf(content, notification, unsubscribe),
    messageId: `<${digest(notification.id, 40)}@${sender.domain}>`,
    thread: threadOf(notification, sender),
    unsubscribeUrl: unsubscribe,
  }
}

/** Such as `[Shop] TypeError: x is not a function (new)`. */
export const subjectOf = ({ project, reason, title }: Content): string => {
  const name = orElse(oneLine(project, 60), "Errata")
  if (title === null) return `[${name}] ${oneLine(reason, 150)}`
  const short = reason === "New error" ? "new" : lowerFirst(oneLine(reason, 80))
  return `[${name}] ${orElse(oneLine(title, 120), "Error")} (${short})`
}

// internal

const maxLines = 60

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const digest = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length)

/** Instances that share a sender have separate threads, by their base URLs. */
const threadOf = ({ group, project }: Notification, { domain }: MailSender): string | null => {
  if (group === null) return null
  const origin = URL.canParse(project.url ?? "") ? new URL(project.url ?? "").origin : ""
  return `<project-${project.id}.group-${group.id}.${digest(origin, 12)}@${domain}>`
}

const timeOf = (time: DateTime.Utc): string =>
  `${new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(
    DateTime.toDate(time),
  )} UTC`

/** The facts with the times, as plain text. */
const factsOf = ({ facts }: Content, { group }: Notification): ReadonlyArray<readonly [string, string]> =>
  group === null
    ? []
    : [
        ...facts.map(({ label, value }) => [label, oneLine(value, 200)] as const),
        ["First seen", timeOf(group.firstOccurredAt)],
        ["Last seen", timeOf(group.lastOccurredAt)],
      ]

const why = ({ kind, rule }: Notification): string => {
  if (rule !== null) return `You get this mail because of the rule “${oneLine(rule.name, 100)}”.`
  if (kind === "digest") return "You get this mail because you subscribed to a digest."
  return kind === "test"
    ? "You get this mail because a person tested the address."
    : "You get this mail from Errata."
}

const htmlOf = (content: Content, notification: Notification, unsubscribe: string | null): string => {
  const { culprit, links, project, projectUrl, reason, sections, title, tone, url } = content
  const { escaped } = Layout
  const projectName = orElse(escaped(project, 100), "Errata")
  const shownTitle = orElse(escaped(title ?? reason, 600), "Error")
  const facts = factsOf(content, notification)
  const frames = notification.group?.frames ?? []
  const actions = links
    .filter(({ label }) => label !== "Settings")
    .map(({ label, url: link }) => ({ label: label === "Open" ? "Open in Errata" : label, url: link }))
  const settings = links.find(({ label }) => label === "Settings")
  return Layout.pageOf({
    title: subjectOf(content),
    preview: title === null ? previewOf(content) : `${reason}. ${culprit ?? ""}`,
    accent: tone,
    body: [
      Layout.eyebrow(
        [
          projectUrl === null ? projectName : Layout.link(projectUrl, projectName),
          ...(title === null ? [] : [`<strong>${escaped(reason, 200)}</strong>`]),
        ].join(" &middot; "),
      ),
      Layout.heading(
        url === null
          ? shownTitle
          : `<a class="text" href="${url.replaceAll("&", "&amp;")}" style="color:#1b202b;text-decoration:none">${shownTitle}</a>`,
      ),
      ...(culprit === null ? [] : [Layout.codeLine(escaped(culprit, 300))]),
      ...(frames.length === 0 ? [] : [Layout.codeBlock(frames.slice(0, 5).map(frameHtml))]),
      ...(notification.kind === "test" ? [Layout.paragraph("Mail from Errata reaches this address.")] : []),
      ...(facts.length === 0
        ? []
        : [Layout.factTable(facts.map(([label, value]) => [label, escaped(value, 200)] as const))]),
      ...sections.flatMap(({ lines, more, title: name }) => [
        Layout.subheading(orElse(escaped(name, 100), "Groups")),
        Layout.list([
          ...lines.map((line) => {
            const text = orElse(escaped(line.text, 300), "…")
            return line.url === null ? text : Layout.link(line.url, text)
          }),
          ...(more === 0 ? [] : [Layout.quiet(moreText(more))]),
          ...(lines.length + more === 0 ? [Layout.quiet("none")] : []),
        ]),
      ]),
      ...Layout.buttons(actions),
    ],
    footer: [
      escaped(why(notification), 200),
      ...(settings === undefined && unsubscribe === null
        ? []
        : [
            [
              ...(settings === undefined ? [] : [Layout.link(settings.url, "Change what you get")]),
              ...(unsubscribe === null ? [] : [Layout.link(unsubscribe, "Unsubscribe")]),
            ].join(" &middot; "),
          ]),
    ],
  })
}

const previewOf = ({ sections }: Content): string =>
  sections.flatMap(({ lines, title }) => lines.slice(0, 1).map(({ text }) => `${title}: ${text}`)).join(", ")

const frameHtml = ({
  file,
  function: name,
  line,
}: NonNullable<Notification["group"]>["frames"][number]): string => {
  const place = Layout.escaped(line === null ? file : `${file}:${line}`, 200)
  const shownName = Layout.escaped(name, 120)
  return shownName === "" ? place : `${shownName} ${Layout.quiet(place)}`
}

const textOf = (content: Content, notification: Notification, unsubscribe: string | null): string => {
  const { culprit, frames, links, project, reason, sections, title } = content
  const facts = factsOf(content, notification)
  const width = Math.max(0, ...facts.map(([label]) => label.length)) + 2
  const blocks = [
    [
      title === null
        ? `${oneLine(reason, 200)} in ${oneLine(project, 100)}`
        : `${oneLine(reason, 200)} in ${oneLine(project, 100)}:`,
      ...(title === null ? [] : [oneLine(title, 600)]),
      ...(culprit === null ? [] : [oneLine(culprit, 300)]),
    ],
    facts.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`),
    frames.map((frame) => `  ${oneLine(frame, 300)}`),
    ...sections.map(({ lines, more, title: name }) => [
      orElse(oneLine(name, 100), "Groups"),
      ...lines.flatMap(({ text, url }) => [`- ${oneLine(text, 300)}`, ...(url === null ? [] : [`  ${url}`])]),
      ...(more === 0 ? [] : [`- ${moreText(more)}`]),
      ...(lines.length + more === 0 ? ["- none"] : []),
    ]),
    links.filter(({ label }) => label !== "Settings").map(({ label, url }) => `${label}: ${url}`),
    [
      // Mail clients recognize two dashes and a space as the end of the message.
      "-- ",
      why(notification),
      ...links.filter(({ label }) => label === "Settings").map(({ url }) => `Change what you get: ${url}`),
      ...(unsubscribe === null ? [] : [`Unsubscribe: ${unsubscribe}`]),
    ],
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`
}
