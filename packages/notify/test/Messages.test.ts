/** The requests of every chat target for every kind of notification, as JSON files. */
import type { Notification } from "@errata/core"
import { describe, expect, it } from "vitest"
import { chatTargets } from "../src/index.js"
import { addresses } from "./support/Addresses.js"
import { samples, withoutUrls } from "./support/Samples.js"
import { requestOf } from "./support/Sending.js"

const notifications: Readonly<Record<string, Notification>> = { ...samples, without_urls: withoutUrls }

describe.each(chatTargets.map((target) => [target.kind, target] as const))("%s", (kind, target) => {
  it("sends the messages of the snapshot", async () => {
    const requests: Record<string, unknown> = {}
    for (const [name, notification] of Object.entries(notifications)) {
      const { body, headers, method, url } = await requestOf(target, notification, addresses[kind]!)
      expect({ method, type: headers["content-type"] }).toEqual({ method: "POST", type: "application/json" })
      requests[name] = { url, body: JSON.parse(body ?? "null") }
    }
    await expect(`${JSON.stringify(requests, null, 2)}\n`).toMatchFileSnapshot(`golden/${kind}.json.snap`)
  })

  it("links to nothing without a base URL", async () => {
    const { body } = await requestOf(target, withoutUrls, addresses[kind]!)
    expect(body).not.toContain("http://errata")
    expect(body).not.toContain("https://errata")
    expect(body).not.toContain("do=resolve")
  })

  it("links to the group and its actions", async () => {
    const { body } = await requestOf(target, samples.alert, addresses[kind]!)
    for (const url of ["/groups/42", "/groups/42?do=resolve", "/groups/42?do=mute"])
      expect(body).toContain(`https://errata.example.com/projects/1${url}`)
  })
})
