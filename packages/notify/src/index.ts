/** Targets of notifications. */
import type { NotificationTarget } from "@errata/core/ports"
import { discord } from "./Discord.js"
import { googleChat } from "./GoogleChat.js"
import { mattermost } from "./Mattermost.js"
import { ntfy } from "./Ntfy.js"
import { pagerDuty } from "./PagerDuty.js"
import { slack } from "./Slack.js"
import { teams } from "./Teams.js"
import { telegram } from "./Telegram.js"

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
