/** Messages to a channel of Slack, by an incoming webhook. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { checkOf, httpsUrl } from "./internal/Address.js"
import { type Content, contentOf, factLine, headlineOf, moreText, type Tone } from "./internal/Content.js"
import { oneLine, orElse } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "url",
    label: "Webhook URL",
    description: "In your app at api.slack.com/apps, open Incoming Webhooks and add one for the channel.",
    isSecret: true,
    isRequired: true,
    placeholder: "https://hooks.slack.com/services/T000/B000/XXXX",
  },
]

/** Sends to a channel of Slack. */
export const slack: NotificationTarget = HttpTarget.make({
  kind: "slack",
  label: "Slack",
  fields,
  check: checkOf(fields, {
    url: httpsUrl({
      hosts: ["hooks.slack.com", "hooks.slack-gov.com"],
      path: /^\/services\/\w+\/\w+\/\w+$/,
      example: "https://hooks.slack.com/services/T000/B000/XXXX",
    }),
  }),
  request: (notification, { url = "" }) => ({ url, body: messageOf(notification) }),
})

/** The body of a message. Rich text has no markup that texts of applications could use; the fallback is escaped. */
export const messageOf = (notification: Notification) => {
  const content = contentOf(notification)
  return {
    text: oneLine(headlineOf(content), 1_000, escape),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      {
        type: "rich_text" as const,
        elements: [...headOf(content), ...framesOf(content), ...listsOf(content)],
      },
      ...contextOf(content),
      ...linksOf(content),
    ],
  }
}

// internal

/** The limit of all blocks together is near 13,000 characters; these keep messages below it. */
const longest = { title: 300, line: 120, culprit: 200, frame: 160, project: 100 }

const escape = (character: string): string =>
  character === "&" ? "&amp;" : character === "<" ? "&lt;" : character === ">" ? "&gt;" : character

const emojis: Readonly<Record<Tone, string>> = {
  bad: "red_circle",
  warning: "large_yellow_circle",
  neutral: "large_blue_circle",
  good: "white_check_mark",
}

const plain = (text: string) => ({ type: "text" as const, text })
const bold = (text: string) => ({ type: "text" as const, text, style: { bold: true } })
const code = (text: string) => ({ type: "text" as const, text, style: { code: true } })

const linked = (text: string, url: string | null) =>
  url === null ? plain(text) : { type: "link" as const, url, text }

const boldLink = (text: string, url: string | null) =>
  url === null ? bold(text) : { type: "link" as const, url, text, style: { bold: true } }

type Inline = ReturnType<typeof plain | typeof linked | typeof boldLink | typeof code | typeof emoji>

const emoji = (name: string) => ({ type: "emoji" as const, name })

const line = (elements: Array<Inline>) => ({ type: "rich_text_section" as const, elements })

const headOf = ({ culprit, project, projectUrl, reason, title, tone, url }: Content) => [
  line([
    emoji(emojis[tone]),
    bold(` ${oneLine(reason, 200)}`),
    plain(" in "),
    linked(orElse(oneLine(project, longest.project), "a project"), projectUrl),
    ...(title === null ? [] : [plain("\n"), boldLink(orElse(oneLine(title, longest.title), "Error"), url)]),
    ...(culprit === null || oneLine(culprit, longest.culprit) === ""
      ? []
      : [plain("\n"), code(oneLine(culprit, longest.culprit))]),
  ]),
]

const framesOf = ({ frames }: Content) => {
  const text = frames.map((frame) => oneLine(frame, longest.frame)).join("\n")
  return text.trim() === "" ? [] : [{ type: "rich_text_preformatted" as const, elements: [plain(text)] }]
}

const listsOf = ({ sections }: Content) =>
  sections.flatMap(({ lines, more, title }) => [
    line([bold(orElse(oneLine(title, 100), "Groups"))]),
    {
      type: "rich_text_list" as const,
      style: "bullet" as const,
      elements: [
        ...lines.map(({ text, url }) => line([linked(orElse(oneLine(text, longest.line), "…"), url)])),
        ...(more === 0 ? [] : [line([plain(moreText(more))])]),
        ...(lines.length + more === 0 ? [line([plain("none")])] : []),
      ],
    },
  ])

const contextOf = (content: Content) => {
  const parts = [factLine(content), oneLine(content.footer, 200)].filter((text) => text !== "")
  return parts.length === 0
    ? []
    : [
        {
          type: "context" as const,
          elements: parts.map((text) => ({ type: "plain_text" as const, text, emoji: false })),
        },
      ]
}

const linksOf = ({ links }: Content) =>
  links.length === 0
    ? []
    : [
        {
          type: "rich_text" as const,
          elements: [
            line(
              links.flatMap(({ label, url }, index) => [
                ...(index === 0 ? [] : [plain(" · ")]),
                linked(label, url),
              ]),
            ),
          ],
        },
      ]
