/** Actions on lists and reports beside the shortcuts, by keys. */
import { expect } from "vitest"
import { heading, rows } from "./Actions.js"
import { button, type Flow } from "./InstanceFlows.js"

const savedQueries: Flow = {
  name: "saves, applies, renames and deletes queries",
  path: "/projects/:project/groups?query=is:muted",
  run: async (reader) => {
    const { page } = reader
    await reader.choose(button(reader, "Saved queries"), button(reader, /^Save this query/))
    await reader.type(page.getByLabel("Save the query of the list as"), "Quiet")
    await reader.press("Enter")
    await reader.expectNotice("Saved the query “Quiet”.")
    await reader.open(page.url().replace(/\?.*/, ""))
    await reader.choose(button(reader, "Saved queries"), button(reader, "Quiet"))
    await page.waitForURL(/query=is%3Amuted/)
    await reader.choose(button(reader, "Saved queries"), button(reader, /^Save or change/))
    await reader.fill(page.getByLabel("Name of Quiet"), "Silent")
    await reader.press("Enter")
    await reader.use(button(reader, "Delete Silent"))
    await reader.expectNotice("Deleted the query “Silent”.")
    await reader.press("Escape")
  },
}

const list: Flow = {
  name: "filters and orders a list",
  path: "/projects/:project/groups",
  run: async (reader) => {
    const { page } = reader
    const query = page.getByRole("combobox", { name: "Filter groups" })
    await reader.fill(query, "is:res")
    await page.getByRole("option", { name: /^is:resolved/ }).waitFor()
    await reader.press("ArrowDown", "Enter", "Enter")
    await page.waitForURL(/query=is%3Aresolved$/)
    await reader.settled()
    await reader.fill(query, "is:resolved nothing-has-this-name")
    await reader.press("Enter")
    await reader.use(button(reader, /^nothing-has-this-name/))
    await page.waitForURL(/query=is%3Aresolved$/)
    await reader.use(button(reader, "Clear the query"))
    await page.waitForURL(/query=$/)
    await reader.choose(button(reader, /^Order:/), button(reader, "Reports"))
    await page.waitForURL(/sort=reports_count/)
    await reader.choose(button(reader, /^Period of the chart:/), button(reader, "7 d"))
    await page.waitForURL(/span=7d/)
    await reader.tabTo(page.getByRole("region", { name: "Activity" }).locator("svg"))
    await reader.press("ArrowLeft", "Enter")
    await page.waitForURL(/since/)
  },
}

const merging: Flow = {
  name: "merges into a group by its number, and takes that back",
  path: "/projects/:project/groups",
  run: async (reader, { group }) => {
    const { page } = reader
    await rows(page).first().waitFor()
    await reader.press("j", "j", "x", "M")
    const dialog = page.getByRole("dialog", { name: "Merge groups" })
    await reader.fill(dialog.getByLabel("Another group"), String(group.id))
    await reader.press("Enter")
    await reader.use(dialog.getByRole("button", { name: `Merge 1 group into #${group.id}` }))
    await reader.expectNotice(`Merged 1 group into group ${group.id}.`)
    await reader.open(page.url().replace(/\/groups.*/, `/groups/${group.id}/merges`))
    await reader.use(button(reader, "Unmerge").first())
    await reader.expectNotice(/./)
  },
}

const report: Flow = {
  name: "writes a note, links an issue, and deletes a group",
  // The first group has neither notes nor an issue.
  path: "/projects/:project/groups?query=&sort=newest",
  run: async (reader) => {
    const { page } = reader
    await rows(page).first().waitFor()
    await reader.press("j", "Enter")
    await page.getByRole("heading", { name: "Activity" }).waitFor()
    await reader.use(button(reader, "Write a note"))
    await reader.type(page.getByLabel("Note", { exact: true }), "Fixed in 1.5")
    await reader.press("Control+Enter")
    await page.getByText("Fixed in 1.5").waitFor()
    await reader.expectFocusKept("after a note")
    await reader.use(button(reader, "delete"))
    await reader.use(button(reader, "Delete the note"))
    await reader.expectNotice("Deleted the note.")
    // The note would have another time, and perhaps another author.
    expect(await button(reader, /^Undo/).count()).toBe(0)
    await page.getByText("Fixed in 1.5").waitFor({ state: "detached" })
    await reader.choose(button(reader, "More actions"), button(reader, "Link an issue…"))
    await reader.fill(page.getByLabel("Address of the issue"), "https://example.com/2")
    await reader.press("Enter")
    await reader.expectNotice("Linked the issue.")
    await reader.choose(button(reader, "More actions"), button(reader, "Delete the group…"))
    await reader.use(button(reader, "Delete the group"))
    await reader.expectNotice(/^Deleted group/)
    await heading(page, /^Groups of/)
  },
}

export const readingFlows: ReadonlyArray<Flow> = [savedQueries, list, merging, report]
