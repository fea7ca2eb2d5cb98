/** Checks of addresses that users enter. */
import type { TargetAddress } from "@errata/core/ports"
import { describe, expect, it } from "vitest"
import { chatTargets } from "../src/index.js"
import { addresses } from "./support/Addresses.js"

const check = (kind: string, address: TargetAddress) =>
  chatTargets.find((target) => target.kind === kind)!.check(address)

describe("addresses", () => {
  it("have kinds and fields that fit the port", () => {
    for (const { fields, kind } of chatTargets) {
      expect(kind).toMatch(/^[a-z0-9_]{1,30}$/)
      for (const { description, name } of fields) {
        expect(name).toMatch(/^[a-z0-9_]+$/)
        expect(description).toMatch(/^[A-Z@e].*\.$/)
      }
    }
    expect(new Set(chatTargets.map(({ kind }) => kind)).size).toBe(8)
  })

  it.each(chatTargets.map(({ kind }) => kind))(
    "%s accepts an example and misses each required field",
    (kind) => {
      expect(check(kind, addresses[kind]!)).toEqual({})
      const required = chatTargets
        .find((target) => target.kind === kind)!
        .fields.filter((field) => field.isRequired)
      expect(check(kind, {})).toEqual(
        Object.fromEntries(required.map(({ name }) => [name, "can't be blank"])),
      )
      expect(check(kind, { ...addresses[kind]!, other: "1" })).toEqual({
        other: "is not a field of this target",
      })
    },
  )

  it("keeps everything that contains a token secret", () => {
    const secrets = chatTargets.flatMap(({ fields, kind }) =>
      fields.filter(({ isSecret }) => isSecret).map(({ name }) => `${kind}.${name}`),
    )
    expect(secrets).toEqual([
      "slack.url",
      "discord.url",
      "teams.url",
      "mattermost.url",
      "google_chat.url",
      "telegram.token",
      "pagerduty.routing_key",
      "ntfy.url",
      "ntfy.token",
    ])
  })

  it.each([
    ["slack", "http://hooks.slack.com/services/T0001/B0001/abc"],
    ["slack", "https://hooks.slack.com.evil.example/services/T0001/B0001/abc"],
    ["slack", "https://evil.example/services/T0001/B0001/abc"],
    ["slack", "https://user:pass@hooks.slack.com/services/T0001/B0001/abc"],
    ["slack", "https://hooks.slack.com/services/T0001/B0001/abc\n"],
    ["slack", "https://hooks.slack.com/triggers/T0001/1/abc"],
    ["slack", "not a url"],
    ["discord", "https://discord.com/channels/1/2"],
    ["discord", "https://evildiscord.com/api/webhooks/1/abc"],
    ["teams", "https://logic.azure.com.evil.example/workflows/a/triggers/manual/paths/invoke?sig=a"],
    ["teams", "https://evillogic.azure.com/workflows/a/triggers/manual/paths/invoke?sig=a"],
    ["teams", "https://prod-1.westus.logic.azure.com/workflows/a/triggers/manual/paths/invoke"],
    ["mattermost", "https://chat.example.com/api/v4"],
    ["mattermost", "ftp://chat.example.com/hooks/abc"],
    ["google_chat", "https://chat.googleapis.com/v1/spaces/AAAA/messages"],
    ["google_chat", "https://chat.googleapis.com/v1/spaces/../../oauth2/messages?key=a&token=b"],
    ["ntfy", "https://ntfy.sh/"],
    ["ntfy", "https://ntfy.sh/one/two"],
    ["ntfy", `https://ntfy.sh/${"a".repeat(65)}`],
  ])("%s rejects %s", (kind, url) => {
    expect(Object.keys(check(kind, { url }))).toEqual(["url"])
    expect(check(kind, { url })["url"]).toMatch(/^must (be a URL such as https:|contain the signature)/)
  })

  it.each([
    "https://default0a1b.2c.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/0a1b/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=abc",
    "https://prod-01.usgovtexas.logic.azure.us/workflows/0a1b/triggers/manual/paths/invoke?sig=abc",
  ])("teams accepts %s", (url) => {
    expect(check("teams", { url })).toEqual({})
  })

  it.each(["http://10.0.0.5:8065/hooks/abc123", "https://chat.example.com/mattermost/hooks/abc123"])(
    "mattermost accepts %s",
    (url) => {
      expect(check("mattermost", { url })).toEqual({})
    },
  )

  it("names the field of Telegram, PagerDuty and ntfy", () => {
    const telegram = addresses["telegram"]!
    expect(
      Object.keys(check("telegram", { ...telegram, chat_id: "a b", token: "1/2", topic_id: "x" })),
    ).toEqual(["token", "chat_id", "topic_id"])
    expect(check("telegram", { ...telegram, chat_id: "@errors_of_shop", topic_id: "4" })).toEqual({})
    expect(check("pagerduty", { routing_key: "short", region: "mars" })).toEqual({
      routing_key: "must be an integration key: 32 letters and digits",
      region: "must be us or eu",
    })
    expect(check("ntfy", { ...addresses["ntfy"], token: "secret" })).toEqual({
      token: "must be an access token, which begins with tk_",
    })
  })
})
