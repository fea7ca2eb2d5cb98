/** Messages against the types that receivers, or the authors of their SDKs, publish. The compiler does the checks. */
import type { InlineKeyboardMarkup, LinkPreviewOptions, ParseMode } from "@grammyjs/types"
import type { IAdaptiveCard } from "@microsoft/teams.cards"
import type { KnownBlock } from "@slack/types"
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10"
import { expect, it } from "vitest"
import * as Discord from "../src/Discord.js"
import * as Slack from "../src/Slack.js"
import * as Teams from "../src/Teams.js"
import * as Telegram from "../src/Telegram.js"
import { samples } from "./support/Samples.js"

it.each(Object.values(samples))("has the types of receivers: $kind", (notification) => {
  const slack: { text: string; unfurl_links: boolean; unfurl_media: boolean; blocks: Array<KnownBlock> } =
    Slack.messageOf(notification)
  expect(slack.blocks.length).toBeLessThanOrEqual(50)

  const discord: RESTPostAPIWebhookWithTokenJSONBody = Discord.messageOf(notification)
  expect(discord.embeds).toHaveLength(1)

  const [attachment] = Teams.messageOf(notification).attachments
  const card: IAdaptiveCard = attachment!.content
  expect(card.version).toBe("1.4")

  const telegram: {
    text: string
    parse_mode: ParseMode
    link_preview_options: LinkPreviewOptions
    reply_markup?: InlineKeyboardMarkup
  } = Telegram.messageOf(notification)
  expect(telegram.parse_mode).toBe("HTML")
})
