import { describe, expect, it } from "vitest"
import { accountOf, subscriberOf } from "../../src/identity/Throttle.js"

describe("Throttle.subscriberOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("counts %s as %s", (address, subscriber) => {
    expect(subscriberOf(address)).toBe(subscriber)
  })
})

describe("Throttle.accountOf", () => {
  it.each([
    "Admin@Example.com",
    " admin@example.com\t",
    "ADM\u0130N@EXAMPLE.COM",
    "adm\u0131n@example.com",
    "\uff41dmin@example.com",
  ])("counts %s as the same account", (emailAddress) => {
    expect(accountOf(emailAddress)).toBe("admin@example.com")
  })

  it("distinguishes other accounts", () => {
    expect(accountOf("admin@example.org")).not.toBe(accountOf("admin@example.com"))
  })
})
