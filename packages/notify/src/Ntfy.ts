/** Notifications on phones and desktops, by ntfy. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { anyUrl, checkOf, matching } from "./internal/Address.js"
import { type Content, contentOf, factLine, moreText, type Tone } from "./internal/Content.js"
import { bytesOf, oneLine, whole } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "url",
    label: "Topic URL",
    description:
      "The address of the server and the topic. Everyone who knows a topic of ntfy.sh can read it.",
    isSecret: true,
    isRequired: true,
    placeholder: "https://ntfy.sh/errata-x7Kq2mP9",
  },
  {
    name: "token",
    label: "Access token",
    description: "A token with write access, for topics that are protected.",
    isSecret: true,
    isRequired: false,
    placeholder: "tk_xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  },
]

/** Sends to a topic of ntfy. */
export const ntfy: NotificationTarget = HttpTarget.make({
  kind: "ntfy",
  label: "ntfy",
  fields,
  check: checkOf(fields, {
    url: anyUrl({ path: /^\/[\w-]{1,64}$/, example: "https://ntfy.sh/errata-x7Kq2mP9" }),
    token: matching(/^tk_[A-Za-z0-9]{10,60}$/, "must be an access token, which begins with tk_"),
  }),
  request: (notification, { token = "", url = "" }) => {
    const { origin, pathname } = new URL(url)
    return {
      url: `${origin}/`,
      ...(token === "" ? {} : { headers: { authorization: `Bearer ${token}` } }),
      body: { topic: pathname.slice(1), ...messageOf(notification) },
    }
  },
})

/** The body of a message, besides the topic: plain text of at most 4,096 bytes. */
export const messageOf = (notification: Notification) => {
  const content = contentOf(notification)
  const { links, project, reason, tone } = content
  const [first] = links
  return {
    title: oneLine(`[${project}] ${reason}`, 200),
    message: textOf(content),
    priority:
      notification.kind === "alert" && notification.group?.severity === "fatal" ? 5 : priorities[tone],
    tags: [tags[tone]],
    ...(first === undefined ? {} : { click: first.url }),
    // A message has at most three.
    actions: links
      .slice(0, 3)
      .map(({ label, url }) => ({ action: "view" as const, label, url, clear: true })),
  }
}

// internal

const priorities: Readonly<Record<Tone, 3 | 4>> = { bad: 4, warning: 3, neutral: 3, good: 3 }

const tags: Readonly<Record<Tone, string>> = {
  bad: "rotating_light",
  warning: "warning",
  neutral: "information_source",
  good: "white_check_mark",
}

const textOf = (content: Content): string => {
  const { culprit, footer, frames, reason, sections, title } = content
  const facts = factLine(content)
  const parts = [
    oneLine(title ?? reason, 300),
    ...(culprit === null ? [] : [oneLine(culprit, 200)]),
    ...(facts === "" ? [] : [facts]),
    ...frames.map((frame) => oneLine(frame, 160)),
    ...sections.flatMap(({ lines, more, title: heading }) => [
      "",
      oneLine(heading, 100),
      ...lines.map(({ text }) => `• ${oneLine(text, 160)}`),
      ...(more === 0 ? [] : [`• ${moreText(more)}`]),
      ...(lines.length + more === 0 ? ["• none"] : []),
    ]),
    ...(footer === "" ? [] : [oneLine(footer, 200)]),
  ]
  return whole(parts, 4_096, { size: bytesOf })
}
