/** Messages to a channel or chat of Microsoft Teams, by the URL of a workflow. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { checkOf, httpsUrl } from "./internal/Address.js"
import { type Content, contentOf, factLine, moreText, type Tone } from "./internal/Content.js"
import { type Escape, oneLine, orElse } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "url",
    label: "Workflow URL",
    description:
      "In the menu of the channel, open Workflows, choose to send webhook alerts to a channel, and copy the URL.",
    isSecret: true,
    isRequired: true,
    placeholder:
      "https://prod-00.westeurope.logic.azure.com/workflows/XXXX/triggers/manual/paths/invoke?sig=XXXX",
  },
]

/** Sends to Microsoft Teams. */
export const teams: NotificationTarget = HttpTarget.make({
  kind: "teams",
  label: "Microsoft Teams",
  fields,
  check: checkOf(fields, {
    url: (value) => {
      const example =
        "https://prod-00.westeurope.logic.azure.com/workflows/XXXX/triggers/manual/paths/invoke?sig=XXXX"
      const fault = httpsUrl({
        hosts,
        path: /\/workflows\/[\w-]+\/triggers\/\w+\/(paths\/invoke|run)/,
        example,
      })(value)
      if (fault !== null) return fault
      return new URL(value).searchParams.has("sig")
        ? null
        : "must contain the signature of the workflow (sig=)"
    },
  }),
  request: (notification, { url = "" }) => ({ url, body: messageOf(notification) }),
})

/** The body of a message: an Adaptive Card. Messages have at most 28 KB. Its texts are runs, which have no markup. */
export const messageOf = (notification: Notification) => ({
  type: "message" as const,
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive" as const,
      contentUrl: null,
      content: cardOf(contentOf(notification)),
    },
  ],
})

// internal

const hosts = [
  ".logic.azure.com",
  ".logic.azure.us",
  ".logic.azure.cn",
  ".environment.api.powerplatform.com",
  ".environment.api.gov.powerplatform.microsoft.us",
  ".environment.api.high.powerplatform.microsoft.us",
]

const colors = {
  bad: "Attention",
  warning: "Warning",
  neutral: "Accent",
  good: "Good",
} as const satisfies Record<Tone, string>

/** Braces in pairs are functions for dates in Adaptive Cards. */
const braces: Escape = (character, next) => (character === "{" && next === "{" ? "{\u200b" : character)

const text = (value: string, maximum: number): string => oneLine(value, maximum, braces)

/** A part of a line. */
interface Run {
  readonly type: "TextRun"
  readonly text: string
  readonly weight?: "Bolder"
  readonly color?: (typeof colors)[Tone]
  readonly isSubtle?: true
  readonly fontType?: "Monospace"
  readonly selectAction?: { readonly type: "Action.OpenUrl"; readonly url: string }
}

const run = (value: string, url: string | null = null, style: Pick<Run, "weight"> = {}): Run => ({
  type: "TextRun",
  text: value,
  ...style,
  ...(url === null ? {} : { selectAction: { type: "Action.OpenUrl", url } }),
})

const bold = (value: string, url: string | null = null): Run => run(value, url, { weight: "Bolder" })

const block = (inlines: Array<Run>, spacing: "Default" | "Small" | "None" = "Default") => ({
  type: "RichTextBlock" as const,
  spacing,
  inlines,
})

const cardOf = (content: Content) => {
  const { culprit, footer, frames, links, project, projectUrl, reason, sections, title, tone, url } = content
  const facts = factLine(content, braces)
  const code = frames.map((frame) => text(frame, 160)).filter((frame) => frame !== "")
  return {
    type: "AdaptiveCard" as const,
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json" as const,
    version: "1.4" as const,
    msteams: { width: "full" as const },
    body: [
      block([
        { ...bold(orElse(text(reason, 200), "Errata")), color: colors[tone] },
        run(" in "),
        run(orElse(text(project, 100), "a project"), projectUrl),
      ]),
      ...(title === null ? [] : [block([bold(orElse(text(title, 600), "Error"), url)], "Small")]),
      ...(culprit === null ? [] : [block([{ ...run(text(culprit, 200)), isSubtle: true }], "None")]),
      ...(facts === "" ? [] : [block([run(facts)], "Small")]),
      ...code.map((frame, index) =>
        block([{ ...run(frame), fontType: "Monospace" }], index === 0 ? "Small" : "None"),
      ),
      ...sections.flatMap(({ lines, more, title: heading }) => [
        block([bold(orElse(text(heading, 100), "Groups"))]),
        ...lines.map((line) => block([run("• "), run(orElse(text(line.text, 160), "…"), line.url)], "None")),
        ...(more === 0 ? [] : [block([run(`• ${moreText(more)}`)], "None")]),
        ...(lines.length + more === 0 ? [block([run("• none")], "None")] : []),
      ]),
      ...(footer === "" ? [] : [block([{ ...run(text(footer, 200)), isSubtle: true }], "Small")]),
    ],
    actions: links.map(({ label, url: link }) => ({
      type: "Action.OpenUrl" as const,
      title: label,
      url: link,
    })),
  }
}
