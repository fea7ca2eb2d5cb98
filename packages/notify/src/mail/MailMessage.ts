/** Mail as bytes: headers and parts. */
import { domainToASCII } from "node:url"
import { Effect } from "effect"
import MailComposer from "nodemailer/lib/mail-composer"
import type { SMTPEnvelope } from "nodemailer/lib/smtp-connection"
import type { MailSender } from "./MailSettings.js"

/** A mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** In angle brackets; null for a new one. */
  readonly messageId: string | null
  /** The message that this mail answers, in angle brackets; null if it begins a thread. */
  readonly thread: string | null
  readonly unsubscribeUrl: string | null
}

/** Composes a mail. Addresses and texts that contain line breaks cannot add headers: the composer encodes or drops them. */
export const compose = (
  { html, messageId, subject, text, thread, to, unsubscribeUrl }: Mail,
  sender: MailSender,
  now: number,
): Effect.Effect<{ readonly envelope: SMTPEnvelope; readonly content: Buffer }> =>
  Effect.promise(async () => {
    const node = new MailComposer({
      from: { name: sender.name, address: sender.address },
      to: { name: "", address: to },
      subject,
      html,
      text,
      date: new Date(now),
      ...(messageId === null ? {} : { messageId }),
      ...(thread === null ? {} : { inReplyTo: thread, references: thread }),
      headers: {
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        ...(unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl)),
      },
      disableFileAccess: true,
      disableUrlAccess: true,
      newline: "win",
    }).compile()
    return {
      envelope: { from: sender.address, to: [asciiAddress(to)] },
      content: await node.build(),
    }
  })

// internal

/** Domains with other letters have a form in ASCII, which every server accepts. */
const asciiAddress = (address: string): string => {
  const at = address.lastIndexOf("@") + 1
  return `${address.slice(0, at)}${domainToASCII(address.slice(at)) || address.slice(at)}`
}

/** One click is for https only (RFC 8058); other addresses open in a browser. */
const unsubscribeHeaders = (url: string) => ({
  "List-Unsubscribe": { prepared: true, value: `<${url}>` },
  ...(url.startsWith("https:") ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {}),
})
