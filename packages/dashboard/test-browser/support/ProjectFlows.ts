/** The changes that admins make to a project, by keys. */
import { expect } from "vitest"
import { expectFocus, heading } from "./Actions.js"
import { button, confirm, expectRejected, type Flow } from "./InstanceFlows.js"

const general: Flow = {
  name: "changes a project",
  path: "/projects/:project/settings",
  run: async (reader) => {
    const { page } = reader
    await reader.fill(page.getByLabel("Name", { exact: true }), "Shop")
    await reader.use(page.getByLabel("Platform"), "ArrowDown")
    await reader.use(button(reader, "Save"))
    await reader.expectNotice("Saved the project.")
    const token = page.locator(".copyable", { hasText: "Token" })
    const before = await token.textContent()
    await reader.use(button(reader, "Replace the token…"))
    await confirm(reader, /^Replace/, "Replace the token")
    await reader.expectNotice("Replaced the token.")
    await expect.poll(() => token.textContent()).not.toBe(before)
    await reader.use(page.getByRole("checkbox", { name: /^Notify only about/ }), "Space")
    await reader.expectNotice("Only error and fatal notify now.")
    await reader.use(button(reader, "Mute project…"))
    await expectFocus(page.getByLabel("Mute for"))
    await reader.press("ArrowDown")
    await confirm(reader, /^Mute/, "Mute project")
    await reader.expectNotice("Muted the project.")
    await reader.use(button(reader, "Unmute project"))
    await reader.expectNotice("New groups are no longer muted.")
    await page.getByText("The project is not muted.").waitFor()
  },
}

const members: Flow = {
  name: "removes and adds members",
  path: "/projects/:project/settings/members",
  run: async (reader) => {
    await reader.use(button(reader, "Remove Some member"))
    await confirm(reader, /^Remove/, "Remove")
    await reader.expectNotice("Removed Some member from the project.")
    await reader.use(reader.page.getByLabel("Person"), "ArrowDown")
    await reader.use(button(reader, "Add to project"))
    await reader.expectNotice("Added Some member to the project.")
  },
}

const webhooks: Flow = {
  name: "adds, tests, changes and deletes webhooks",
  path: "/projects/:project/settings/webhooks",
  run: async (reader, { site }) => {
    const { page } = reader
    await reader.fill(page.getByLabel("URL"), "nowhere")
    await reader.press("Enter")
    await expectRejected(reader, page.getByLabel("URL"))
    await reader.fill(page.getByLabel("URL"), `${site.url}/live`)
    await reader.use(page.getByRole("checkbox", { name: /^A group is resolved/ }), "Space")
    await reader.use(button(reader, "Add webhook"))
    await reader.use(page.getByRole("link", { name: "Send a test" }))
    await heading(page, /^Webhook \d/)
    await reader.use(button(reader, "Send a test"))
    await reader.expectNotice(/^The test was/)
    await reader.use(button(reader, /^Resend webhook\.test/))
    await reader.expectNotice(/again|not delivered/)
    await reader.use(page.getByRole("link", { name: "Not delivered" }))
    await reader.use(page.getByRole("link", { name: "webhook.test" }).first())
    await page.getByRole("heading", { name: "Request body" }).waitFor()
    await reader.use(page.getByRole("link", { name: /^All deliveries/ }))
    await reader.use(page.getByRole("checkbox", { name: /^Enabled/ }), "Space")
    await reader.use(button(reader, "Save"))
    await reader.expectNotice("Saved the webhook.")
    await reader.use(button(reader, "Delete…"))
    await confirm(reader, /^Delete/, "Delete webhook")
    await reader.expectNotice("Deleted the webhook.")
    await heading(page, "Webhooks")
  },
}

const origins: Flow = {
  name: "allows and removes origins",
  path: "/projects/:project/settings/origins",
  run: async (reader) => {
    await reader.fill(reader.page.getByLabel("Origin"), "https://static.example.com")
    await reader.press("Enter")
    await reader.expectNotice("Added https://static.example.com.")
    await reader.use(button(reader, "Remove https://static.example.com"))
    await confirm(reader, /^Remove/, "Remove origin")
    await reader.expectNotice("Removed https://static.example.com.")
  },
}

const uploads: Flow = {
  name: "looks into uploads, and deletes them",
  path: "/projects/:project/settings/uploads",
  run: async (reader) => {
    const { page } = reader
    await reader.use(page.locator("summary", { hasText: "1 file" }))
    await page.locator(".files").getByText("~/app.js").waitFor()
    await reader.use(button(reader, "Check"))
    await button(reader, "Check again").waitFor()
    await reader.expectFocusKept()
    await reader.use(button(reader, "Delete ~/app.js"))
    await confirm(reader, /^Delete/, "Delete upload")
    await reader.expectNotice("Deleted the upload.")
  },
}

const newProject: Flow = {
  name: "creates a project, and deletes it",
  path: "/projects",
  run: async (reader, { site }) => {
    const { page } = reader
    await reader.use(page.getByRole("link", { name: "New project" }))
    await reader.type(page.getByLabel("Name"), "Brand new")
    await reader.use(page.getByRole("radio", { checked: true }), "ArrowRight")
    await reader.use(button(reader, "Create project"))
    await heading(page, "Set up Brand new")
    // As if the server recorded the event after the page requests the report.
    const body = JSON.stringify({ title: "Not Found", status: 404, detail: "No such report" })
    await page.route(
      /\/projects\/\d+\/reports\//,
      (route) => route.fulfill({ status: 404, contentType: "application/problem+json", body }),
      { times: 2 },
    )
    await reader.use(button(reader, "Send one for me"))
    await page.waitForURL(/\/reports\/\d+$/)
    await reader.settled()
    reader.forgive(/status of 404/)
    await reader.open(page.url().replace(/\/groups\/.*/, "/settings"))
    await reader.use(button(reader, "Delete project…"))
    await reader.type(page.getByLabel("Name of the project"), "Brand")
    await reader.press("Enter")
    await page.getByText("does not match").waitFor()
    await reader.fill(page.getByLabel("Name of the project"), "Brand new")
    await reader.press("Enter")
    await reader.expectNotice("Deleted the project Brand new.")
    await page.waitForURL(`${site.url}/projects`)
  },
}

export const projectFlows: ReadonlyArray<Flow> = [general, members, webhooks, origins, uploads, newProject]
