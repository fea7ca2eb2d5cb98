import { describe, expect, it } from "vitest"
import { isPublic } from "../../src/outbound/PublicAddress.js"
import { notPublic } from "./addresses.js"

const open = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.215.14",
  "172.15.255.255",
  "172.32.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "169.253.255.255",
  "192.0.1.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:82a::200e",
  "::ffff:8.8.8.8",
  "::ffff:808:808",
  "64:ff9b::8.8.8.8",
]

describe("addresses", () => {
  it.each(open)("%s is public", (address) => {
    expect(isPublic(address)).toBe(true)
  })

  it.each(notPublic)("%s is not public", (address) => {
    expect(isPublic(address)).toBe(false)
  })

  it.each(["", "localhost", "8.8.8.8.8", "fe80::1%eth0", "2606:4700::1%1", "0x7f000001"])(
    "%j is not a valid address",
    (text) => {
      expect(isPublic(text)).toBe(false)
    },
  )

  it("include a hundred that must not be reached", () => {
    expect(new Set(notPublic).size).toBeGreaterThanOrEqual(100)
  })
})
