/** The port that sends mail to single people about their accounts. */
import { Context, type Effect, Schema } from "effect"

/** A mail about an account. Links work once, until `expiresAt` (epoch milliseconds). */
export type AccountMail =
  | {
      readonly kind: "invitation"
      readonly to: string
      readonly name: string
      /** The person who invites; null if it is the command line. */
      readonly invitedBy: string | null
      readonly url: string
      readonly expiresAt: number
    }
  | {
      readonly kind: "password_reset"
      readonly to: string
      readonly name: string
      readonly url: string
      readonly expiresAt: number
    }

/** A mail was not handed over to a mail server. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  /** One sentence for people, without secrets. */
  detail: Schema.String,
}) {}

/** Sends mail about accounts. Null where mail is not set up; people then pass links on by themselves. */
export const Mailer = Context.Reference("@errata/core/mail/Mailer", {
  defaultValue: (): ((mail: AccountMail) => Effect.Effect<void, MailFailed>) | null => null,
})
