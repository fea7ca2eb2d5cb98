/** The shortcuts of each page, with the visible effect of each. They run in this order. */
import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import type { Project } from "../../../cli/test/support/Rest.js"
import type { Reader } from "./Reader.js"
import type { Event, Site } from "./Site.js"

export interface Visit {
  readonly reader: Reader
  readonly page: Page
  readonly site: Site
  readonly project: Project
}

type Step = (visit: Visit) => Promise<unknown>

export interface Action {
  /** As in the help. */
  readonly key: string
  /** Finds it in the palette; absent for the keys that move within a page. */
  readonly entry?: string
  readonly before?: Step
  readonly expect: Step
  readonly after?: Step
}

interface Place {
  readonly start: Step
  readonly actions: ReadonlyArray<Action>
}

/** An event from this many hours ago, which determines its position in lists. */
export const event = (type: string, ago: number): Event => ({
  timestamp: Date.now() / 1000 - ago * 3_600,
  exception: { values: [{ type, value: `${type} was thrown` }] },
})

export const rows = (page: Page): Locator => page.locator("main:not([hidden]) [id^='row-']")

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name }).waitFor()

export const expectFocus = (wanted: Locator) =>
  expect.poll(() => wanted.evaluate((element) => element.matches(":focus"))).toBe(true)

const press =
  (...keys: ReadonlyArray<string>): Step =>
  ({ reader }) =>
    reader.press(...keys)

const says =
  (text: string | RegExp): Step =>
  ({ page }) =>
    page.locator(".notice", { hasText: text }).last().waitFor()

const isAt =
  (path: RegExp): Step =>
  ({ page }) =>
    page.waitForURL(path)

/** The keys of a page work a moment after its heading is shown. */
const isHeading =
  (name: string): Step =>
  async ({ page, reader }) => {
    await heading(page, name)
    await reader.settled()
  }

const isRow =
  (index: number): Step =>
  ({ page }) =>
    expectFocus(rows(page).nth(index))

const isDialog =
  (name: string): Step =>
  ({ page }) =>
    page.getByRole("dialog", { name }).waitFor()

const isMenu =
  (first: string): Step =>
  ({ page }) =>
    expectFocus(page.getByRole("button", { name: first, exact: true }))

const isPressed =
  (name: string | RegExp): Step =>
  ({ page }) =>
    page.getByRole("button", { name, pressed: true }).waitFor()

const selection = (page: Page) => page.getByRole("toolbar", { name: "Selected groups" })

/** Shortcuts rest until a dialog is gone. */
const escape: Step = async ({ page, reader }) => {
  await reader.press("Escape")
  await page.locator("dialog[open]").waitFor({ state: "detached" })
}

const openList: Step = async ({ page, project, reader, site }) => {
  await reader.open(`${site.url}/projects/${project.id}/groups`)
  await reader.press("j")
  await expectFocus(rows(page).first())
}

const list: Place = {
  start: openList,
  actions: [
    { key: "j", expect: isRow(1) },
    { key: "k", expect: isRow(0) },
    { key: "Enter", expect: isHeading("First"), after: press("u") },
    { key: "o", before: isRow(0), expect: isHeading("First"), after: press("u") },
    { key: "x", before: isRow(0), expect: ({ page }) => selection(page).getByText("1 selected").waitFor() },
    { key: "X", before: press("j"), expect: ({ page }) => selection(page).getByText("2 selected").waitFor() },
    { key: "Escape", expect: ({ page }) => selection(page).waitFor({ state: "detached" }) },
    { key: "r", entry: "Resolve or reopen action", expect: says("Resolved 1 group.") },
    { key: "z", entry: "Undo action", expect: says("Undone.") },
    {
      key: "v",
      entry: "Resolve in a release action",
      expect: isMenu("In the next release"),
      after: escape,
    },
    { key: "m", entry: "Mute action", expect: isMenu("Until I unmute it"), after: escape },
    { key: "a", entry: "Assign to me action", expect: says("Assigned to Some admin: 1 group.") },
    { key: "A", entry: "Assign to … action", expect: isMenu("Me a"), after: escape },
    { key: "M", entry: "Merge action", expect: isDialog("Merge groups"), after: escape },
    {
      key: "/",
      entry: "Query action",
      expect: ({ page }) => expectFocus(page.getByRole("combobox", { name: "Filter groups" })),
      after: press("Escape", "Escape"),
    },
    { key: "q", entry: "Saved queries action", expect: isMenu("Save this query… s"), after: escape },
    { key: "s", entry: "Save or change queries", expect: isDialog("Saved queries"), after: escape },
    { key: "D", entry: "Download as CSV", expect: says(/^Downloaded \d+ rows\./) },
    { key: "l", entry: "Live action", expect: isPressed(/^Live/) },
    {
      key: ".",
      entry: "Show new groups",
      before: async ({ page, project, site }) => {
        await site.send(project, event("Newest", 0))
        await page.getByText("1 new · press .").waitFor()
      },
      expect: ({ page }) => rows(page).filter({ hasText: "Newest" }).waitFor(),
    },
  ],
}

const report: Place = {
  start: async (visit) => {
    await openList(visit)
    await visit.reader.press("j", "Enter")
    await heading(visit.page, "Second")
    await visit.page.getByText("· newest").waitFor()
  },
  actions: [
    { key: "r", entry: "Resolve or reopen action", expect: says("Resolved 1 group.") },
    {
      key: "v",
      entry: "Resolve in a release action",
      expect: isMenu("In the next release"),
      after: escape,
    },
    { key: "m", entry: "Mute action", expect: isMenu("Until I unmute it"), after: escape },
    { key: "a", entry: "Assign to me, or unassign", expect: says("Assigned to Some admin: 1 group.") },
    { key: "A", entry: "Assign to … action", expect: isMenu("Me a"), after: escape },
    { key: "M", entry: "Merge action", expect: isDialog("Merge groups"), after: escape },
    { key: "c", entry: "Copy as Markdown", expect: says("Copied the report as Markdown.") },
    { key: "y", entry: "Copy the link", expect: says("Copied the link.") },
    { key: "f", entry: "All frames", expect: isPressed("all frames") },
    { key: "w", entry: "Wrap long lines", expect: isPressed("wrap") },
    { key: "R", entry: "As text", expect: isPressed("raw") },
    { key: "p", entry: "Previous report", expect: ({ page }) => page.getByText("· oldest").waitFor() },
    { key: "n", entry: "Next report", expect: ({ page }) => page.getByText("· newest").waitFor() },
    { key: "J", entry: "Next group of the list", expect: isHeading("Third") },
    { key: "K", entry: "Previous group of the list", expect: isHeading("Second") },
    { key: "u", entry: "Back to the list", expect: isRow(1) },
  ],
}

const projectLinks = (page: Page) => page.locator(".projects .name")

const projects: Place = {
  start: ({ reader, site }) => reader.open(`${site.url}/projects`),
  actions: [
    {
      key: "/",
      entry: "Filter action",
      expect: ({ page }) => expectFocus(page.getByRole("textbox", { name: /^Filter projects/ })),
      after: escape,
    },
    { key: "j", expect: ({ page }) => expectFocus(projectLinks(page).first()) },
    { key: "k", before: press("j"), expect: ({ page }) => expectFocus(projectLinks(page).first()) },
  ],
}

const openSettings: Step = ({ project, reader, site }) =>
  reader.open(`${site.url}/projects/${project.id}/settings`)

/** Undo is an action of the list. */
const everywhere: Place = {
  start: openSettings,
  actions: [
    {
      key: "t",
      entry: "Theme action",
      expect: ({ page }) => page.locator("html[data-theme=light]").waitFor(),
    },
    { key: "?", entry: "Keyboard shortcuts", expect: isDialog("Keyboard shortcuts"), after: escape },
    { key: "Ctrl K", expect: isDialog("Search or jump to"), after: escape },
    { key: "g p", entry: "Projects page", expect: isAt(/\/projects$/), after: openSettings },
    { key: "g a", entry: "All groups", expect: isAt(/\/groups$/), after: openSettings },
    { key: "g s", entry: "People page", expect: isAt(/\/settings\/people$/), after: openSettings },
    { key: "g h", entry: "Health page", expect: isAt(/\/settings\/health$/) },
  ],
}

export const places = { list, report, projects, settings: everywhere }

export const everywhereKeys = [...everywhere.actions.map(({ key }) => key), "z"]
