/** Messages of a Telegram bot to a chat, group or channel. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { checkOf, matching } from "./internal/Address.js"
import { type Content, contentOf, factLine, moreText, type Tone } from "./internal/Content.js"
import { html, htmlLink, oneLine, orElse, whole } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "token",
    label: "Bot token",
    description: "The token that @BotFather shows for your bot.",
    isSecret: true,
    isRequired: true,
    placeholder: "123456789:AAExampleExampleExampleExampleExampl",
  },
  {
    name: "chat_id",
    label: "Chat",
    description: "The number of the chat, or @name of a public channel or group. The bot must be a member.",
    isSecret: false,
    isRequired: true,
    placeholder: "-1001234567890",
  },
  {
    name: "topic_id",
    label: "Topic",
    description: "The number of a topic, for groups with topics.",
    isSecret: false,
    isRequired: false,
    placeholder: "12",
  },
]

/** Sends to a chat of Telegram. */
export const telegram: NotificationTarget = HttpTarget.make({
  kind: "telegram",
  label: "Telegram",
  fields,
  check: checkOf(fields, {
    token: matching(/^\d{5,20}:[\w-]{30,60}$/, "must be a token of a bot such as 123456789:AAExample"),
    chat_id: matching(
      /^(-?\d{1,20}|@[A-Za-z]\w{3,31})$/,
      "must be the number of a chat, or the @name of a public channel or group",
    ),
    topic_id: matching(/^\d{1,10}$/, "must be the number of a topic"),
  }),
  request: (notification, { chat_id = "", token = "", topic_id = "" }) => ({
    url: `https://api.telegram.org/bot${token}/sendMessage`,
    body: {
      chat_id,
      ...(topic_id === "" ? {} : { message_thread_id: Number(topic_id) }),
      ...messageOf(notification),
    },
  }),
})

/** The body of a message, besides the chat. The text has at most 4,096 characters besides its tags. */
export const messageOf = (notification: Notification) => {
  const content = contentOf(notification)
  const buttons = content.links
    .filter(({ url }) => isPublicName(url))
    .map(({ label: text, url }) => ({ text, url }))
  return {
    text: textOf(content),
    parse_mode: "HTML" as const,
    link_preview_options: { is_disabled: true },
    ...(buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: [buttons] } }),
  }
}

// internal

const emojis: Readonly<Record<Tone, string>> = { bad: "🔴", warning: "🟡", neutral: "🔵", good: "✅" }

/** Telegram rejects messages with buttons for `localhost` and other names without a dot. */
const isPublicName = (url: string): boolean => new URL(url).hostname.includes(".")

const textOf = (content: Content): string => {
  const { culprit, footer, frames, project, projectUrl, reason, sections, title, tone, url } = content
  const facts = factLine(content, html)
  const code = frames.map((frame) => oneLine(frame, 160, html)).join("\n")
  const parts = [
    `${emojis[tone]} <b>${oneLine(reason, 200, html)}</b> in ${htmlLink(oneLine(project, 100, html), projectUrl)}`,
    ...(title === null ? [] : [`<b>${htmlLink(orElse(oneLine(title, 600, html), "Error"), url)}</b>`]),
    ...(culprit === null ? [] : [`<i>${oneLine(culprit, 200, html)}</i>`]),
    ...(facts === "" ? [] : [facts]),
    ...(code.trim() === "" ? [] : [`<pre>${code}</pre>`]),
    ...sections.flatMap(({ lines, more, title: heading }) => [
      `\n<b>${orElse(oneLine(heading, 100, html), "Groups")}</b>`,
      ...lines.map(
        ({ text, url: lineUrl }) => `• ${htmlLink(orElse(oneLine(text, 160, html), "…"), lineUrl)}`,
      ),
      ...(more === 0 ? [] : [`• ${moreText(more)}`]),
      ...(lines.length + more === 0 ? ["• none"] : []),
    ]),
    ...(footer === "" ? [] : [`<i>${oneLine(footer, 200, html)}</i>`]),
  ]
  return whole(parts, 4_096, { size: (text) => text.replace(/<[^>]*>/g, "").length })
}
