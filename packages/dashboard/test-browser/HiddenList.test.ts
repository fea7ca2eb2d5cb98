/** A list behind its groups: it rests while it is hidden, and comes back as the reader left it. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { event, expectFocus, heading, rows } from "./support/Actions.js"
import { Reader } from "./support/Reader.js"
import { Site } from "./support/Site.js"

let browser: Browser
let site: Site
beforeAll(async () => {
  browser = await launch()
  site = await Site.start()
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

let projects = 0

/** Opens the list of a new project with 30 groups, of which `Error1` is the newest. */
const inList = async (read: (reader: Reader) => Promise<void>) => {
  const sent = Array.from({ length: 30 }, (_, index) => event(`Error${index + 1}`, index + 1)).reverse()
  const project = await site.project(`shop ${++projects}`, sent)
  const { link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    await reader.signIn(link)
    await reader.open(`${site.url}/projects/${project.id}/groups`)
    await read(reader)
  })
}

/** Numbers of rows in the first frame after the list is shown again. */
interface FirstFrame {
  readonly inSight: number
  readonly painted: number
}

/** Runs in the page. Browsers may leave out what `content-visibility` hides. */
const watchFirstFrame = () => {
  const look = () => {
    const rows = [...document.querySelectorAll("li.row")].filter((row) => {
      const { bottom, top } = row.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    })
    const painted = rows.filter((row) =>
      row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }),
    )
    Reflect.set(window, "firstFrame", { inSight: rows.length, painted: painted.length })
  }
  const observer = new MutationObserver(() => {
    if (document.querySelector("main:not([hidden]) li.row") === null) return
    observer.disconnect()
    // The timer runs after the frame.
    requestAnimationFrame(() => setTimeout(look))
  })
  observer.observe(document, { attributeFilter: ["hidden"], childList: true, subtree: true })
}

const selection = ({ page }: Reader) => page.getByRole("toolbar", { name: "Selected groups" })

const down = (times: number) => Array.from({ length: times }, () => "j")

describe("a list behind a group", () => {
  it.each([
    ["by a key", (reader: Reader) => reader.press("u")],
    ["by a link", ({ page }: Reader) => page.getByRole("link", { name: /^‹/ }).click()],
    ["by history", ({ page }: Reader) => page.goBack()],
  ])("is shown again %s in its former state", (_, goBack) =>
    inList(async (reader) => {
      const { page } = reader
      await reader.press("j", "x", ...down(24))
      await expectFocus(rows(page).nth(24))
      const before = await page.evaluate(() => scrollY)
      expect(before).toBeGreaterThan(300)
      await reader.press("Enter")
      await heading(page, "Error25")
      expect(await page.evaluate(() => scrollY)).toBe(0)
      await reader.settled()
      await page.evaluate(watchFirstFrame)
      await goBack(reader)
      await expectFocus(rows(page).nth(24))
      // Row 25 is in sight, so at least it and its neighbors.
      await page.waitForFunction(() => Reflect.has(window, "firstFrame"))
      const { inSight, painted } = await page.evaluate(() => Reflect.get(window, "firstFrame") as FirstFrame)
      expect(inSight).toBeGreaterThan(5)
      expect(painted).toBe(inSight)
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(before)
      await selection(reader).getByText("1 selected").waitFor()
      expect(await page.title()).toContain("shop")
      await reader.press("k")
      await expectFocus(rows(page).nth(23))
    }),
  )

  it("cannot be reached, ignores keys and sends no requests", () =>
    inList(async (reader) => {
      const { page, requests } = reader
      await reader.press("l", "j", "Enter")
      await heading(page, "Error1")
      await reader.settled()
      expect(await page.getByRole("main").count()).toBe(1)
      expect(await page.getByRole("link", { name: /^Error2 / }).count()).toBe(0)
      expect(await page.evaluate(() => document.querySelectorAll("#main").length)).toBe(1)
      const asked = requests.length
      await reader.press("x", "j", "j")
      // A live list polls every two seconds.
      await page.waitForTimeout(2_500)
      expect(requests.slice(asked).filter((path) => /\/(?:groups|count|access)$/.test(path))).toEqual([])
      await reader.press("u")
      await expectFocus(rows(page).first())
      expect(await selection(reader).count()).toBe(0)
      await expect.poll(() => requests.slice(asked).some((path) => path.endsWith("/groups"))).toBe(true)
    }))

  it("closes its dialogs when history leads away from it", () =>
    inList(async (reader) => {
      const { page } = reader
      await reader.press("j", "Enter")
      await heading(page, "Error1")
      await reader.settled()
      await reader.press("u")
      await expectFocus(rows(page).first())
      await reader.press("s")
      await page.getByRole("dialog", { name: "Saved queries" }).waitFor()
      await page.goBack()
      await heading(page, "Error1")
      await page.locator("dialog[open]").waitFor({ state: "detached" })
      await reader.press("J")
      await heading(page, "Error2")
    }))
})
