/** Messages to a channel of Discord, by a webhook. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { DateTime } from "effect"
import { checkOf, httpsUrl } from "./internal/Address.js"
import { contentOf, type Tone } from "./internal/Content.js"
import { linesOf, markdown } from "./internal/Markdown.js"
import { oneLine, orElse } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "url",
    label: "Webhook URL",
    description:
      "In the settings of the channel, open Integrations, Webhooks, and copy the URL of a new webhook.",
    isSecret: true,
    isRequired: true,
    placeholder: "https://discord.com/api/webhooks/1234/XXXX",
  },
]

/** Sends to a channel of Discord. */
export const discord: NotificationTarget = HttpTarget.make({
  kind: "discord",
  label: "Discord",
  fields,
  check: checkOf(fields, {
    url: httpsUrl({
      hosts: ["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"],
      path: /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+$/,
      example: "https://discord.com/api/webhooks/1234/XXXX",
    }),
  }),
  request: (notification, { url = "" }) => ({ url, body: messageOf(notification) }),
})

/** The body of a message: one embed. It mentions no users. */
export const messageOf = (notification: Notification) => {
  const content = contentOf(notification)
  const { project, projectUrl, reason, title, tone, url } = content
  const heading = title ?? reason
  return {
    username: "Errata",
    allowed_mentions: { parse: [] as Array<never> },
    embeds: [
      {
        author: {
          // Plain text without markup.
          name: oneLine(title === null ? project : `${project}: ${reason}`, 256) || "Errata",
          ...(projectUrl === null ? {} : { url: projectUrl }),
        },
        title: orElse(oneLine(heading, 256, markdown), "Error"),
        ...(url === null ? {} : { url }),
        description: linesOf(content, 4_000),
        color: colors[tone],
        timestamp: DateTime.formatIso(notification.at),
      },
    ],
  }
}

// internal

const colors: Readonly<Record<Tone, number>> = {
  bad: 0xd33a2c,
  warning: 0xe0a100,
  neutral: 0x3b76d9,
  good: 0x2f9e55,
}
