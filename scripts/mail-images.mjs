// Takes the screenshots of a mail in docs/images, in light and dark. The mail goes through a local mail server.
// Usage: node scripts/mail-images.mjs, after `npm run build`. Needs Chromium.
// With a folder as argument, it writes images of every kind of mail there instead, including those of phones.
import { once } from "node:events"
import { join } from "node:path"
import { mail } from "@errata/notify"
import { DateTime, Duration, Effect, Redacted } from "effect"
import PostalMime from "postal-mime"
import { SMTPServer } from "smtp-server"
import { launch } from "../packages/http/test-browser/support/Chromium.ts"
import { root } from "./documents.mjs"

const [folder] = process.argv.slice(2)
const base = "https://errata.example.com"

const received = []
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData: async (stream, _, done) => {
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    received.push(await PostalMime.parse(Buffer.concat(chunks)))
    done()
  },
})
server.listen(0, "127.0.0.1")
await once(server.server, "listening")

const alert = {
  version: 1,
  id: "picture",
  kind: "alert",
  at: DateTime.makeUnsafe("2026-11-26T08:17:31.000Z"),
  project: { id: 1, name: "Shop", url: `${base}/projects/1` },
  rule: { id: 7, name: "New and reopened groups" },
  reason: "New error",
  group: {
    id: 42,
    errorType: "TypeError",
    errorMessage: "Cannot read properties of undefined (reading 'price')",
    culprit: "POST /checkout",
    severity: "error",
    environment: "production",
    release: "shop@1.4.2",
    reportsCount: 12,
    usersCount: 3,
    firstOccurredAt: DateTime.makeUnsafe("2026-11-26T08:15:00.000Z"),
    lastOccurredAt: DateTime.makeUnsafe("2026-11-26T08:17:30.000Z"),
    frames: [
      { function: "totalOf", file: "src/cart/total.ts", line: 42 },
      { function: "checkout", file: "src/checkout.ts", line: 87 },
      { function: "handle", file: "src/server/orders.ts", line: 19 },
    ],
    url: `${base}/projects/1/groups/42`,
  },
  sections: [],
  settingsUrl: `${base}/projects/1/settings`,
}
const line = (text, id) => ({ text, url: `${base}/projects/1/groups/${id}` })
const digest = {
  ...alert,
  kind: "digest",
  rule: null,
  reason: "Weekly digest, 16 to 22 November",
  group: null,
  sections: [
    {
      title: "New",
      lines: [
        line("TypeError: Cannot read properties of undefined (12 reports)", 42),
        line("RangeError: Out of tea (4 reports)", 43),
      ],
    },
    {
      title: "Reopened",
      lines: [line("PaymentError: The card was declined (31 reports, in release 1.4.2)", 12)],
    },
    { title: "Worst", lines: [line("TimeoutError: inventory did not respond (1,204 reports)", 7)] },
    { title: "Mean time to resolve", lines: [{ text: "3 hours 20 minutes", url: null }] },
  ],
}
const kinds = {
  alert,
  over: { ...alert, kind: "over", reason: "Over: more than 100 reports in 5 minutes" },
  digest,
  test: { ...alert, kind: "test", rule: null, group: null, reason: "Test message" },
}

const port = server.server.address().port
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { sendAccountMail, target } = yield* mail({
        url: Redacted.make(`smtp://127.0.0.1:${port}`),
        from: "Errata <errata@example.com>",
      })
      const options = { timeout: Duration.seconds(10), unsubscribeUrl: `${base}/unsubscribe/example` }
      for (const notification of Object.values(kinds))
        yield* target.send(notification, { to: "ann@example.com" }, options)
      const account = {
        to: "ann@example.com",
        name: "Ann",
        url: `${base}/welcome#example`,
        expiresAt: 1795852800000,
      }
      yield* sendAccountMail({ ...account, kind: "invitation", invitedBy: "Ben" })
      yield* sendAccountMail({ ...account, kind: "password_reset" })
    }),
  ),
)
server.close()

const browser = await launch()
try {
  const page = await browser.newPage()
  const picture = async (html, width, colorScheme, path) => {
    await page.setViewportSize({ width, height: 200 })
    await page.emulateMedia({ colorScheme })
    await page.setContent(html)
    await page.screenshot({ path, fullPage: true })
  }
  for (const colorScheme of ["light", "dark"]) {
    if (folder === undefined) {
      await picture(received[0].html, 680, colorScheme, join(root, `docs/images/mail-${colorScheme}.png`))
      continue
    }
    for (const [index, name] of [...Object.keys(kinds), "invitation", "password_reset"].entries())
      for (const width of [680, 390])
        await picture(
          received[index].html,
          width,
          colorScheme,
          join(folder, `${name}-${width}-${colorScheme}.png`),
        )
  }
} finally {
  await browser.close()
}
