/** From a sign-in link to a resolved group, by keyboard, with a real server on both storages. */
import type { Browser, Locator } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as RealData from "../../cli/test/data/support/RealData.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { Reader } from "./support/Reader.js"
import { Site, type Storage } from "./support/Site.js"

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const twice = { exception: { values: [{ type: "TypeError", value: "seen twice" }] } }

describe.each<Storage>(["memory", "PostgreSQL"])("a reader of a server on %s", (storage) => {
  let site: Site
  beforeAll(async () => {
    site = await Site.start(storage)
    return () => site.stop()
  })

  it("signs in by a link, walks the list by keys, resolves a group and takes that back", async () => {
    const project = await site.project("shop", [
      ...RealData.allEvents().map(({ data }) => data),
      { ...twice, message: "older", timestamp: Date.now() / 1000 - 60 },
      { ...twice, message: "newer", timestamp: Date.now() / 1000 + 1 },
    ])
    const { link } = await site.invite("admin")
    await Reader.visit(browser, {}, async (reader) => {
      const { page } = reader
      await reader.signIn(link)
      await page.getByRole("link", { name: "shop" }).click()
      await reader.settled()
      const expected = await site.api<{ readonly groups: ReadonlyArray<{ readonly id: number }> }>(
        `/projects/${project.id}/groups?status=unresolved&sort=last_seen&limit=50`,
      )
      const rows = page.locator("[id^='row-']")
      const shown = await rows.evaluateAll((links) => links.map(({ id }) => id))
      expect(shown).toEqual(expected.groups.map(({ id }) => `row-${project.id}/${id}`))

      await reader.press("j")
      await expectFocus(rows.nth(0))
      await reader.press("j")
      await expectFocus(rows.nth(1))
      await reader.press("k")
      await expectFocus(rows.nth(0))
      await reader.press("Enter")
      await page.waitForURL(/\/groups\/\d+$/)
      await page.getByRole("heading", { level: 1, name: "TypeError" }).waitFor()
      await reader.settled()

      await page.getByText("newest", { exact: false }).first().waitFor()
      await reader.press("p")
      await page.waitForURL(/\/reports\/\d+$/)
      await page.getByText("· oldest").waitFor()
      await reader.press("n")
      await page.getByText("· newest").waitFor()

      await reader.press("r")
      await page.getByRole("button", { name: "Reopen" }).waitFor()
      await page.getByText("Resolved 1 group.").waitFor()
      const group = `/projects/${project.id}/groups/${expected.groups[0]!.id}`
      expect(await site.api(group)).toMatchObject({ resolved: true })
      await reader.press("z")
      await page.getByRole("button", { name: "Resolve" }).waitFor()
      await expect.poll(() => site.api(group)).toMatchObject({ resolved: false })
      await reader.press("u")
      await page.waitForURL(/\/groups(\?|$)/)
      await rows.nth(0).waitFor()
    })
  })

  it.todo("comes back from a group to the row that it was opened from")

  it("finds the shortcuts, and jumps to a project by name", async () => {
    const project = await site.project("warehouse", [twice])
    const { link } = await site.invite("admin")
    await Reader.visit(browser, {}, async (reader) => {
      const { page } = reader
      await reader.signIn(link)
      await reader.press("?")
      const help = page.getByRole("dialog", { name: "Keyboard shortcuts" })
      await help.waitFor()
      await reader.press("Escape")
      await help.waitFor({ state: "detached" })
      await reader.press("ControlOrMeta+k")
      const palette = page.getByRole("dialog", { name: "Search or jump to" })
      await palette.waitFor()
      await page.keyboard.type("wareh")
      await palette.getByRole("option", { name: "warehouse Project" }).waitFor()
      await reader.press("Enter")
      await page.waitForURL(`**/projects/${project.id}/groups`)
      await page.locator("[id^='row-']").first().waitFor()
    })
  })
})

// internal

const expectFocus = (wanted: Locator) =>
  expect.poll(() => wanted.evaluate((element) => element.matches(":focus"))).toBe(true)
