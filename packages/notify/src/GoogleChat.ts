/** Messages to a space of Google Chat, by an incoming webhook. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { checkOf, httpsUrl } from "./internal/Address.js"
import { type Content, contentOf, factLine, headlineOf, moreText } from "./internal/Content.js"
import { html, htmlLink, oneLine, orElse } from "./internal/Text.js"

const fields: ReadonlyArray<TargetField> = [
  {
    name: "url",
    label: "Webhook URL",
    description:
      "In the menu of the space, open Apps & integrations, Webhooks, and copy the URL of a new webhook.",
    isSecret: true,
    isRequired: true,
    placeholder: "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=XXXX&token=XXXX",
  },
]

/** Sends to a space of Google Chat. Messages about one group share a thread. */
export const googleChat: NotificationTarget = HttpTarget.make({
  kind: "google_chat",
  label: "Google Chat",
  fields,
  check: checkOf(fields, {
    url: (value) => {
      const fault = httpsUrl({
        hosts: ["chat.googleapis.com"],
        path: /^\/v1\/spaces\/[\w-]+\/messages$/,
        example,
      })(value)
      if (fault !== null) return fault
      const { searchParams } = new URL(value)
      return searchParams.has("key") && searchParams.has("token") ? null : `must be a URL such as ${example}`
    },
  }),
  request: (notification, { url = "" }) => ({ url: threadedUrl(url), body: messageOf(notification) }),
})

/** The body of a message: a card. Messages have at most 32,000 bytes. */
export const messageOf = (notification: Notification) => {
  const content = contentOf(notification)
  const { project, reason } = content
  const sections = sectionsOf(content)
  const { group } = notification
  return {
    fallbackText: oneLine(headlineOf(content), 500),
    cardsV2: [
      {
        cardId: "notification",
        card: {
          // Plain text without markup.
          header: { title: orElse(oneLine(reason, 200), "Errata"), subtitle: oneLine(project, 200) },
          ...(sections.length === 0 ? {} : { sections }),
        },
      },
    ],
    ...(group === null ? {} : { thread: { threadKey: `errata-${notification.project.id}-${group.id}` } }),
  }
}

// internal

const example = "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=XXXX&token=XXXX"

const threadedUrl = (text: string): string => {
  const url = new URL(text)
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD")
  return url.href
}

const paragraph = (text: string) => ({ textParagraph: { text } })

const sectionsOf = (content: Content) => {
  const { culprit, footer, frames, links, sections, title, url } = content
  const facts = factLine(content, html)
  const code = frames.map((frame) => oneLine(frame, 160, html)).filter((frame) => frame !== "")
  const widgets = [
    ...(title === null
      ? []
      : [paragraph(`<b>${htmlLink(orElse(oneLine(title, 600, html), "Error"), url)}</b>`)]),
    ...(culprit === null ? [] : [paragraph(oneLine(culprit, 200, html))]),
    ...(facts === "" ? [] : [paragraph(facts)]),
    ...(code.length === 0 ? [] : [paragraph(code.join("<br>"))]),
  ]
  const buttons = links.map(({ label, url: link }) => ({ text: label, onClick: { openLink: { url: link } } }))
  const end = [
    ...(footer === "" ? [] : [paragraph(`<i>${oneLine(footer, 200, html)}</i>`)]),
    ...(buttons.length === 0 ? [] : [{ buttonList: { buttons } }]),
  ]
  return [
    ...(widgets.length === 0 ? [] : [{ widgets }]),
    ...sections.map(({ lines, more, title: heading }) => ({
      // Headers of sections have markup.
      header: orElse(oneLine(heading, 100, html), "Groups"),
      widgets: [
        paragraph(
          [
            ...lines.map(({ text, url: link }) => htmlLink(orElse(oneLine(text, 200, html), "…"), link)),
            ...(more === 0 ? [] : [moreText(more)]),
            ...(lines.length + more === 0 ? ["none"] : []),
          ].join("<br>"),
        ),
      ],
    })),
    ...(end.length === 0 ? [] : [{ widgets: end }]),
  ]
}
