import { describe, expect, it } from "vitest"
import { limits, normalize } from "./support.js"

const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1"

const tagsOf = (event: object) =>
  Object.fromEntries(normalize(event as Record<string, unknown>).tags.map(({ key, value }) => [key, value]))

const from = (userAgent: unknown) => ({ request: { headers: { "User-Agent": userAgent } } })

describe("Tags of the client", () => {
  it("name the browser, the system and the device of the User-Agent header", () => {
    expect(tagsOf(from(chrome))).toEqual({
      browser: "Chrome",
      "browser.version": "131.0.0.0",
      os: "Windows",
      "os.version": "10",
    })
    expect(tagsOf({ request: { headers: [["user-agent", iphone]] } })).toEqual({
      browser: "Safari",
      "browser.version": "18.2",
      os: "iOS",
      "os.version": "18.2",
      device: "iPhone",
    })
  })

  it("are those of the event's contexts if it has them", () => {
    const contexts = {
      browser: { name: "Firefox", version: "133.0" },
      os: { name: "Linux" },
      device: { family: "Pixel", model: "Pixel 7" },
    }
    expect(tagsOf({ contexts, ...from(chrome) })).toEqual({
      browser: "Firefox",
      "browser.version": "133.0",
      os: "Linux",
      device: "Pixel 7",
    })
  })

  it("do not replace a tag of the sender", () => {
    expect(tagsOf({ tags: { browser: "mine" }, ...from(chrome) })).toMatchObject({
      browser: "mine",
      os: "Windows",
    })
  })

  it("name the user", () => {
    const user = { id: 42, email: "ann@example.com", ip_address: "10.0.0.1", username: "ann" }
    expect(tagsOf({ user })).toEqual({
      "user.id": "42",
      "user.email": "ann@example.com",
      "user.ip": "10.0.0.1",
    })
  })

  it.each([undefined, null, "", "curl/8.5.0", 5, {}, "(".repeat(10_000), "\0\ud800"])(
    "are none for the header %j",
    (userAgent) => {
      expect(tagsOf(from(userAgent))).toEqual({})
    },
  )

  it("stay within the limits", () => {
    const tags = Object.fromEntries(Array.from({ length: limits.maxTags }, (_, i) => [`k${i}`, "v"]))
    const { user } = { user: { id: "x".repeat(100_000) } }
    expect(Object.keys(tagsOf({ tags, user, ...from(chrome) }))).toEqual(Object.keys(tags))
    expect(tagsOf({ user })["user.id"]!.length).toBeLessThanOrEqual(limits.maxTagValueBytes)
  })
})
