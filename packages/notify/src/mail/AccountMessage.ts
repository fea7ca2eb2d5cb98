/** Mail about accounts: invitations, and new passwords. */
import type { AccountMail } from "@errata/core/ports"
import { linkOf, oneLine, orElse } from "../internal/Text.js"
import * as Layout from "./MailLayout.js"
import type { Mail } from "./MailMessage.js"

/** Makes a mail. */
export const make = (mail: AccountMail): Mail => {
  const { button, lines, title } = wordsOf(mail)
  const url = linkOf(mail.url, 2_000)
  const expires = `The link works once, until ${timeOf(mail.expiresAt)}.`
  const greeting = `Hello ${orElse(oneLine(mail.name, 100), "there")},`
  const why =
    mail.kind === "invitation"
      ? "If you do not expect this invitation, ignore this mail."
      : "If you did not request this, ignore this mail. Your password stays as it is."
  return {
    to: mail.to,
    subject: title,
    html: Layout.pageOf({
      title,
      preview: lines[0] ?? "",
      accent: "neutral",
      body: [
        Layout.heading(Layout.escaped(title, 200)),
        Layout.paragraph(Layout.escaped(greeting, 120)),
        ...lines.map((line) => Layout.paragraph(Layout.escaped(line, 400))),
        ...(url === null ? [] : Layout.buttons([{ label: button, url }])),
        ...(url === null
          ? []
          : [
              Layout.note(
                `If the button does not work, open this address:<br>${Layout.link(url, url.replaceAll("&", "&amp;"))}`,
              ),
            ]),
        Layout.note(Layout.escaped(expires, 200)),
      ],
      footer: [Layout.escaped(why, 200)],
    }),
    text: [greeting, ...lines, ...(url === null ? [] : [`${button}: ${url}`]), expires, `-- \n${why}\n`].join(
      "\n\n",
    ),
    messageId: null,
    thread: null,
    unsubscribeUrl: null,
  }
}

// internal

const wordsOf = (mail: AccountMail) => {
  const host = URL.canParse(mail.url) ? new URL(mail.url).host : "this instance"
  if (mail.kind === "password_reset")
    return {
      title: "Choose a new password for Errata",
      lines: [`A new password was requested for your account at ${host}.`],
      button: "Choose a password",
    }
  const inviter = mail.invitedBy === null ? "" : oneLine(mail.invitedBy, 80)
  return {
    title: inviter === "" ? "You are invited to Errata" : `${inviter} invites you to Errata`,
    lines: [
      `You have an account at ${host}, where your team follows the errors of its applications.`,
      "Choose a password to sign in.",
    ],
    button: "Accept the invitation",
  }
}

const timeOf = (epochMillis: number): string =>
  `${new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(epochMillis)} UTC`
