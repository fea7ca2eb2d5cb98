/** Details of requests that depend on the address. */
import { describe, expect, it } from "vitest"
import { googleChat, ntfy, pagerDuty, telegram } from "../src/index.js"
import { addresses } from "./support/Addresses.js"
import { samples } from "./support/Samples.js"
import { bodyOf, requestOf } from "./support/Sending.js"

describe("requests", () => {
  it("pagerduty resolves with the key of the alert, in the region of the account", async () => {
    const address = { ...addresses["pagerduty"]!, region: "eu" }
    const request = await requestOf(pagerDuty, samples.over, address)
    const alert = (await bodyOf(pagerDuty, samples.alert, address)) as { readonly dedup_key: string }
    expect(request.url).toBe("https://events.eu.pagerduty.com/v2/enqueue")
    expect(JSON.parse(request.body!)).toEqual({
      routing_key: addresses["pagerduty"]!["routing_key"],
      event_action: "resolve",
      dedup_key: alert.dedup_key,
    })
  })

  it.each([
    ["fatal", "critical"],
    ["error", "error"],
    ["warning", "warning"],
    ["info", "info"],
    ["debug", "info"],
  ] as const)("pagerduty maps %s to %s", async (severity, expected) => {
    const notification = { ...samples.alert, group: { ...samples.alert.group!, severity } }
    expect(await bodyOf(pagerDuty, notification, addresses["pagerduty"]!)).toMatchObject({
      payload: { severity: expected },
    })
  })

  it("telegram sends to a topic", async () => {
    const address = { ...addresses["telegram"]!, topic_id: "12" }
    expect(await bodyOf(telegram, samples.alert, address)).toMatchObject({ message_thread_id: 12 })
  })

  it("telegram has no buttons with a host name without a dot", async () => {
    const url = "http://localhost:4000/projects/1/groups/42"
    const notification = {
      ...samples.alert,
      settingsUrl: null,
      group: { ...samples.alert.group!, url },
    }
    const body = await bodyOf(telegram, notification, addresses["telegram"]!)
    expect(body).not.toHaveProperty("reply_markup")
    expect((body as { readonly text: string }).text).toContain(`<a href="${url}">`)
  })

  it("ntfy authenticates with the token", async () => {
    const { headers } = await requestOf(ntfy, samples.alert, {
      ...addresses["ntfy"]!,
      token: "tk_abcdefghij",
    })
    expect(headers["authorization"]).toBe("Bearer tk_abcdefghij")
    expect((await requestOf(ntfy, samples.alert, addresses["ntfy"]!)).headers).not.toHaveProperty(
      "authorization",
    )
  })

  it("google chat keeps the parameters of the address", async () => {
    const { url } = await requestOf(googleChat, samples.alert, addresses["google_chat"]!)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      key: "k1",
      token: "t1",
      messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD",
    })
  })
})
