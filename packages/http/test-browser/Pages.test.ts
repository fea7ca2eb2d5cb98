/** The pages in a real browser: with the keyboard alone, on a phone and on a desktop, in light and dark mode. */
import { createHash } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../test/support/TestInstance.js"
import { launch } from "./support/Chromium.js"
import { Person } from "./support/Person.js"

const emailAddress = "member@example.com"
const password = "correct horse battery"

const verifier = "a".repeat(43)

const phone = { width: 360, height: 740 }
const desk = { width: 1280, height: 800 }
const looks = [
  ["phone light", { viewport: phone, colorScheme: "light" }],
  ["phone dark", { viewport: phone, colorScheme: "dark" }],
  ["desk light", { viewport: desk, colorScheme: "light" }],
  ["desk dark", { viewport: desk, colorScheme: "dark" }],
] as const

let browser: Browser
let application: Server
let redirectUri: string
beforeAll(async () => {
  browser = await launch()
  application = createServer((_, response) => response.end("Back in the application"))
  await new Promise<void>((resolve) => application.listen(0, "127.0.0.1", resolve))
  redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`
})
afterAll(async () => {
  await browser?.close()
  application?.close()
})

// A new instance for each test, since attempts are counted.
let errata: TestInstance
beforeEach(async () => {
  errata = await start()
  return () => errata.stop()
})

/** Registers an application. Returns its id and its authorization URL. */
const register = async (): Promise<{ readonly clientId: string; readonly url: string }> => {
  const registered = await errata.fetch("/oauth/register", {
    method: "POST",
    body: JSON.stringify({ client_name: "A coding tool", redirect_uris: [redirectUri] }),
  })
  const clientId: string = registered.json.client_id
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "as it was",
  })
  return { clientId, url: `${errata.url}/oauth/authorize?${query}` }
}

describe.each(looks)("%s", (look, options) => {
  it("can be used by keyboard alone: sign in, approve an application, sign out", async () => {
    const person = await Person.open(browser, look, options)
    const { page } = person
    const link = await errata.api(`/users/${errata.memberId}/sign_in_link`, { method: "POST" })
    await page.goto(link.json.sign_in_link)
    await person.inspect("Sign in", "1 link")
    await person.press("Sign in")
    await person.inspect("Your account", "2 account without a password")
    await person.type("New password", password)
    await person.press("Set the password")
    await page.getByText("The password is set.").waitFor()
    await person.press("Sign out")

    const { clientId, url } = await register()
    await page.goto(url)
    await person.inspect("Sign in", "3 sign in")
    await person.type("Email address", emailAddress)
    await person.type("Password", "not the password")
    await person.press("Sign in")
    await page.getByRole("alert").waitFor()
    person.forgive(/status of 422/)
    await person.inspect("Sign in", "4 refused")
    // All input but the password is kept.
    expect(await page.getByLabel("Email address").inputValue()).toBe(emailAddress)
    await person.type("Password", password)
    await person.press("Sign in")
    await person.inspect("Connect an application", "5 consent")
    await person.press("Approve")
    const { origin, pathname, searchParams } = new URL(page.url())
    expect([origin + pathname, searchParams.get("state")]).toEqual([redirectUri, "as it was"])

    const exchanged = await errata.fetch("/oauth/token", {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: searchParams.get("code")!,
        client_id: clientId,
        code_verifier: verifier,
      }),
    })
    expect(exchanged.status).toBe(200)
    await page.goto(`${errata.url}/account`)
    await person.inspect("Your account", "6 account")
    await person.press("Disconnect A coding tool")
    await page.getByText("No applications are connected.").waitFor()
    await person.press("Sign out")
    await person.inspect("Sign in", "7 signed out")
    await page.goto(`${errata.url}/account`)
    expect(new URL(page.url()).pathname).toBe("/sign_in")
    await page.context().close()
  })
})

describe("An application in a browser", () => {
  it("keeps the opener of a pop-up until the callback", async () => {
    const link = await errata.api(`/users/${errata.memberId}/sign_in_link`, { method: "POST" })
    const person = await Person.open(browser, "pop-up", { viewport: desk })
    await person.page.goto(link.json.sign_in_link)
    await person.press("Sign in")
    await person.type("New password", password)
    await person.press("Set the password")
    await person.press("Sign out")

    const { url } = await register()
    await person.page.goto(new URL("/", redirectUri).href)
    const opened = person.page.waitForEvent("popup")
    await person.page.evaluate((address) => void globalThis.open(address), url)
    const popup = await opened
    await popup.getByLabel("Email address").fill(emailAddress)
    await popup.getByLabel("Password").fill(password)
    await popup.getByRole("button", { name: "Sign in" }).click()
    await popup.getByRole("button", { name: "Approve" }).click()
    await popup.waitForURL(/callback\?code=/)
    expect(await popup.evaluate(() => "opener" in globalThis && globalThis.opener !== null)).toBe(true)
    await person.page.context().close()
  })
})
