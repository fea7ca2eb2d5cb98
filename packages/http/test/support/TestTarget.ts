/** Kinds of targets for tests: one over HTTP, and a mail that goes nowhere. */
import type { Notification } from "@errata/core"
import { HttpTarget, type NotificationTarget, type SendOptions, type TargetAddress } from "@errata/core/ports"
import { Effect } from "effect"

/** Posts notifications as JSON to a secret URL. */
export const httpTarget: NotificationTarget = HttpTarget.make({
  kind: "test",
  label: "Test",
  fields: [
    {
      name: "url",
      label: "URL",
      description: "The address of a server.",
      isSecret: true,
      isRequired: true,
      placeholder: "https://hooks.example.com/errata",
    },
    {
      name: "channel",
      label: "Channel",
      description: "The name of a channel.",
      isSecret: false,
      isRequired: false,
      placeholder: "#errors",
    },
  ],
  requiresBaseUrl: false,
  check: ({ url = "" }) => (/^https?:\/\/[^/]/.test(url) ? {} : { url: "must be an http or https URL" }),
  request: (notification, { url = "" }) => ({ url, body: notification }),
})

/** A mail as a mail server would have got it. */
export interface SentMail {
  readonly notification: Notification
  readonly address: TargetAddress
  readonly options: SendOptions
}

/** Mail that is kept in place of being sent. */
export const mailTarget = (sent: Array<SentMail>): NotificationTarget => ({
  kind: "mail",
  label: "Mail",
  fields: [
    {
      name: "to",
      label: "Addresses",
      description: "Mail addresses with commas between.",
      isSecret: false,
      isRequired: true,
      placeholder: "team@example.com",
    },
  ],
  check: () => ({}),
  send: (notification, address, options) =>
    Effect.sync(() => {
      sent.push({ notification, address, options })
      return { status: null }
    }),
})
