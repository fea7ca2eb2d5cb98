/** Mail settings of users, and paused addresses. */
import type { MemberMail, PausedAddress } from "@errata/core"
import { Schema } from "effect"
import { flag, text, textOrNull, time, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { optional } from "./Params.js"

const Mode = Schema.Literals(["everything", "new_and_reopened", "assigned", "nothing"]).annotate({
  message: "must be everything, new_and_reopened, assigned or nothing",
})

const Digest = Schema.Literals(["never", "daily", "weekly"]).annotate({
  message: "must be never, daily or weekly",
})

const mode =
  "Notifications by mail: all that rules send to members, those about new and reopened groups, those about groups that are assigned to the person, or none"
const digest = "Digest by mail at 8:00 in the time zone of the project, a weekly one on Mondays"

/** A person's settings for the mail of a project. */
export const MailSettingsView = Schema.Struct({
  mode: described(mode, Mode),
  digest: described(digest, Digest),
  mail: flag("True if the instance can send mail"),
}).pipe(named("MailSettings", { mode: "new_and_reopened", digest: "weekly", mail: true }))
export type MailSettingsView = typeof MailSettingsView.Type

/** Changes of these settings. Missing fields stay as they are. */
export const MailSettingsUpdate = Schema.Struct({
  mode: described(mode, optional(Mode)),
  digest: described(digest, optional(Digest)),
}).pipe(named("MailSettingsUpdate", { digest: "weekly" }))
export type MailSettingsUpdate = typeof MailSettingsUpdate.Type

/** A paused address. */
export const PausedAddressView = Schema.Struct({
  address: text("Mail address, in lower case"),
  detail: text("Answer of the mail server"),
  paused_at: time("Time at which mail came back"),
}).pipe(
  named("PausedAddress", {
    address: "ann@example.com",
    detail: "550 5.1.1 No such user",
    paused_at: "2026-01-05T09:30:00.000Z",
  }),
)
export type PausedAddressView = typeof PausedAddressView.Type

/** A page of paused addresses. */
export const PausedAddressesView = Schema.Struct({
  addresses: described("The addresses in alphabetical order", Schema.Array(PausedAddressView)),
  next: textOrNull("Value of `after` for the next page. Null on the last page"),
}).annotate({
  identifier: "PausedAddresses",
  examples: [
    {
      addresses: [
        {
          address: "ann@example.com",
          detail: "550 5.1.1 No such user",
          paused_at: "2026-01-05T09:30:00.000Z",
        },
      ],
      next: null,
    } as never,
  ],
})
export type PausedAddressesView = typeof PausedAddressesView.Type

export const mailSettingsView = ({ digest, mode }: MemberMail, mail: boolean): MailSettingsView => ({
  mode,
  digest,
  mail,
})

export const pausedAddressView: (address: PausedAddress) => PausedAddressView = viewOf(
  PausedAddressView.fields,
)
