/** Lists that show another page at the press of a button. */
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { event } from "./support/Actions.js"
import { Reader, type Session } from "./support/Reader.js"
import { type Event, Site } from "./support/Site.js"

let browser: Browser
let site: Site
let session: Session
beforeAll(async () => {
  browser = await launch()
  site = await Site.start()
  session = await Reader.signedIn(browser, (await site.invite("admin")).link)
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

/** The path of the group that these events make. */
const groupOf = async (name: string, events: ReadonlyArray<Event>) => {
  const project = await site.project(name, events)
  const [group] = await site.groups(project)
  return `/projects/${project.id}/groups/${group!.id}`
}

/** The button at the end says so, and still has the focus. */
const expectEnd = async (page: Page, name: string) => {
  const button = page.getByRole("button", { name, disabled: true })
  await button.waitFor()
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
}

describe("the keyboard", () => {
  it("shows older notes, up to the first one", async () => {
    const path = await groupOf("noted", [event("Noted", 1)])
    for (let i = 1; i <= 52; i++) await site.api(`${path}/notes`, "POST", { content: `Note number ${i}.` })
    await Reader.visit(browser, session, async (reader) => {
      await reader.open(`${site.url}${path}/notes`)
      const notes = reader.page.locator(".note-text")
      expect(await notes.count()).toBe(50)
      const more = reader.page.getByRole("button", { name: "Older notes" })
      await reader.use(more)
      await expect.poll(() => notes.count()).toBe(52)
      expect(await notes.last().textContent()).toBe("Note number 1.")
      await expectEnd(reader.page, "No more notes")
    })
  })

  it("shows more values of a tag, up to the last one, and begins anew with another tag", async () => {
    const path = await groupOf(
      "valued",
      Array.from({ length: 102 }, (_, i) => ({
        ...event("Valued", 1),
        tags: { color: `color-${i}`, shape: `shape-${i}` },
      })),
    )
    await Reader.visit(browser, session, async (reader) => {
      const { page } = reader
      const values = page.locator(".values tbody a")
      const more = page.getByRole("button", { name: "More values" })
      const expectFirst = (value: RegExp) => values.filter({ hasText: value }).nth(99).waitFor()
      const showAll = async () => {
        await reader.use(more)
        await expect.poll(() => values.count()).toBe(102)
        await expectEnd(page, "No more values")
      }
      await reader.open(`${site.url}${path}/tags/color`)
      await expectFirst(/^color-\d+$/)
      await showAll()
      await reader.use(page.getByRole("link", { name: "All tags" }))
      await reader.use(page.locator(`a[href$="${path}/tags/shape"]`))
      await expectFirst(/^shape-\d+$/)
      await showAll()
      // From one tag to another, without a page between them.
      await page.evaluate(() => history.go(-2))
      await expectFirst(/^color-\d+$/)
      expect(await values.count()).toBe(100)
      await showAll()
    })
  })
})
