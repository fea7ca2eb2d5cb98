/** Pages while the API fails: each shows the problem in place of its content, stays usable, and recovers. */
import type { Browser, Route } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { type Furnished, furnish } from "./support/Furnished.js"
import { allPages, tour } from "./support/Pages.js"
import type { Reader } from "./support/Reader.js"

let browser: Browser
let furnished: Furnished
beforeAll(async () => {
  browser = await launch()
  furnished = await furnish()
})
afterAll(async () => {
  await browser?.close()
  await furnished?.stop()
})

const detail = "The database does not respond."

const problem = (status: number) => (route: Route) =>
  route.fulfill({
    status,
    contentType: "application/problem+json",
    headers: { "retry-after": "0" },
    body: JSON.stringify({ title: "A failure", status, detail, correlation_id: "req-1" }),
  })

const isApi = ({ pathname }: URL) => pathname.startsWith("/api/")

/** True for requests of the content, not for those of the frame: the reader, the project and the group. */
const isContent = (url: URL) =>
  isApi(url) && !/\/v1\/(?:me|projects(?:\/\d+(?:\/access|\/groups\/\d+)?)?)$/.test(url.pathname)

const offline = (route: Route) => route.abort("connectionrefused")

/** Pages without requests, and those whose optional parts fail silently. */
const needNothing = ["a new project", "a page that does not exist", "a project that does not exist"]
const needNoContent = [
  ...needNothing,
  "projects",
  "setup",
  "a group that does not exist",
  "a group that is in no project",
]

describe.each([
  ["answers 503", isApi, problem(503), detail, needNothing],
  ["answers 500 about the content of a page", isContent, problem(500), detail, needNoContent],
  ["is not reached", isApi, offline, "The server was not reached.", needNothing],
] as const)("while the API %s", (_, isFailing, fail, text, without) => {
  it("each page says so, stays usable and recovers", async () => {
    const pages = Object.entries(allPages(furnished)).filter(([name]) => !without.some((one) => one === name))
    await tour(browser, furnished.site, Object.fromEntries(pages), async (reader, name, url) => {
      const { page } = reader
      await page.route(isFailing, fail)
      await page.goto(url)
      await expectFailure(reader, name, text)
      // One failure of each page suffices: problems look the same. Not all pages have content that fails.
      if (isFailing === isContent || (fail !== offline && needNoContent.includes(name)))
        await reader.inspect(`${name}, failing`)
      await page.unroute(isFailing)
      reader.forgive(/^Failed to load resource/)
      await expectRecovery(reader, name)
      reader.forgive(/status of 404/)
    })
  })
})

// internal

const problemsOf = (reader: Reader) => reader.page.locator("main .problem")

const expectFailure = async (reader: Reader, name: string, text: string) => {
  const { page } = reader
  await expect.poll(() => problemsOf(reader).count(), { message: name }).toBeGreaterThan(0)
  await reader.settled()
  for (const one of await problemsOf(reader).all()) {
    expect([name, await one.textContent()]).toEqual([name, expect.stringContaining(text)])
    expect([name, await one.getByRole("button", { name: "Retry" }).count()]).toEqual([name, 1])
  }
  expect([name, await page.locator(".notice").allTextContents()]).toEqual([name, []])
  await reader.press("?")
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await help.waitFor()
  await reader.press("Escape")
  await help.waitFor({ state: "detached" })
}

const expectRecovery = async (reader: Reader, name: string) => {
  const { page } = reader
  await reader.tabTo(problemsOf(reader).first().getByRole("button", { name: "Retry" }))
  await reader.press("Enter")
  await expect.poll(() => page.locator(".problem, .stale").count(), { message: name }).toBe(0)
  await reader.settled()
  const heading = page.getByRole("heading", { level: 1 })
  expect([name, await heading.evaluate((element) => element.matches(":focus"))]).toEqual([name, true])
  // Pages without a problem are loaded again, too.
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Settings" }).waitFor()
}
