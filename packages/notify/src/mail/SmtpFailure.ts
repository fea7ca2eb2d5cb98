/** Failures of mail servers for the delivery history. */
import { NotificationFailed } from "@errata/core/ports"
import { Redacted } from "effect"
import { oneLine } from "../internal/Text.js"
import type { MailServer } from "./MailSettings.js"

/** An error of the SMTP client. Every property may be missing. */
export interface SmtpError {
  readonly message: string
  readonly code?: string | number | undefined
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
  readonly command?: string | undefined
  readonly rejectedErrors?: ReadonlyArray<SmtpError> | undefined
}

/** A failure before the mail is handed over: another attempt may find the server, or its configuration, repaired. */
export const ofConnection = (error: SmtpError, server: MailServer): NotificationFailed =>
  failed({ detail: connectionDetail(error, server), isRetryable: true, status: error.responseCode ?? null })

/** A failure while the mail is handed over. */
export const ofSending = (error: SmtpError, server: MailServer): NotificationFailed => {
  const [refusal = error] = error.rejectedErrors ?? []
  const { response = "", responseCode: status } = refusal
  if (status === undefined)
    return error.code === "EENVELOPE"
      ? failed({ detail: "the address cannot be used", isRetryable: false, status: null })
      : ofConnection(error, server)
  const answer = shown(response, server)
  if (status < 500)
    return failed({ detail: `the mail server postponed the mail: ${answer}`, isRetryable: true, status })
  return refusal.command?.startsWith("RCPT") && isUnknownMailbox(response)
    ? failed(
        { detail: `the mail server does not know the address: ${answer}`, isRetryable: false, status },
        true,
      )
    : failed({ detail: `the mail server rejected the mail: ${answer}`, isRetryable: false, status })
}

/** A server without authentication, although the settings have a user name. */
export const withoutAuthentication = (): NotificationFailed =>
  failed({ detail: "the mail server does not offer authentication", isRetryable: true, status: null })

// internal

const failed = (
  failure: Pick<NotificationFailed, "detail" | "isRetryable" | "status">,
  isBounced = false,
): NotificationFailed => new NotificationFailed({ ...failure, retryAfterMs: null, isBounced })

/**
 * Finds permanent answers to RCPT that concern the mailbox, and not the sender, the server or its policy. RFC 3463: 5.1.x is the
 * address (7 and 8 are the sender's), 5.2.1 a disabled mailbox. Servers without these codes say it in words.
 */
const isUnknownMailbox = (response: string): boolean => {
  const enhanced = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]
  if (enhanced !== undefined) return /^5\.(1\.([0-6]|9|10)|2\.1)$/.test(enhanced)
  return (
    /^55[013]/.test(response) &&
    !/relay|spam|block|black|denied|policy|reputation|spf|dkim|dmarc/i.test(response)
  )
}

const connectionDetail = (error: SmtpError, server: MailServer): string => {
  const { code, message, response, responseCode } = error
  if (code === "EAUTH" || code === "ENOAUTH")
    // Some servers echo the input, so their text is omitted.
    return `the mail server rejected the user name or the password${responseCode === undefined ? "" : `: ${responseCode}`}`
  if (code === "ETLS" || (responseCode === undefined && /certificate|tls|ssl/i.test(message)))
    return `the TLS connection to the mail server failed: ${shown(message, server)}`
  if (responseCode !== undefined && response)
    return `the mail server refused the connection: ${shown(response, server)}`
  if (code === "ETIMEDOUT") return "the mail server did not respond in time"
  if (code === "EDNS") return "the mail server's host name was not found"
  return `the connection to the mail server failed: ${/\bE[A-Z]{3,}\b/.exec(message)?.[0] ?? code ?? "unknown"}`
}

/** A text of the server without the password in any of the forms in which it is sent. */
const shown = (text: string, { credentials }: MailServer): string => {
  if (credentials === null) return oneLine(text, 300)
  const password = Redacted.value(credentials.password)
  const base64 = (plain: string) => Buffer.from(plain).toString("base64")
  const forms = [
    password,
    encodeURIComponent(password),
    base64(password),
    base64(`\0${credentials.user}\0${password}`),
  ]
  return oneLine(
    forms.reduce((hidden, form) => hidden.replaceAll(form, "[hidden]"), text),
    300,
  )
}
