/** Notification targets: mail, chats and pagers. */
import { Mailer, type NotificationTarget, NotificationTargets } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { discord } from "./Discord.js"
import { googleChat } from "./GoogleChat.js"
import { mattermost } from "./Mattermost.js"
import * as Mail from "./mail/Mail.js"
import type { MailSettings, MailSettingsInvalid } from "./mail/MailSettings.js"
import { ntfy } from "./Ntfy.js"
import { pagerDuty } from "./PagerDuty.js"
import { slack } from "./Slack.js"
import { teams } from "./Teams.js"
import { telegram } from "./Telegram.js"

export type { Mail } from "./mail/Mail.js"
export { type MailSettings, MailSettingsInvalid, type MailTlsSettings } from "./mail/MailSettings.js"
export { discord, googleChat, mattermost, ntfy, pagerDuty, slack, teams, telegram }

/** The targets that need no settings of the instance: all but mail. */
export const chatTargets: ReadonlyArray<NotificationTarget> = [
  slack,
  discord,
  teams,
  mattermost,
  googleChat,
  telegram,
  pagerDuty,
  ntfy,
]

/** Makes the target of mail, and the sender of mail about accounts. The connections are closed with the scope. */
export const mail = Mail.make

/** Options for the kinds of targets. */
export interface NotifyOptions {
  /** The mail server; null for an instance that sends no mail. */
  readonly smtp: MailSettings | null
  /** More targets. Their kinds differ from those of this package. */
  readonly extra?: ReadonlyArray<NotificationTarget>
}

/** Provides the chats, mail if it is set up, and more targets, with the sender of mail about accounts. */
export const layer = ({ extra = [], smtp }: NotifyOptions): Layer.Layer<never, MailSettingsInvalid> =>
  smtp === null
    ? Layer.succeed(NotificationTargets, [...chatTargets, ...extra])
    : layerOf(smtp, (target) => [target, ...chatTargets, ...extra])

/** Provides mail alone. */
export const mailLayer = (settings: MailSettings): Layer.Layer<never, MailSettingsInvalid> =>
  layerOf(settings, (target) => [target])

// internal

const layerOf = (
  settings: MailSettings,
  targets: (mail: NotificationTarget) => ReadonlyArray<NotificationTarget>,
): Layer.Layer<never, MailSettingsInvalid> =>
  Layer.unwrap(
    Effect.map(Mail.make(settings), ({ sendAccountMail, target }) =>
      Layer.merge(
        Layer.succeed(NotificationTargets, targets(target)),
        Layer.succeed(Mailer, sendAccountMail),
      ),
    ),
  )
