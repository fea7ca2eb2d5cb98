/** Every page is for everybody: light and dark, on a desk and on a phone. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as RealData from "../../cli/test/data/support/RealData.js"
import type { Project } from "../../cli/test/support/Rest.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { desk, phone, Reader } from "./support/Reader.js"
import { Site } from "./support/Site.js"

let browser: Browser
let site: Site
let project: Project
let silent: Project
beforeAll(async () => {
  browser = await launch()
  site = await Site.start()
  const own = RealData.allEvents().filter(({ name }) => name.split("/").length === 2)
  project = await site.project(
    "shop",
    own.map(({ data }) => data),
  )
  silent = await site.project("silent")
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

describe.each([
  ["a phone, light", { viewport: phone, colorScheme: "light" }],
  ["a phone, dark", { viewport: phone, colorScheme: "dark" }],
  ["a desk, light", { viewport: desk, colorScheme: "light" }],
  ["a desk, dark", { viewport: desk, colorScheme: "dark" }],
] as const)("on %s", (look, options) => {
  it("the pages, the help and the palette hold to WCAG 2.2 AA and fit their window", async () => {
    const { link } = await site.invite("admin")
    const groups = await site.groups(project)
    const group = groups.find(({ error_type }) => error_type === "TypeError") ?? groups[0]!
    await Reader.visit(browser, options, async (reader) => {
      await reader.signIn(link)
      const inspect = async (name: string) => {
        await reader.expectAccessible(`${name} on ${look}`)
        await reader.expectNoOverflow(`${name} on ${look}`)
      }
      const list = `${site.url}/projects/${project.id}/groups`
      const pages = {
        projects: `${site.url}/projects`,
        "a new project": `${site.url}/projects/new`,
        "the setup": `${site.url}/projects/${silent.id}/setup`,
        "all groups": `${site.url}/groups`,
        "the list": list,
        "the list without a match": `${list}?query=nothing-has-this-name`,
        "a report": `${list}/${group.id}`,
        "the reports of a group": `${list}/${group.id}/reports`,
        "the tags of a group": `${list}/${group.id}/tags`,
        "the notes of a group": `${list}/${group.id}/notes`,
        "the merges of a group": `${list}/${group.id}/merges`,
      }
      for (const [name, url] of Object.entries(pages)) {
        await reader.open(url)
        await inspect(name)
      }
      await reader.press("?")
      await reader.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
      await inspect("the help")
      await reader.press("Escape", "ControlOrMeta+k")
      await reader.page.getByRole("dialog", { name: "Search or jump to" }).waitFor()
      await inspect("the palette")
    })
  })
})
