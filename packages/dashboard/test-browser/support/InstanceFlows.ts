/** The changes that admins make to the instance, by keys. */
import type { Locator } from "playwright-core"
import { expect } from "vitest"
import { expectFocus } from "./Actions.js"
import type { Furnished } from "./Furnished.js"
import type { Reader } from "./Reader.js"

export interface Flow {
  readonly name: string
  /** The path of the first page. */
  readonly path: string
  readonly run: (reader: Reader, furnished: Furnished) => Promise<void>
}

export const button = ({ page }: Reader, name: string | RegExp) => page.getByRole("button", { name })

/** A dialog has the focus from the start. */
export const confirm = async (reader: Reader, title: string | RegExp, action: string): Promise<void> => {
  const dialog = reader.page.getByRole("dialog", { name: title })
  await reader.use(dialog.getByRole("button", { name: action, exact: true }))
  await dialog.waitFor({ state: "detached" })
}

/** The server rejects the value of a field, which gets the focus. */
export const expectRejected = async (reader: Reader, field: Locator): Promise<void> => {
  await reader.page.getByRole("alert").filter({ hasText: /\w/ }).waitFor()
  await expectFocus(field)
  reader.forgive(/status of 422/)
}

const close = async (reader: Reader, title: string | RegExp): Promise<void> => {
  await confirm(reader, title, "Done")
  await reader.expectFocusKept()
}

const people: Flow = {
  name: "adds people, and changes their access",
  path: "/settings/people",
  run: async (reader) => {
    const { page } = reader
    await reader.use(button(reader, "Add a person"))
    await reader.type(page.getByLabel("Email address"), "not an address")
    await reader.press("Enter")
    await expectRejected(reader, page.getByLabel("Email address"))
    await reader.fill(page.getByLabel("Email address"), "ann@example.com")
    await reader.fill(page.getByLabel("Name"), "Ann")
    await reader.use(page.getByLabel("Role"), "ArrowDown")
    await reader.use(button(reader, "Create account"))
    await close(reader, "Sign-in link for Ann")
    await page.getByRole("listitem").filter({ hasText: "ann@example.com" }).getByText("admin").waitFor()
    const menu = button(reader, "Manage Ann")
    await reader.choose(menu, button(reader, "Create a sign-in link"))
    await close(reader, "Sign-in link for Ann")
    await reader.choose(menu, button(reader, "Replace the API key…"))
    await confirm(reader, /^Replace/, "Replace the API key")
    await close(reader, "API key of Ann")
    await reader.choose(menu, button(reader, "Make member…"))
    await confirm(reader, /^Make Ann/, "Make member")
    await reader.expectNotice("Ann is now a member.")
    await reader.choose(menu, button(reader, "Deactivate…"))
    await confirm(reader, /^Deactivate/, "Deactivate")
    await reader.expectNotice("Deactivated Ann.")
  },
}

const apps: Flow = {
  name: "creates, changes and deletes apps",
  path: "/settings/apps",
  run: async (reader) => {
    const { page } = reader
    await reader.use(button(reader, "New app"))
    await reader.type(page.getByLabel("Name"), "Tools")
    await reader.use(page.getByRole("checkbox", { name: "silent" }), "Space")
    await reader.use(button(reader, "Create app"))
    await reader.expectNotice("Saved the app Tools.")
    await page.getByRole("listitem").filter({ hasText: "silent" }).waitFor()
    await reader.use(button(reader, "Edit Tools"))
    await reader.fill(page.getByLabel("Name"), "Gear")
    await reader.press("Enter")
    await reader.expectNotice("Saved the app Gear.")
    await reader.use(button(reader, "Delete Gear"))
    await confirm(reader, /^Delete/, "Delete app")
    await reader.expectNotice("Deleted the app Gear.")
  },
}

const retention: Flow = {
  name: "changes and runs retention",
  path: "/settings/retention",
  run: async (reader, { site }) => {
    const { page } = reader
    const days = page.getByLabel("Retention period").first()
    await reader.fill(days, "0")
    await reader.press("Enter")
    await expectRejected(reader, days)
    await reader.fill(days, "45")
    await reader.press("Enter")
    await reader.expectNotice("Saved the rules for reports.")
    expect(await site.api("/data_retention/errors")).toMatchObject({ retention_period_days: 45 })
    await reader.choose(button(reader, /^Run now/), button(reader, "Delete old reports…"))
    await confirm(reader, /^Delete old reports/, "Delete old reports")
    await reader.expectNotice("The run starts within seconds.")
    const hosted = page.getByRole("checkbox", { name: /^Fetch source maps/ })
    await reader.use(hosted, "Space")
    await reader.expectNotice(/etches source maps/)
  },
}

const ingest: Flow = {
  name: "changes ingest protection",
  path: "/settings/ingest",
  run: async (reader, { site }) => {
    const { page } = reader
    await reader.use(page.getByRole("checkbox", { name: "Limit the rate of errors" }), "Space")
    await reader.fill(page.getByLabel("Maximum rate"), "7,000")
    await reader.use(button(reader, "Save"))
    await reader.expectNotice("Saved the limits.")
    const saved = await site.api("/data_retention/ingest_protection")
    expect(saved).toMatchObject({ global_rate_limit_per_minute: 7_000 })
  },
}

const deadLetters: Flow = {
  name: "retries and discards dead letters",
  path: "/settings/health",
  run: async (reader, { site }) => {
    await reader.use(button(reader, /^Retry the payload/))
    await reader.expectNotice("The payload is in the queue again.")
    // It fails again.
    await expect.poll(() => site.deadLetters()).toBe(1)
    await reader.page.reload()
    await reader.settled()
    await reader.use(button(reader, "Retry all…"))
    await confirm(reader, /^Retry all/, "Retry all")
    await reader.expectNotice("1 payload went back into the queue.")
    await expect.poll(() => site.deadLetters()).toBe(1)
    await reader.page.reload()
    await reader.settled()
    await reader.use(button(reader, /^Discard the payload/))
    await confirm(reader, /^Discard/, "Discard")
    await reader.expectNotice("Discarded the dead letter.")
    await reader.page.getByText("None. Payloads that cannot").waitFor()
  },
}

export const instanceFlows: ReadonlyArray<Flow> = [people, apps, retention, ingest, deadLetters]
