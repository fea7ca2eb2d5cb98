/** The changes to rules, targets and mail, by keys. */
import { expect } from "vitest"
import { expectFocus, heading } from "./Actions.js"
import { button, confirm, expectRejected, type Flow } from "./InstanceFlows.js"

interface Rules {
  readonly default: boolean
  readonly alert_rules: ReadonlyArray<object>
}

const rules: Flow = {
  name: "copies, makes, tries, disables and deletes rules",
  path: "/projects/:silent/settings/alerts",
  run: async (reader, { silent, site }) => {
    const { page } = reader
    const saved = () => site.api<Rules>(`/projects/${silent.id}/alert_rules`)
    await reader.use(button(reader, "Copy to this project"))
    await reader.expectNotice("The project has rules of its own now.")
    expect(await saved()).toMatchObject({
      default: false,
      alert_rules: [{ name: "New and reopened errors" }],
    })
    await reader.use(page.getByRole("link", { name: "New rule" }))
    await heading(page, "New rule")
    const name = page.getByLabel("Name", { exact: true })
    await reader.tabTo(name)
    await reader.press("Enter")
    await expectRejected(reader, name)
    await reader.fill(name, "Busy")
    await reader.use(page.getByRole("checkbox", { name: "A resolved group occurs again" }), "Space")
    await reader.fill(page.getByLabel("Number of reports", { exact: true }), "1,200")
    await reader.fill(page.getByLabel("Number of minutes"), "15")
    await reader.fill(page.getByRole("combobox", { name: "Query" }), "is:res")
    await page.getByRole("option", { name: /^is:resolved/ }).waitFor()
    await reader.press("ArrowDown", "Enter")
    await reader.use(page.getByRole("checkbox", { name: "Fatal", exact: true }), "Space")
    await page.getByText("Would not have notified in the last 7 days.").waitFor()
    await reader.use(button(reader, "Save rule"))
    await reader.expectNotice("Added the rule Busy.")
    await heading(page, "Alerts")
    expect((await saved()).alert_rules[1]).toMatchObject({
      triggers: [{ type: "created" }, { type: "reports", count: 1_200, minutes: 15, of: "group" }],
      filter: { query: "is:resolved", environments: [], severities: ["fatal"] },
      receivers: { members: true, targets: "all" },
    })
    await reader.use(button(reader, "Disable Busy"))
    await reader.expectNotice("Disabled the rule Busy.")
    await reader.press("z")
    await reader.expectNotice("Undone.")
    await button(reader, "Disable Busy").waitFor()
    await reader.use(page.getByRole("link", { name: "Busy" }))
    await heading(page, "Busy")
    // The dry run is rejected, too: its message must not come after the one that is forgiven.
    const tried = page.waitForResponse((answer) => /dry_run$/.test(answer.url()) && answer.status() === 422)
    await reader.fill(page.getByLabel("Number of reports", { exact: true }), "many")
    await tried
    await reader.use(button(reader, "Save rule"))
    await expectRejected(reader, page.locator("[id='triggers-problem']"))
    await reader.use(button(reader, "Delete…"))
    await confirm(reader, /^Delete/, "Delete rule")
    await reader.expectNotice("Deleted the rule Busy.")
    await heading(page, "Alerts")
    expect((await saved()).alert_rules).toHaveLength(1)
  },
}

const targets: Flow = {
  name: "adds, tests, changes and deletes targets",
  path: "/projects/:project/settings/alerts",
  run: async (reader, { site }) => {
    const { page } = reader
    await reader.use(page.getByRole("link", { name: "New target" }))
    const kind = page.getByRole("radio", { name: "ntfy" })
    await reader.tabTo(page.getByRole("radio", { checked: true }))
    for (let steps = 0; steps < 12 && !(await kind.isChecked()); steps++) await reader.press("ArrowDown")
    await reader.fill(page.getByLabel("Name", { exact: true }), "Pocket")
    const url = page.getByLabel("Topic URL")
    await reader.fill(url, "nowhere")
    await reader.press("Enter")
    await expectRejected(reader, url)
    await reader.fill(url, `${site.url}/live`)
    await reader.use(page.getByRole("checkbox", { name: /^Quiet hours/ }), "Space")
    await reader.use(button(reader, "Add target"))
    await reader.expectNotice("Added Pocket.")
    await heading(page, "Pocket")
    // A secret never comes back.
    expect(await page.getByLabel("Topic URL").inputValue()).toBe("")
    await reader.use(button(reader, "Send a test"))
    await page
      .getByRole("status", { name: "Results of the test" })
      .getByText(/Delivered|Failed/)
      .waitFor()
    await reader.expectFocusKept()
    await reader.fill(page.getByLabel("Name", { exact: true }), "Bag")
    await reader.press("Enter")
    await reader.expectNotice("Saved Bag.")
    await reader.use(page.getByRole("link", { name: "Notifications to this target" }))
    await heading(page, "Notifications")
    await page.getByText("Test message for the target").waitFor()
    await reader.use(page.getByLabel("All states"), "ArrowDown")
    await page.waitForURL(/status=succeeded/)
    await reader.use(page.getByRole("link", { name: "All rules and targets" }))
    await reader.use(page.getByRole("link", { name: "Bag" }))
    await reader.use(button(reader, "Delete…"))
    await confirm(reader, /^Delete/, "Delete target")
    await reader.expectNotice("Deleted Bag.")
    await heading(page, "Alerts")
  },
}

const mail: Flow = {
  name: "changes the reader's own mail",
  path: "/projects/:project/settings/alerts",
  run: async (reader) => {
    const { page } = reader
    await reader.use(page.getByLabel("Notifications", { exact: true }), "ArrowDown")
    await reader.use(page.getByLabel("Digest"), "ArrowDown")
    await reader.use(button(reader, "Save"))
    await reader.expectNotice("Saved your mail settings.")
    await page.reload()
    await reader.settled()
    expect(await page.getByLabel("Notifications", { exact: true }).inputValue()).toBe("assigned")
    expect(await page.getByLabel("Digest").inputValue()).toBe("daily")
  },
}

const defaults: Flow = {
  name: "makes and deletes default rules, and resumes addresses",
  path: "/settings/alerts",
  run: async (reader, { pausedAddress }) => {
    const { page } = reader
    await reader.use(page.getByRole("link", { name: "New default rule" }))
    await heading(page, "New default rule")
    await reader.fill(page.getByLabel("Name", { exact: true }), "Everywhere")
    await reader.press("Enter")
    await reader.expectNotice("Added the rule Everywhere.")
    await reader.use(page.getByRole("link", { name: "Everywhere" }))
    await reader.use(button(reader, "Delete…"))
    await confirm(reader, /^Delete/, "Delete rule")
    await reader.expectNotice("Deleted the rule Everywhere.")
    await reader.use(button(reader, `Resume ${pausedAddress}`))
    await reader.expectNotice(`${pausedAddress} gets mail again.`)
    await page.getByText("None. An address is paused").waitFor()
  },
}

interface State {
  readonly resolved: boolean
  readonly muted: boolean
}

/** Links in messages. */
const offers: Flow = {
  name: "is offered what a link in a message names, and nothing is done before",
  path: "/projects/:project/groups",
  run: async (reader, { group, project, site }) => {
    const { page } = reader
    const path = `/projects/${project.id}/groups/${group.id}`
    const state = () => site.api<State>(path)
    await reader.open(`${site.url}${path}?do=mute`)
    await expectFocus(button(reader, "Until I unmute it"))
    expect(await state()).toMatchObject({ resolved: false, muted: false })
    await reader.press("Escape")
    await reader.open(`${site.url}${path}?do=resolve`)
    await expectFocus(page.locator("#resolve"))
    expect(await state()).toMatchObject({ resolved: false, muted: false })
    await reader.press("Enter")
    await reader.expectNotice("Resolved 1 group.")
    // The same button would reopen the group.
    await reader.open(`${site.url}${path}?do=resolve`)
    await page.locator(".notice", { hasText: "The group is resolved already." }).waitFor()
    expect(await page.locator("#resolve").evaluate((element) => element.matches(":focus"))).toBe(false)
    await reader.press("r")
    await page.locator(".notice", { hasText: "Reopened 1 group." }).waitFor()
  },
}

export const alertFlows: ReadonlyArray<Flow> = [rules, targets, mail, defaults, offers]
