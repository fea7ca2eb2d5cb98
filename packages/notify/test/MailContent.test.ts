/** Headers and parts of mail, as they arrive. */
import type { Notification } from "@errata/core"
import { Effect } from "effect"
import * as fc from "fast-check"
import { JSDOM } from "jsdom"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { send, settingsFor, withMail } from "./support/Mailing.js"
import * as MailServer from "./support/MailServer.js"
import { samples, withoutUrls } from "./support/Samples.js"

let server: MailServer.TestMailServer
beforeAll(async () => {
  server = await MailServer.start()
})
afterAll(() => server.stop())

/** Sends over one connection, and returns the mail in order. */
const receive = async (
  ...all: ReadonlyArray<NonNullable<Parameters<typeof send>[1]>>
): Promise<ReadonlyArray<MailServer.Received>> => {
  server.received.length = 0
  await withMail(settingsFor(server.port), (mail) =>
    Effect.forEach(all, (options) => send(mail, options), { discard: true }),
  )
  return [...server.received]
}

const one = async (options: NonNullable<Parameters<typeof send>[1]> = {}) => (await receive(options))[0]!

const unsubscribeUrl = `https://errata.example.com/unsubscribe/${"t0ken".repeat(100)}`

describe("headers", () => {
  it("have sender, receiver, subject and date, and mark mail as generated", async () => {
    const mail = await one()
    expect(mail.mail).toMatchObject({
      from: { name: "Errata", address: "errata@mail.example.com" },
      to: [{ address: "ann@example.com" }],
      subject: "[Shop] TypeError: Cannot read properties of undefined (reading 'price') (new)",
    })
    expect(MailServer.header(mail, "auto-submitted")).toBe("auto-generated")
    expect(MailServer.header(mail, "x-auto-response-suppress")).toBe("All")
    expect(MailServer.header(mail, "mime-version")).toBe("1.0")
    expect(Date.parse(MailServer.header(mail, "date")!)).toBeGreaterThan(Date.parse("2026-01-01"))
  })

  it("keep the id of a notification in every attempt, and the thread of its group", async () => {
    const reopened: Notification = { ...samples.alert, id: "n-2", reason: "Reopened in release 1.5.0" }
    const elsewhere: Notification = {
      ...samples.alert,
      id: "n-3",
      project: { ...samples.alert.project, url: "https://other.example.com/projects/1" },
    }
    const mails = await receive(
      {},
      {},
      { notification: reopened },
      { notification: elsewhere },
      { notification: samples.digest },
    )
    const of = (name: string) => mails.map((mail) => MailServer.header(mail, name))
    const ids = of("message-id")
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@mail\.example\.com>$/)
    expect(ids[1]).toBe(ids[0])
    expect(new Set(ids).size).toBe(4)
    const threads = of("in-reply-to")
    expect(threads[0]).toMatch(/^<project-1\.group-42\.[0-9a-f]{12}@mail\.example\.com>$/)
    expect(threads.slice(1, 3)).toEqual([threads[0], threads[0]])
    // Another instance with the same sender, and a mail about no group.
    expect(threads[3]).not.toBe(threads[0])
    expect(threads[4]).toBeUndefined()
    expect(of("references")).toEqual(threads)
    expect(mails[2]?.mail.subject).toContain("(reopened in release 1.5.0)")
  })

  it("offer to unsubscribe with one click if there is a URL for it", async () => {
    const [without, secure, plain] = await receive(
      {},
      { unsubscribeUrl },
      { unsubscribeUrl: unsubscribeUrl.replace("https:", "http:") },
    )
    expect(MailServer.header(without!, "list-unsubscribe")).toBeUndefined()
    expect(MailServer.header(without!, "list-unsubscribe-post")).toBeUndefined()
    expect(MailServer.header(secure!, "list-unsubscribe")).toBe(`<${unsubscribeUrl}>`)
    expect(MailServer.header(secure!, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
    // RFC 8058 requires https.
    expect(MailServer.header(plain!, "list-unsubscribe")).toContain("<http://errata.example.com/")
    expect(MailServer.header(plain!, "list-unsubscribe-post")).toBeUndefined()
    expect(secure?.mail.html).toContain(`href="${unsubscribeUrl}"`)
    expect(secure?.mail.text).toContain(`Unsubscribe: ${unsubscribeUrl}`)
    expect(without?.mail.html).not.toContain("Unsubscribe")
  })
})

describe("parts", () => {
  it("contain the same in HTML and in plain text", async () => {
    const { mail } = await one()
    const { document } = new JSDOM(mail.html).window
    const facts = [
      "error",
      "production",
      "shop@1.4.2",
      "12",
      "3",
      "26 Nov 2026, 08:15 UTC",
      "26 Nov 2026, 08:17 UTC",
    ]
    expect(document.querySelector("h1")?.textContent).toBe(
      "TypeError: Cannot read properties of undefined (reading 'price')",
    )
    expect([...document.querySelectorAll("th + td")].map(({ textContent }) => textContent)).toEqual(facts)
    expect([...document.querySelectorAll("a")].map(({ textContent, href }) => [textContent, href])).toEqual([
      ["Shop", "https://errata.example.com/projects/1"],
      [expect.stringContaining("TypeError"), "https://errata.example.com/projects/1/groups/42"],
      ["Open in Errata", "https://errata.example.com/projects/1/groups/42"],
      ["Resolve", "https://errata.example.com/projects/1/groups/42?do=resolve"],
      ["Mute", "https://errata.example.com/projects/1/groups/42?do=mute"],
      ["Change what you get", "https://errata.example.com/projects/1/settings"],
    ])
    const texts = ["New error in Shop", "checkout in src/cart.ts", "total (src/cart.ts:42)", ...facts]
    for (const text of texts) expect(mail.text).toContain(text)
    expect(mail.text).toContain("Resolve: https://errata.example.com/projects/1/groups/42?do=resolve")
    expect(mail.text).toContain("because of the rule “New and reopened groups”")
  })

  it.each(Object.values(samples))(
    "load nothing, and follow the colors of the reader: $kind",
    async (notification) => {
      const { mail } = await one({ notification, unsubscribeUrl })
      const { document } = new JSDOM(mail.html).window
      expect(document.querySelectorAll("img, script, link, iframe, form, svg")).toHaveLength(0)
      expect(mail.html).not.toMatch(/@import|url\(/)
      expect(document.querySelector('meta[name="color-scheme"]')?.getAttribute("content")).toBe("light dark")
      expect(mail.html).toContain("@media (prefers-color-scheme:dark)")
      expect(document.documentElement.lang).toBe("en")
      // Screen readers need the role for layout tables.
      for (const table of document.querySelectorAll("table"))
        expect(table.getAttribute("role") === "presentation" || table.querySelector("th") !== null).toBe(true)
      expect(mail.text).toContain(notification.reason)
      expect(mail.html).toContain("Unsubscribe")
    },
  )

  it("list the sections of a digest with their links", async () => {
    const { mail } = await one({ notification: samples.digest })
    const { document } = new JSDOM(mail.html).window
    expect([...document.querySelectorAll("h2")].map(({ textContent }) => textContent)).toEqual([
      "New",
      "Reopened",
      "Mean time to resolve",
    ])
    expect([...document.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual([
      "TypeError: Cannot read properties of undefined: 12 reports",
      "RangeError: Out of tea: 4 reports",
      "none",
      "3 hours",
    ])
    expect(mail.text).toContain(
      "- RangeError: Out of tea: 4 reports\n  https://errata.example.com/projects/1/groups/43",
    )
    expect(mail.subject).toBe("[Shop] Daily digest")
  })

  it("have no links without a base URL", async () => {
    const { mail } = await one({ notification: withoutUrls })
    expect(new JSDOM(mail.html).window.document.querySelectorAll("a")).toHaveLength(0)
    expect(mail.text).not.toContain("http")
  })
})

describe("hostile texts", () => {
  const attack = fc.constantFrom(
    "\r\nBcc: eve@example.com\r\n",
    "\nSubject: other",
    "\r\n\r\n<h1>body</h1>",
    "\r\n.\r\nMAIL FROM:<eve@example.com>\r\n",
    "</title></style><script>alert(1)</script>",
    '"><img src=https://evil.example/x.png>',
    "=?utf-8?Q?evil?=",
    "\u2028",
    "\0",
    "\ud83d",
    "😀",
    "'",
    "&amp;",
    "url(https://evil.example)",
  )
  const hostile = fc
    .array(fc.oneof(attack, fc.string({ unit: "binary", maxLength: 15 })), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join(""))

  it("add neither headers nor elements", async () => {
    const cases = fc.sample(fc.tuple(hostile, hostile, hostile, hostile, hostile), { numRuns: 60, seed: 7 })
    const received = await receive(
      ...cases.map(([name, type, message, culprit, reason]) => ({
        notification: {
          ...samples.alert,
          id: name,
          reason,
          project: { ...samples.alert.project, name },
          group: {
            ...samples.alert.group!,
            errorType: type,
            errorMessage: message,
            culprit,
            environment: message,
            release: type,
            frames: [{ function: culprit, file: message, line: 1 }],
          },
          rule: { id: 1, name: reason },
        } satisfies Notification,
      })),
    )
    const [expected] = [await one()]
    const names = expected!.mail.headers.map(({ key }) => key)
    expect(received).toHaveLength(cases.length)
    for (const { mail, raw, to } of received) {
      expect(mail.headers.map(({ key }) => key)).toEqual(names)
      expect(to).toEqual(["ann@example.com"])
      expect(mail.subject).toMatch(/^\[.+\)$/)
      const { document } = new JSDOM(mail.html).window
      expect(document.querySelectorAll("img, script, style + style")).toHaveLength(0)
      expect(document.querySelectorAll("h1")).toHaveLength(1)
      for (const { href } of document.querySelectorAll("a"))
        expect(href).toMatch(/^https:\/\/errata\.example\.com\//)
      for (const line of raw.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998)
    }
  })

  it("do not exceed the maximum size of a mail", async () => {
    const long = "&".repeat(100_000)
    const { mail, raw } = await one({
      notification: {
        ...samples.digest,
        project: { ...samples.digest.project, name: long },
        reason: long,
        sections: Array.from({ length: 50 }, () => ({
          title: long,
          lines: Array.from({ length: 200 }, () => ({ text: long, url: null })),
        })),
      },
    })
    // Clients cut longer mail.
    expect(raw.length).toBeLessThan(102_000)
    expect(mail.subject?.length).toBeLessThan(250)
    expect(mail.html).toContain("and 140 more")
  })
})
