/** Mail by SMTP: the target of notifications, and the mail about accounts. */
import { type AccountMail, MailFailed, type NotificationTarget, type TargetField } from "@errata/core/ports"
import { Clock, Effect, type Scope } from "effect"
import { checkOf } from "../internal/Address.js"
import * as AccountMessage from "./AccountMessage.js"
import * as MailMessage from "./MailMessage.js"
import * as MailSettings from "./MailSettings.js"
import * as NotificationMail from "./NotificationMail.js"
import * as SmtpClient from "./SmtpClient.js"

/** Sends mail. */
export interface Mail {
  /** The kind `mail`. */
  readonly target: NotificationTarget
  /** Sends mail about an account. */
  readonly sendAccountMail: (mail: AccountMail) => Effect.Effect<void, MailFailed>
}

/** Reads the settings. Connections are made when mail is sent, and closed with the scope. */
export const make = Effect.fn("Mail.make")(function* (
  settings: MailSettings.MailSettings,
): Effect.fn.Return<Mail, MailSettings.MailSettingsInvalid, Scope.Scope> {
  const { sender, server } = yield* MailSettings.read(settings)
  const client = yield* SmtpClient.make(server)

  const send = Effect.fnUntraced(function* (mail: MailMessage.Mail) {
    const { content, envelope } = yield* MailMessage.compose(mail, sender, yield* Clock.currentTimeMillis)
    return yield* client.send(envelope, content)
  })

  return {
    target: {
      kind: "mail",
      label: "Mail",
      fields,
      check: checkOf(fields, { to: recipientsFault }),
      send: (notification, { to = "" }, { unsubscribeUrl }) =>
        Effect.map(send(NotificationMail.make(notification, { sender, to, unsubscribeUrl })), (status) => ({
          status,
        })),
    },
    sendAccountMail: (mail) =>
      send(AccountMessage.make(mail)).pipe(
        // No queue repeats this mail, and a server may close a connection at the moment in which it is used again.
        Effect.retry({ times: 1, while: ({ isRetryable, status }) => isRetryable && status === null }),
        Effect.timeoutOrElse({
          duration: "30 seconds",
          orElse: () => new MailFailed({ detail: "the mail server did not respond in time" }),
        }),
        Effect.catchTag("NotificationFailed", ({ detail }) => new MailFailed({ detail })),
      ),
  }
})

// internal

const fields: ReadonlyArray<TargetField> = [
  {
    name: "to",
    label: "Addresses",
    description: "Up to 20 addresses, separated by commas. Each gets a mail of its own.",
    isSecret: false,
    isRequired: true,
    placeholder: "team@example.com, ann@example.com",
  },
]

const maxRecipients = 20

const recipientsFault = (text: string): string | null => {
  const addresses = text.split(",").map((address) => address.trim())
  if (addresses.length > maxRecipients) return `must have at most ${maxRecipients} addresses`
  const fault = addresses.find((address) => !MailSettings.isAddress(address))
  return fault === undefined
    ? null
    : `has something that is not an email address: ${fault.slice(0, 100) || "nothing between commas"}`
}
