/** The report dialog, opened by the real SDK in a page of another origin: by keyboard, under a strict content policy. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { build } from "esbuild"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../test/support/TestInstance.js"
import { launch } from "./support/Chromium.js"
import { Person } from "./support/Person.js"

const hostile = `<img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`

/** A page with the SDK, whose button throws an error and opens the dialog with the options of the query. */
const source = `import * as Sentry from "@sentry/browser"
const { dsn, ...options } = JSON.parse(new URLSearchParams(location.search).get("options"))
Sentry.init({ dsn, defaultIntegrations: false })
document.querySelector("button").addEventListener("click", () => {
  const eventId = Sentry.captureException(new Error("The order failed"))
  document.body.dataset.eventId = eventId
  Sentry.showReportDialog({
    eventId,
    onLoad: () => { document.body.dataset.loaded = "yes" },
    onClose: () => { document.body.dataset.closed = "yes" },
    ...options,
  })
})`

let browser: Browser
let errata: TestInstance
let page: Server
let url: string
let script: string

beforeAll(async () => {
  browser = await launch()
  errata = await start({ dsnPrefixes: ["/tracker"] })
  const stdin = { contents: source, resolveDir: import.meta.dirname }
  const bundle = await build({ stdin, bundle: true, write: false, format: "iife" })
  script = bundle.outputFiles[0]!.text
  page = createServer((request, response) => {
    if (request.url === "/page.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(script)
      return
    }
    const policy = `default-src 'none'; script-src 'self' ${errata.url}; connect-src ${errata.url}; img-src data:`
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
      .end(
        `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><main><h1>Shop</h1>` +
          `<button>Order</button></main><script src="/page.js"></script>`,
      )
  })
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
})
afterAll(async () => {
  await browser?.close()
  page?.close()
  await errata?.stop()
})

const visit = async (look: string, context: Parameters<typeof Person.open>[2], options: object = {}) => {
  const person = await Person.open(browser, look, context)
  const dsn = `${errata.url.replace("://", `://${errata.mine.token}@`)}/tracker/${errata.mine.id}`
  await person.page.goto(`${url}/?${new URLSearchParams({ options: JSON.stringify({ dsn, ...options }) })}`)
  await person.tabTo(person.page.getByRole("button", { name: "Order" }))
  await person.page.keyboard.press("Enter")
  const dialog = person.page.getByRole("dialog")
  await dialog.waitFor()
  return { person, dialog }
}

const isFocused = (wanted: Locator) => wanted.evaluate((element) => element.matches(":focus"))
const dataOf = (page: Page) => page.locator("body").evaluate((body) => ({ ...body.dataset }))
/** The SDK hears of the end from a message that arrives after the dialog is gone. */
const expectClosed = (page: Page) => expect.poll(async () => (await dataOf(page)).closed).toBe("yes")
const notesOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const { eventId } = await dataOf(page)
  await errata.record()
  const report = await errata.api(`/projects/${errata.mine.id}/reports/${eventId}`)
  const path = `/projects/${errata.mine.id}/groups/${report.json.group_id}/notes`
  return (await errata.api(path)).json.notes.map(({ content }: { readonly content: string }) => content)
}

describe.each([
  ["phone light", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
  ["desk dark", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }],
] as const)("The report dialog, %s", (look, context) => {
  it("is filled in and sent by keyboard, and becomes a note", async () => {
    const { dialog, person } = await visit(look, context, { user: { name: "Ada Example" } })
    expect(await dataOf(person.page)).toMatchObject({ loaded: "yes" })
    expect(await isFocused(dialog.getByLabel("Email address"))).toBe(true)
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Ada Example")
    await person.inspect("Shop", "report dialog")

    await person.type("Email address", "ada")
    await person.tabTo(dialog.getByRole("button", { name: "Send report" }))
    await person.page.keyboard.press("Enter")
    expect(await dialog.getByRole("alert").textContent()).toBe("Please correct the marked fields.")
    expect(await dialog.getByLabel("What happened?").getAttribute("aria-invalid")).toBe("true")
    expect(await isFocused(dialog.getByLabel("Email address"))).toBe(true)
    await person.inspect("Shop", "report dialog refused")

    await person.type("Email address", "ada@example.com")
    await person.type("What happened?", `I pressed Order. ${look} ${hostile}`)
    await person.tabTo(dialog.getByRole("button", { name: "Send report" }))
    await person.page.keyboard.press("Enter")
    await dialog.getByText("Thank you. Your report was sent.").waitFor()
    await person.inspect("Shop", "report dialog sent")
    expect(await isFocused(dialog.getByRole("button", { name: "Close" }))).toBe(true)
    await person.page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    await expectClosed(person.page)
    expect(await isFocused(person.page.getByRole("button", { name: "Order" }))).toBe(true)
    expect(await notesOf(person.page)).toContain(
      `Ada Example <ada@example.com>: I pressed Order. ${look} ${hostile}`,
    )
    await person.page.context().close()
  })
})

describe("The report dialog", () => {
  const desk = { viewport: { width: 1280, height: 800 } }

  it("shows hostile options as text", async () => {
    const names = ["title", "subtitle", "subtitle2", "labelName", "labelEmail", "labelComments", "labelClose"]
    const options = {
      ...Object.fromEntries(names.map((name) => [name, `${name} ${hostile}`])),
      lang: hostile,
    }
    const { dialog, person } = await visit("hostile", desk, {
      ...options,
      user: { name: hostile, email: hostile },
    })
    await person.inspect("Shop", "report dialog hostile")
    expect(await dialog.getByRole("heading").textContent()).toBe(`title ${hostile}`)
    expect(await dialog.getByLabel(`labelName ${hostile}`).inputValue()).toBe(hostile)
    expect(await dialog.locator("img, script").count()).toBe(0)
    expect(await person.page.title()).toBe("Shop")
    await person.page.context().close()
  })

  it("is closed by Escape, keeps the focus inside, and opens once", async () => {
    const { dialog, person } = await visit("closed", desk)
    const { page } = person
    for (let tabs = 0; tabs < 12; tabs++) {
      await page.keyboard.press("Tab")
      expect(await page.getByRole("button", { name: "Order" }).evaluate((one) => one.matches(":focus"))).toBe(
        false,
      )
    }
    // The SDK loads the script again. It runs while the dialog is open, however slow the machine is.
    await page.evaluate(() => {
      const { document } = globalThis
      return new Promise<void>((resolve) => {
        const observer = new MutationObserver((changes) => {
          for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
            if (node.nodeName === "SCRIPT") node.addEventListener("load", () => resolve())
          }
        })
        observer.observe(document, { childList: true, subtree: true })
        document.querySelector("button")?.click()
      })
    })
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await expectClosed(page)
    await page.context().close()
  })

  it("says that a report could not be sent, and sends it the next time", async () => {
    const { dialog, person } = await visit("failed", desk, { errorGeneric: "Not sent" })
    await person.type("What happened?", "The order failed twice")
    await person.page.route(/error-page/, (route) => route.abort())
    const submit = dialog.getByRole("button", { name: "Send report" })
    await submit.click()
    await dialog.getByText("Not sent").waitFor()
    person.forgive(/Failed to load resource/)
    await person.inspect("Shop", "report dialog failed")
    await person.page.unroute(/error-page/)
    await submit.click()
    await dialog.getByText("Thank you.").waitFor()
    expect(await notesOf(person.page)).toContain("An affected user: The order failed twice")
    await person.page.context().close()
  })

  it("is not opened for an unknown key", async () => {
    const person = await Person.open(browser, "unknown", desk)
    const dsn = `${errata.url.replace("://", `://${"0".repeat(32)}@`)}/${errata.mine.id}`
    await person.page.goto(`${url}/?${new URLSearchParams({ options: JSON.stringify({ dsn }) })}`)
    const refused = person.page.waitForResponse(/error-page/)
    await person.page.getByRole("button", { name: "Order" }).click()
    expect((await refused).status()).toBe(403)
    expect(await person.page.getByRole("dialog").count()).toBe(0)
    await person.page.context().close()
  })
})
