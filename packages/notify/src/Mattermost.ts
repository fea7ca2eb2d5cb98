/** Messages to a channel of Mattermost, by an incoming webhook. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { anyUrl, checkOf } from "./internal/Address.js"
import { contentOf, headlineOf, type Tone } from "./internal/Content.js"
import { linesOf, linked, markdown } from "./internal/Markdown.js"
import { oneLine, orElse } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "url",
    label: "Webhook URL",
    description: "In Mattermost, open Integrations, Incoming Webhooks, and add one for the channel.",
    isSecret: true,
    isRequired: true,
    placeholder: "https://chat.example.com/hooks/xxxx",
  },
]

/** Sends to a channel of Mattermost. */
export const mattermost: NotificationTarget = HttpTarget.make({
  kind: "mattermost",
  label: "Mattermost",
  fields,
  check: checkOf(fields, {
    url: anyUrl({ path: /\/hooks\/[a-z0-9]+$/i, example: "https://chat.example.com/hooks/xxxx" }),
  }),
  request: (notification, { url = "" }) => ({ url, body: messageOf(notification) }),
})

/** The body of a message: one attachment. Older servers accept 7,600 characters of attachments as JSON. */
export const messageOf = (notification: Notification) => {
  const content = contentOf(notification)
  const { project, projectUrl, reason, title, tone, url } = content
  const head = `**${oneLine(reason, 200, markdown)}** in ${linked(orElse(oneLine(project, 100, markdown), "a project"), projectUrl)}`
  const heading = title === null ? [] : [`**${linked(orElse(oneLine(title, 400, markdown), "Error"), url)}**`]
  return {
    username: "Errata",
    attachments: [
      {
        fallback: oneLine(headlineOf(content), 300, (character) =>
          character === "@" ? "@\u200b" : character,
        ),
        color: colors[tone],
        text: [head, ...heading, linesOf(content, 2_600)].join("\n"),
      },
    ],
  }
}

// internal

const colors: Readonly<Record<Tone, string>> = {
  bad: "#d33a2c",
  warning: "#e0a100",
  neutral: "#3b76d9",
  good: "#2f9e55",
}
