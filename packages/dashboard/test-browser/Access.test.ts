/** The actions that admins and members are offered, and the end of a session. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
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

it("a member sees only their projects, and no actions of admins", async () => {
  const mine = await site.project("mine", [{ message: "An error" }])
  await site.project("theirs", [{ message: "A secret" }])
  const { id: group } = (await site.groups(mine))[0]!
  const expectSeen = (link: string, seen: number, more: (reader: Reader) => Promise<void> = async () => {}) =>
    Reader.visit(browser, {}, async (reader) => {
      const { page } = reader
      const expectCount = (role: "button" | "link", name: string) =>
        expect.poll(() => page.getByRole(role, { name }).count(), { message: name }).toBe(seen)
      await reader.signIn(link)
      const told = page.waitForResponse(/\/me$/)
      await reader.open(`${site.url}/projects`)
      await (await told).finished()
      await page.getByRole("link", { name: "mine" }).first().waitFor()
      await expectCount("link", "theirs")
      await expectCount("link", "New project")
      const access = page.waitForResponse(/\/access$/)
      await reader.open(`${site.url}/projects/${mine.id}/groups/${group}`)
      await (await access).finished()
      await page.getByRole("button", { name: "More actions" }).click()
      await page.getByRole("button", { name: "Link an issue" }).waitFor()
      await expectCount("button", "Delete the group")
      await reader.open(`${site.url}/projects/${mine.id}/settings/alerts`)
      await page.getByText("New and reopened errors").waitFor()
      for (const name of ["New rule", "New target"]) await expectCount("link", name)
      await expectCount("button", "Copy to this project")
      await more(reader)
    })
  const [admin, member] = [await site.invite("admin"), await site.invite("member", [mine])]
  await expectSeen(admin.link, 1)
  await expectSeen(member.link, 0, async ({ page }) => {
    // The API rejects actions that the page does not offer.
    const { request } = page
    const issued = await request.post(`${site.url}/session/token`, { headers: { origin: site.url } })
    const { access_token: token } = (await issued.json()) as { readonly access_token: string }
    const service = `${site.url}/api/service/v1`
    const headers = { authorization: `Bearer ${token}` }
    const discarded = await request.delete(`${service}/projects/${mine.id}/groups/${group}`, { headers })
    const created = await request.post(`${service}/projects`, { headers, data: { name: "own" } })
    const listed = await request.get(`${service}/users`, { headers })
    const ruled = await request.post(`${service}/projects/${mine.id}/alert_rules`, {
      headers,
      data: { name: "own", triggers: [{ type: "created" }] },
    })
    expect([discarded, created, listed, ruled].map((answer) => answer.status())).toEqual([403, 403, 403, 403])
  })
})

it("the token is neither kept in the browser nor written to addresses", async () => {
  const { link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    const { page } = reader
    const issued = page.waitForResponse(/session\/token$/)
    await reader.signIn(link)
    const { access_token: token } = (await (await issued).json()) as { readonly access_token: string }
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(kept).not.toContain(token)
    expect(page.url()).not.toContain(token)
  })
})

it("the account menu signs out", async () => {
  const { link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    const { page } = reader
    await reader.signIn(link)
    await page.getByRole("button", { name: "Menu of Some admin" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(/\/sign_in$/)
    await page.goto(`${site.url}/projects`)
    await page.waitForURL(/\/sign_in\?next=%2Fprojects$/)
    reader.forgive(/status of 401/)
  })
})

it("a reader without permission for changes sees the reason, and no such actions", async () => {
  const project = await site.project("read only", [{ message: "An error" }])
  const { id: group } = (await site.groups(project))[0]!
  const { link } = await site.invite("member", [project])
  await Reader.visit(browser, {}, async (reader) => {
    const { page } = reader
    await reader.signIn(link)
    await page.route(/\/access$/, (route) => route.fulfill({ json: { can: ["project.read"] } }))
    const told = page.getByText("(rule groups.change). The operator of the server sets the rules.")
    await reader.open(`${site.url}/projects/${project.id}/groups`)
    await reader.press("j", "x")
    await told.waitFor()
    await reader.open(`${site.url}/projects/${project.id}/groups/${group}`)
    await told.waitFor()
    await page.getByRole("button", { name: /^Copy/ }).first().waitFor()
    expect(await page.getByRole("button", { name: /^(?:Resolve|Mute|Assign)/ }).count()).toBe(0)
  })
})

it("a session that ended elsewhere leads to the sign-in page, and back", async () => {
  const { id, link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    const { page } = reader
    await reader.signIn(link)
    // This page never polls, so the session is missed first by the click below.
    await reader.open(`${site.url}/projects/new`)
    const elsewhere = await page.context().newPage()
    await elsewhere.goto(`${site.url}/account`)
    await elsewhere.getByRole("button", { name: "Sign out", exact: true }).click()
    await elsewhere.waitForURL(/\/sign_in/)
    await page.getByRole("link", { name: "Projects", exact: true }).click()
    await page.waitForURL(/\/sign_in\?next=%2Fprojects/)
    reader.forgive(/status of 401/)
    const again = await site.api<{ readonly sign_in_link: string }>(`/users/${id}/sign_in_link`, "POST")
    await reader.signIn(again.sign_in_link)
  })
})
