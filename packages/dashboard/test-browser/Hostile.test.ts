/** Hostile reports: the pages show them as text and stay as wide as their window. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Project } from "../../cli/test/support/Rest.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { events, markup, turned } from "./support/Hostile.js"
import { eventually, phone, Reader } from "./support/Reader.js"
import { Site } from "./support/Site.js"

let browser: Browser
let site: Site
let project: Project
let alerts: { readonly ruleId: number; readonly targetId: number }
beforeAll(async () => {
  browser = await launch()
  site = await Site.startAddressed()
  project = await site.project(`shop ${markup}`.slice(0, 200))
  alerts = await nameAlerts()
  for (const event of Object.values(events)) await site.send(project, event)
  // The history has the titles of the groups. Each attempt fails: the server is at a private address.
  await eventually(async () => {
    const { notifications } = await site.api<{ readonly notifications: ReadonlyArray<unknown> }>(
      `/projects/${project.id}/notifications`,
    )
    expect(notifications).toHaveLength(Object.keys(events).length)
  })
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

/** A rule and a target whose names contain markup and direction marks. */
const nameAlerts = async () => {
  const path = `/projects/${project.id}`
  const name = `${markup.slice(0, 80)}${turned}`
  const { id: targetId } = await site.api<{ readonly id: number }>(`${path}/targets`, "POST", {
    kind: "ntfy",
    name,
    address: { url: `${site.url}/live` },
  })
  const { id: ruleId } = await site.api<{ readonly id: number }>(`${path}/alert_rules`, "POST", {
    name,
    triggers: [{ type: "created" }],
    receivers: { members: false, targets: [targetId] },
  })
  await site.api(`${path}/alert_rules`, "POST", {
    name: "w".repeat(100),
    triggers: [{ type: "noted" }],
    filter: { query: markup, environments: [markup.slice(0, 100), turned] },
  })
  return { ruleId, targetId }
}

/** Expects that no value of a report became an element or a title, or is wider than the window. */
const expectHarmless = async (reader: Reader, name: string) => {
  const { page } = reader
  expect([name, await page.title()]).toEqual([name, expect.stringMatching(/ · Errata$/)])
  expect([
    name,
    await page.locator("img[src='x'], #app script, svg[onload], a[href^='javascript:']").count(),
  ]).toEqual([name, 0])
  expect(await page.locator("main").textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
  await reader.expectNoOverflow(name)
}

describe("hostile reports on a phone", () => {
  it("are harmless in every list and on every page", async () => {
    const { link } = await site.invite("admin")
    const groups = await site.groups(project)
    expect(groups).toHaveLength(Object.keys(events).length)
    await Reader.visit(browser, { viewport: phone }, async (reader) => {
      await reader.signIn(link)
      const root = `${site.url}/projects/${project.id}`
      const paths = ["", "/reports", "/tags", "/notes", "/merges"]
      const pages = [
        `${site.url}/projects`,
        `${site.url}/groups`,
        `${root}/groups`,
        `${root}/setup`,
        ...["", "/history", `/rules/${alerts.ruleId}`, `/targets/${alerts.targetId}`].map(
          (path) => `${root}/settings/alerts${path}`,
        ),
        ...groups.flatMap(({ id }) => paths.map((path) => `${root}/groups/${id}${path}`)),
      ]
      for (const page of pages) {
        await reader.open(page)
        await expectHarmless(reader, page)
        await openAll(reader)
        await expectHarmless(reader, `${page}, all open`)
      }
    })
  })

  it("show markup as it was written", async () => {
    const { link } = await site.invite("admin")
    const groups = await site.groups(project)
    const group = groups.find(({ error_type }) => error_type.startsWith(`"'><img`))!
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      await reader.open(`${site.url}/projects/${project.id}/groups`)
      expect(await reader.page.locator(`[id="row-${project.id}/${group.id}"]`).textContent()).toContain(
        markup.slice(0, 60),
      )
      await reader.open(`${site.url}/projects/${project.id}/groups/${group.id}`)
      expect(await reader.page.getByRole("heading", { level: 1 }).textContent()).toContain(
        markup.slice(0, 60),
      )
    })
  })
})

// internal

/** Opens all folded sections. */
const openAll = async ({ page }: Reader): Promise<void> => {
  const folded = page.locator(
    "main details:not([open]) > summary, main button[aria-expanded='false']:not([popovertarget])",
  )
  for (let left = await folded.count(); left > 0; left--) await folded.first().click()
}
