/** From a sign-in link to a resolved group, by keyboard alone, with a real server on both storages. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as RealData from "../../cli/test/data/support/RealData.js"
import type { Project } from "../../cli/test/support/Rest.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { event, expectFocus, heading, rows } from "./support/Actions.js"
import { Reader } from "./support/Reader.js"
import { type Event, Site, type Storage } from "./support/Site.js"

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** Four groups, ordered in the list by their names. */
const events = () => [event("Fourth", 4), event("Third", 3), event("Second", 2), event("First", 1)]

describe.each<Storage>(["memory", "PostgreSQL"])("a reader of a server on %s", (storage) => {
  let site: Site
  let projects = 0
  beforeAll(async () => {
    site = await Site.start(storage)
    return () => site.stop()
  })

  /** Opens the list of a new project with these events. */
  const inList = async (
    sent: ReadonlyArray<Event>,
    read: (reader: Reader, project: Project) => Promise<void>,
  ) => {
    const project = await site.project(`shop ${++projects}`, sent)
    const { link } = await site.invite("admin")
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      await reader.open(`${site.url}/projects/${project.id}/groups`)
      await read(reader, project)
    })
  }

  /** Waits until the server has the groups of these names so. */
  const expectGroups = (project: Project, wanted: Readonly<Record<string, object>>) =>
    expect
      .poll(async () => {
        const groups = await site.groups(project)
        return Object.fromEntries(groups.map((group) => [group.error_type, group]))
      })
      .toMatchObject(wanted)

  it("walks real groups by keys, resolves one and undoes it", async () => {
    const again = { exception: { values: [{ type: "TypeError", value: "seen twice" }] } }
    // Lists are in the order of hours, then of ids: sent last, the group is on the first page at the turn of an hour too.
    const sent = [
      ...RealData.allEvents().map(({ data }) => data),
      { ...again, message: "older", timestamp: Date.now() / 1000 - 60 },
      { ...again, message: "newer" },
    ]
    await inList(sent, async (reader, project) => {
      const { page } = reader
      const expected = await site.api<{ readonly groups: ReadonlyArray<{ readonly id: number }> }>(
        `/projects/${project.id}/groups?status=unresolved&sort=last_seen&limit=50`,
      )
      const shown = await rows(page).evaluateAll((links) => links.map(({ id }) => id))
      expect(shown).toEqual(expected.groups.map(({ id }) => `row-${project.id}/${id}`))

      const wanted = rows(page).filter({ hasText: "seen twice" })
      const id = (await wanted.getAttribute("id"))!
      await reader.press("j", "j", "k", ...Array.from({ length: shown.indexOf(id) }, () => "j"))
      await expectFocus(wanted)
      await reader.press("Enter")
      await heading(page, "TypeError")
      await page.getByText("· newest").waitFor()
      await reader.press("p")
      await page.waitForURL(/\/reports\/\d+$/)
      await page.getByText("· oldest").waitFor()
      await reader.press("n")
      await page.getByText("· newest").waitFor()

      const group = `/projects/${project.id}/groups/${id.split("/")[1]}`
      await reader.press("r")
      await page.getByText("Resolved 1 group.").waitFor()
      await page.getByRole("button", { name: "Reopen" }).waitFor()
      expect(await site.api(group)).toMatchObject({ resolved: true })
      await reader.press("z")
      await page.getByText("Undone.").waitFor()
      await page.getByRole("button", { name: "Resolve" }).waitFor()
      expect(await site.api(group)).toMatchObject({ resolved: false })
    })
  })

  it("decides about the groups of a list by keys", async () => {
    await inList(events(), async (reader, project) => {
      const { page } = reader
      const done = (text: string) => page.getByText(text).first().waitFor()
      // The first two.
      await reader.press("j", "x", "j", "X", "r")
      await done("Resolved 2 groups.")
      await expectGroups(project, { First: { resolved: true }, Second: { resolved: true } })
      await reader.press("z")
      await done("Undone.")
      await expectGroups(project, { First: { resolved: false }, Second: { resolved: false } })

      await openMenu(reader, "m", "Until I unmute it")
      await reader.press("Enter")
      await done("Muted 2 groups.")
      await expectGroups(project, { First: { muted: true }, Second: { muted: true } })
      await openMenu(reader, "m", "Unmute")
      await reader.press("Enter")
      await done("Unmuted 2 groups.")
      await expectGroups(project, { First: { muted: false }, Second: { muted: false } })

      await reader.press("a")
      await done("Assigned to Some admin: 2 groups.")
      await expectGroups(project, { First: { assignee_id: expect.any(Number) } })
      await openMenu(reader, "A", "Me a")
      await reader.press("ArrowDown", "Enter")
      await done("Unassigned 2 groups.")
      await expectGroups(project, { First: { assignee_id: null }, Second: { assignee_id: null } })

      await reader.press("Escape")
      await page.getByRole("toolbar", { name: "Selected groups" }).waitFor({ state: "detached" })
    })
  })

  it("resolves groups in a release by keys, and undoes it", async () => {
    const sent = events().map((sent) => ({ ...sent, release: "shop@1.4.0" }))
    await inList(sent, async (reader, project) => {
      const { page } = reader
      const done = (text: string) => page.getByText(text).first().waitFor()
      await reader.press("j", "x", "j", "X")
      await openMenu(reader, "v", "In the next release")
      await reader.press("Enter")
      await done("Resolved 2 groups in the next release.")
      const next = { resolved: true, resolved_in_release: "next" }
      await expectGroups(project, { First: next, Second: next, Third: { resolved: false } })
      await done("resolved in the next release")
      await reader.press("Escape", "Enter")
      await heading(page, "Second")
      await openMenu(reader, "v", "In the next release")
      await reader.press("ArrowDown")
      await expectFocus(page.getByRole("button", { name: "shop@1.4.0", exact: true }))
      await reader.tabTo(page.getByRole("searchbox", { name: "Find or name a release" }))
      await page.keyboard.type("shop@2.0.0")
      await reader.press("Enter")
      await done("Resolved 1 group in shop@2.0.0.")
      await done("resolved in shop@2.0.0")
      await expectGroups(project, { Second: { resolved_in_release: "shop@2.0.0" } })
      await reader.press("z")
      await done("Undone.")
      await expectGroups(project, { Second: next })
      await openMenu(reader, "m", "Until I unmute it")
      await reader.press("ArrowDown", "Enter")
      await done("muted until the next release")
      await expectGroups(project, { Second: { muted_until_release: "next" } })
    })
  })

  it("merges groups by keys, and undoes it", async () => {
    await inList(events(), async (reader, project) => {
      const { page } = reader
      await reader.press("j", "x", "j", "x", "M")
      const dialog = page.getByRole("dialog", { name: "Merge groups" })
      await reader.tabTo(dialog.getByRole("button", { name: /^Merge 1 group into/ }))
      await reader.press("Enter")
      await page.getByText(/Merged 1 group into group/).waitFor()
      await expect.poll(() => rows(page).count()).toBe(3)
      expect(await site.groups(project)).toHaveLength(3)
      await reader.press("z")
      await page.getByText("Undone.").waitFor()
      await expect.poll(async () => (await site.groups(project)).length).toBe(4)
    })
  })

  it("decides about a group on its page by keys, walks on and returns to its row", async () => {
    await inList(events(), async (reader, project) => {
      const { page } = reader
      await reader.press("j", "j", "o")
      await heading(page, "Second")
      await reader.press("J")
      await heading(page, "Third")
      await reader.press("K")
      await heading(page, "Second")
      await reader.press("a")
      await page.getByText("Assigned to Some admin: 1 group.").waitFor()
      await openMenu(reader, "m", "Until I unmute it")
      await reader.press("Enter")
      await page.getByText("Muted 1 group.").waitFor()
      await expectGroups(project, { Second: { muted: true, assignee_id: expect.any(Number) } })
      await reader.press("u")
      await expectFocus(rows(page).nth(1))
      await reader.press("Enter")
      await heading(page, "Second")
      await reader.tabTo(page.getByRole("button", { name: "More actions" }))
      await reader.press("Enter")
      await expectFocus(page.getByRole("button", { name: "Link an issue…" }))
      await reader.press("ArrowDown", "ArrowDown")
      await expectFocus(page.getByRole("button", { name: "Delete the group…" }))
      await reader.press("Enter")
      const dialog = page.getByRole("dialog", { name: /^Delete group/ })
      await reader.tabTo(dialog.getByRole("button", { name: "Delete the group" }))
      await reader.press("Enter")
      await page.waitForURL(/\/groups\?/)
      await expect.poll(() => rows(page).count()).toBe(3)
      expect((await site.groups(project)).map(({ error_type }) => error_type)).not.toContain("Second")
    })
  })

  it("returns to the row of the last opened group", async () => {
    await inList(events(), async (reader) => {
      const { page } = reader
      await reader.press("j", "Enter")
      await heading(page, "First")
      await reader.press("J")
      await heading(page, "Second")
      await reader.press("J")
      await heading(page, "Third")
      await reader.press("u")
      await expectFocus(rows(page).nth(2))
    })
  })

  it("filters a list by keys", async () => {
    await inList(events(), async (reader) => {
      const { page } = reader
      await reader.press("/")
      const query = page.getByRole("combobox", { name: "Filter groups" })
      await expectFocus(query)
      await reader.press("ControlOrMeta+a")
      await page.keyboard.type("Third")
      await reader.press("Enter")
      await page.waitForURL(/query=Third/)
      await expect.poll(() => rows(page).count()).toBe(1)
    })
  })

  it("adds to the query of a list by keys", async () => {
    await inList(events(), async (reader) => {
      const { page } = reader
      await reader.press("/")
      await page.getByRole("option", { name: /^error_type:/ }).waitFor()
      await page.keyboard.type("error_type:Third")
      await reader.press("Enter")
      await page.waitForURL(/query=is%3Aunresolved(\+|%20)error_type%3AThird/)
      await expect.poll(() => rows(page).count()).toBe(1)
    })
  })

  it("finds the shortcuts, and jumps to a project by name", async () => {
    const project = await site.project("warehouse", [event("First", 1)])
    await inList(events(), async (reader) => {
      const { page } = reader
      await reader.press("?")
      const help = page.getByRole("dialog", { name: "Keyboard shortcuts" })
      await help.waitFor()
      await reader.press("Escape")
      await help.waitFor({ state: "detached" })
      await reader.press("g", "p")
      await page.waitForURL(/\/projects$/)
      await reader.settled()
      await reader.press("ControlOrMeta+k")
      await expectFocus(page.getByRole("combobox", { name: /^Search pages/ }))
      // Enter immediately after the last letter.
      await page.keyboard.insertText("wareh")
      await reader.press("Enter")
      await page.waitForURL(`**/projects/${project.id}/groups`)
      await expect.poll(() => rows(page).count()).toBe(1)
    })
  })
})

// internal

/** Opens a menu by its key, which focuses its first entry. */
const openMenu = async (reader: Reader, key: string, first: string): Promise<void> => {
  await reader.press(key)
  await expectFocus(reader.page.getByRole("button", { name: first, exact: true }))
}
