/** What a page offers to whom, and what it does when a session has ended. */
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

it("a member sees their projects alone, and no action of admins", async () => {
  const mine = await site.project("mine", [{ message: "An error" }])
  await site.project("theirs", [{ message: "A secret" }])
  const { id: group } = (await site.groups(mine))[0]!
  const seenBy = async (link: string): Promise<ReadonlyArray<number>> => {
    const counts: Array<number> = []
    await Reader.visit(browser, {}, async (reader) => {
      const { page } = reader
      await reader.signIn(link)
      counts.push(await page.getByRole("link", { name: "theirs" }).count())
      counts.push(await page.getByRole("link", { name: "New project" }).count())
      await reader.open(`${site.url}/projects/${mine.id}/groups/${group}`)
      await page.getByRole("button", { name: "Resolve" }).waitFor()
      await page.getByRole("button", { name: "More actions" }).click()
      await page.getByRole("button", { name: "Link an issue" }).waitFor()
      counts.push(await page.getByRole("button", { name: "Discard the group" }).count())
    })
    return counts
  }
  const [admin, member] = [await site.invite("admin"), await site.invite("member", [mine])]
  expect(await seenBy(admin.link)).toEqual([1, 1, 1])
  expect(await seenBy(member.link)).toEqual([0, 0, 0])
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

it("a session that ended elsewhere leads to the sign-in page, and back", async () => {
  const project = await site.project("shop", [{ message: "An error" }])
  const { id, link } = await site.invite("admin")
  await Reader.visit(browser, {}, async (reader) => {
    const { page } = reader
    await reader.signIn(link)
    await reader.open(`${site.url}/projects/${project.id}/groups`)
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
