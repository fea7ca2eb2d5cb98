/** Every shortcut that the help lists does its work, by its key and from the palette. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { type Action, event, everywhereKeys, expectFocus, places } from "./support/Actions.js"
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

const permissions = ["clipboard-read", "clipboard-write"]

const events = () => [event("Third", 3), event("Second", 2.1), event("Second", 2), event("First", 1)]

let projects = 0

describe.each(Object.entries(places))("on the page %s", (_, { actions, start }) => {
  it.each([
    ["by their keys", byKey],
    ["from the palette", fromPalette],
  ])("all actions run %s", async (_how, run) => {
    const project = await site.project(`shop ${++projects}`, events())
    const { link } = await site.invite("admin")
    await Reader.visit(browser, { permissions }, async (reader) => {
      const visit = { reader, page: reader.page, site, project }
      await reader.signIn(link)
      await start(visit)
      expect(await listed(reader)).toEqual(new Set([...actions.map(({ key }) => key), ...everywhereKeys]))
      for (const action of run === fromPalette ? actions.filter(({ entry }) => entry) : actions) {
        await action.before?.(visit)
        await reader.settled()
        await run(reader, action)
        await action.expect(visit)
        await action.after?.(visit)
      }
    })
  })
})

it("accepts a key after a sequence, also without a pause", async () => {
  const { link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    await reader.signIn(link)
    await reader.open(`${site.url}/groups`)
    // Without a task between them, as on a busy computer: browsers handle input before timers.
    await reader.page.evaluate(() => {
      for (const [key, code, shiftKey] of [
        ["g", "KeyG", false],
        ["p", "KeyP", false],
        ["?", "Slash", true],
      ] as const) {
        const init = { key, code, shiftKey, bubbles: true, cancelable: true }
        document.body.dispatchEvent(new KeyboardEvent("keydown", init))
      }
    })
    await reader.page.waitForURL(/\/projects$/)
    await reader.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
  })
})

it("the help closes when the focus leaves it, and returns the focus when a key closes it", async () => {
  const { link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    await reader.signIn(link)
    await reader.open(`${site.url}/groups`)
    const help = reader.page.getByRole("dialog", { name: "Keyboard shortcuts" })
    const search = reader.page.getByRole("button", { name: "Search or jump to" })
    await search.focus()
    await reader.press("?")
    await expectFocus(help.getByRole("button", { name: "Close" }))
    await reader.press("Escape")
    await help.waitFor({ state: "detached" })
    await expectFocus(search)
    await reader.press("?")
    await help.waitFor()
    await reader.press("Tab")
    await expectFocus(help.getByRole("checkbox"))
    // Out of the page, and in again.
    await reader.press("Tab")
    await reader.press("Tab")
    await help.waitFor({ state: "detached" })
  })
})

it("accepts a key as soon as a dialog has closed", async () => {
  const { link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    await reader.signIn(link)
    await reader.open(`${site.url}/groups`)
    await reader.press("s")
    await expectFocus(reader.page.locator("dialog input"))
    await reader.page.evaluate(() => {
      document.querySelector("dialog")!.close()
      // Until the next frame, its field has the focus.
      const init = { key: "?", code: "Slash", shiftKey: true, bubbles: true, cancelable: true }
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", init))
    })
    await reader.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
  })
})

it("the palette finds pages, projects, groups and reports", async () => {
  const project = await site.project("warehouse", events())
  const { link } = await site.invite("admin")
  const [group] = await site.groups(project)
  const { reports } = await site.api<{ readonly reports: ReadonlyArray<{ readonly event_id: string }> }>(
    `/projects/${project.id}/groups/${group!.id}/reports`,
  )
  const own = `/projects/${project.id}`
  const wanted: Readonly<Record<string, string>> = {
    "new project": "/projects/new",
    apps: "/settings/apps",
    retention: "/settings/retention",
    "ingest protection": "/settings/ingest",
    "warehouse project": `${own}/groups`,
    "set up warehouse": `${own}/setup`,
    "settings of warehouse": `${own}/settings`,
    "alerts of warehouse": `${own}/settings/alerts`,
    "webhooks of warehouse": `${own}/settings/webhooks`,
    [`#${group!.id}`]: `${own}/groups/${group!.id}`,
    [reports[0]!.event_id]: `${own}/groups/${group!.id}/reports/*`,
  }
  await Reader.visit(browser, {}, async (reader) => {
    await reader.signIn(link)
    for (const [text, path] of Object.entries(wanted)) {
      await fromPalette(reader, { entry: text })
      await reader.page.waitForURL(site.url + path)
      await reader.settled()
    }
  })
})

// internal

async function byKey(reader: Reader, { key }: Pick<Action, "key">): Promise<void> {
  await reader.press(...(key === "Ctrl K" ? ["ControlOrMeta+k"] : key.split(" ")))
}

async function fromPalette(reader: Reader, { entry = "" }: Pick<Action, "entry">): Promise<void> {
  await reader.press("ControlOrMeta+k")
  await reader.page.getByRole("combobox", { name: /^Search pages/ }).waitFor()
  await reader.page.keyboard.insertText(entry)
  await reader.press("Enter")
}

/** The keys that the help lists. */
const listed = async (reader: Reader): Promise<ReadonlySet<string>> => {
  await reader.press("?")
  const help = reader.page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await help.waitFor()
  const keys = await help
    .locator("dt")
    .evaluateAll((terms) =>
      terms.map((term) => [...term.querySelectorAll("kbd")].map(({ textContent }) => textContent).join(" ")),
    )
  await reader.press("Escape")
  await help.waitFor({ state: "detached" })
  return new Set(keys)
}
