/** How readers find and read groups and reports, beside the shortcuts. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Project } from "../../cli/test/support/Rest.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { event, heading } from "./support/Actions.js"
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

/** Opens a page of the site. */
const at = (path: string, read: (reader: Reader) => Promise<void>) =>
  Reader.visit(browser, session, async (reader) => {
    await reader.open(site.url + path)
    await read(reader)
  })

const groupIn = async (project: Project) => (await site.groups(project))[0]!

describe("a reader", () => {
  it("sees all reports again after the pages of a shorter range", async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const sent = (count: number, hoursAgo: number): ReadonlyArray<Event> =>
      Array.from({ length: count }, () => event("Paged", hoursAgo))
    const project = await site.project("paged", [...sent(3, 5), ...sent(52, 0.1)])
    const path = `/projects/${project.id}/groups/${(await groupIn(project)).id}/reports`
    await at(`${path}?since=${since}`, async ({ page }) => {
      const reports = page.locator(".reports tbody time")
      await page.getByRole("button", { name: "Older reports" }).click()
      await expect.poll(() => reports.count()).toBe(52)
      await page.getByRole("link", { name: "Show all" }).click()
      await expect.poll(() => reports.count()).toBe(50)
      await page.getByRole("button", { name: "Older reports" }).click()
      await expect.poll(() => reports.count()).toBe(55)
    })
  })

  it("opens an event id and the number of a group from any page", async () => {
    await site.project("before", [event("Other", 1)])
    const project = await site.project("found", [event("Found", 1)])
    const group = await groupIn(project)
    const { event_id } = await site.api<{ readonly event_id: string }>(
      `/projects/${project.id}/groups/${group.id}/reports/latest`,
    )
    await at("/groups", async (reader) => {
      const { page } = reader
      const jump = async (text: string) => {
        await reader.press("ControlOrMeta+k")
        await page.getByRole("combobox", { name: /^Search pages/ }).fill(text)
        await reader.press("Enter")
      }
      await jump(String(group.id))
      await page.waitForURL(`**/projects/${project.id}/groups/${group.id}`)
      await heading(page, "Found")
      await reader.open(`${site.url}/groups`)
      await jump(event_id)
      await page.waitForURL(new RegExp(`/projects/${project.id}/groups/${group.id}/reports/\\d+$`))
      await heading(page, "Found")
      await reader.open(`${site.url}/groups/4000`)
      await page.getByText("None of your projects has a group of this number.").waitFor()
      reader.forgive(/404/)
    })
  })
})
