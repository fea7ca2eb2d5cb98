/** Every page and dialog is accessible, in light and dark mode, on a desktop and on a phone. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { furnish } from "./support/Furnished.js"
import { allPages, instancePages, type Pages, projectPages, type Shown, tour } from "./support/Pages.js"
import type { Reader } from "./support/Reader.js"
import { Site } from "./support/Site.js"

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

describe("holds to WCAG 2.2 AA and fits its window", () => {
  it("with content on every page", async () => {
    const furnished = await furnish()
    try {
      await inspectAll(furnished.site, allPages(furnished))
    } finally {
      await furnished.stop()
    }
  })

  it("with empty pages", async () => {
    const site = await Site.start()
    try {
      await inspectAll(site, instancePages)
      const project = await site.project("empty")
      await inspectAll(site, projectPages(project))
    } finally {
      await site.stop()
    }
  })
})

// internal

const inspectAll = (site: Site, pages: Pages) =>
  tour(browser, site, pages, async (reader, name, url, page) => {
    await reader.open(url)
    reader.forgive(/status of 404/)
    await reader.inspect(name)
    await inspectDialogs(reader, name, page)
  })

const inspectDialogs = async (reader: Reader, name: string, { dialogs = [] }: Shown) => {
  const { page } = reader
  const open = page.getByRole("dialog")
  for (const steps of dialogs) {
    for (const step of steps) {
      if (step.length === 1) await reader.press(step)
      else
        await page
          .getByRole("button", { name: new RegExp(`^${step}`) })
          .first()
          .click()
    }
    await open.waitFor()
    // The page behind it was inspected.
    await reader.inspect(`${name}, then ${steps.join(", ")}`, "dialog:is([open], :popover-open)")
    await reader.press("Escape")
    await open.waitFor({ state: "detached" })
  }
}
