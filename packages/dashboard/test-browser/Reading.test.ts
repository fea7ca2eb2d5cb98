/** How readers find and read groups and reports, beside the shortcuts. */
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Project } from "../../cli/test/support/Rest.js"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { event, heading } from "./support/Actions.js"
import { Reader, type Session } from "./support/Reader.js"
import { type Event, Site } from "./support/Site.js"

let browser: Browser
let site: Site
let session: Session
beforeAll(async () => {
  browser = await launch()
  site = await Site.start()
  session = await Reader.signedIn(browser, (await site.invite("admin")).link)
})
afterAll(async () => {
  await browser?.close()
  await site?.stop()
})

/** Opens a page of the site. */
const at = (path: string, read: (reader: Reader) => Promise<void>) =>
  Reader.visit(browser, session, async (reader) => {
    await reader.open(site.url + path)
    await read(reader)
  })

const groupIn = async (project: Project) => (await site.groups(project))[0]!

/** The path of the group that these events make. */
const groupOf = async (name: string, events: ReadonlyArray<Event>) => {
  const project = await site.project(name, events)
  return `/projects/${project.id}/groups/${(await groupIn(project)).id}`
}

/** The button at the end says so, and still has the focus. */
const expectEnd = async (page: Page, name: string) => {
  const button = page.getByRole("button", { name, disabled: true })
  await button.waitFor()
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
}

describe("a reader", () => {
  it("sees all reports again after the pages of a shorter range", async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const sent = (count: number, hoursAgo: number): ReadonlyArray<Event> =>
      Array.from({ length: count }, () => event("Paged", hoursAgo))
    const path = await groupOf("paged", [...sent(3, 5), ...sent(52, 0.1)])
    await at(`${path}/reports?since=${since}`, async ({ page }) => {
      const reports = page.locator(".reports tbody time")
      await page.getByRole("button", { name: "Older reports" }).click()
      await expect.poll(() => reports.count()).toBe(52)
      await page.getByRole("link", { name: "Show all" }).click()
      await expect.poll(() => reports.count()).toBe(50)
      await page.getByRole("button", { name: "Older reports" }).click()
      await expect.poll(() => reports.count()).toBe(55)
    })
  })

  it("sees older notes by the keyboard, up to the first one", async () => {
    const path = await groupOf("noted", [event("Noted", 1)])
    for (let i = 1; i <= 52; i++) await site.api(`${path}/notes`, "POST", { content: `Note number ${i}.` })
    await at(`${path}/notes`, async (reader) => {
      const notes = reader.page.locator(".note-text")
      expect(await notes.count()).toBe(50)
      const more = reader.page.getByRole("button", { name: "Older notes" })
      await reader.use(more)
      await expect.poll(() => notes.count()).toBe(52)
      expect(await notes.last().textContent()).toBe("Note number 1.")
      await expectEnd(reader.page, "No more notes")
    })
  })

  it("sees more values of a tag by the keyboard, up to the last one, and begins anew with another tag", async () => {
    const path = await groupOf(
      "valued",
      Array.from({ length: 102 }, (_, i) => ({
        ...event("Valued", 1),
        tags: { color: `color-${i}`, shape: `shape-${i}` },
      })),
    )
    await at(`${path}/tags/color`, async (reader) => {
      const { page } = reader
      const values = page.locator(".values tbody a")
      const more = page.getByRole("button", { name: "More values" })
      const expectFirst = (value: RegExp) => values.filter({ hasText: value }).nth(99).waitFor()
      const showAll = async () => {
        await reader.use(more)
        await expect.poll(() => values.count()).toBe(102)
        await expectEnd(page, "No more values")
      }
      await expectFirst(/^color-\d+$/)
      await showAll()
      await reader.use(page.getByRole("link", { name: "All tags" }))
      await reader.use(page.locator(`a[href$="${path}/tags/shape"]`))
      await expectFirst(/^shape-\d+$/)
      await showAll()
      // From one tag to another, without a page between them.
      await page.evaluate(() => history.go(-2))
      await expectFirst(/^color-\d+$/)
      expect(await values.count()).toBe(100)
      await showAll()
    })
  })

  it("opens an event id and the number of a group from any page", async () => {
    await site.project("before", [event("Other", 1)])
    const project = await site.project("found", [event("Found", 1)])
    const group = await groupIn(project)
    const { event_id } = await site.api<{ readonly event_id: string }>(
      `/projects/${project.id}/groups/${group.id}/reports/latest`,
    )
    await at("/groups", async (reader) => {
      const { page } = reader
      const jump = async (text: string) => {
        await reader.press("ControlOrMeta+k")
        await page.getByRole("combobox", { name: /^Search pages/ }).fill(text)
        await reader.press("Enter")
      }
      await jump(String(group.id))
      await page.waitForURL(`**/projects/${project.id}/groups/${group.id}`)
      await heading(page, "Found")
      await reader.open(`${site.url}/groups`)
      await jump(event_id)
      await page.waitForURL(new RegExp(`/projects/${project.id}/groups/${group.id}/reports/\\d+$`))
      await heading(page, "Found")
      await reader.open(`${site.url}/groups/4000`)
      await page.getByText("None of your projects has a group of this number.").waitFor()
      reader.forgive(/404/)
    })
  })

  it("can assign groups of several projects only to themselves", async () => {
    const [one, other] = [
      await site.project("one", [event("One", 1)]),
      await site.project("other", [event("Two", 1)]),
    ]
    await site.api("/users", "POST", { name: "Ada", email_address: "ada@example.com", role: "admin" })
    await at("/groups?query=is:unresolved", async ({ page }) => {
      const select = (project: Project) =>
        page.locator(`li:has([id^="row-${project.id}/"]) input[type=checkbox]`).first().click()
      const assign = page.getByRole("button", { name: /^Assign/ })
      const ada = page.getByRole("button", { name: "Ada", exact: true })
      const reason = page.getByText("To assign to others, select groups of one project.")
      await select(one)
      await assign.click()
      await ada.waitFor()
      expect(await reason.count()).toBe(0)
      await page.keyboard.press("Escape")
      await select(other)
      await assign.click()
      await reason.waitFor()
      await page.getByRole("button", { name: "Me a", exact: true }).waitFor()
      expect(await ada.count()).toBe(0)
    })
  })

  it("opens the group of the first report after setup, or the list if there are many groups", async () => {
    const groups = (count: number) =>
      Array.from({ length: count }, (_, index) => event(`Error${index + 1}`, 1))
    const few = await site.project("few", groups(3))
    await at(`/projects/${few.id}/setup`, async ({ page }) => {
      await page.getByRole("link", { name: "Open it" }).click()
      await heading(page, "Error1")
    })
    const many = await site.project("many", groups(51))
    await at(`/projects/${many.id}/setup`, async ({ page }) => {
      await page.getByRole("link", { name: "Open the groups" }).click()
      await page.waitForURL(/\/groups\?query=$/)
    })
  })

  it("does not say that groups are resolved before the projects are known", async () => {
    const project = await site.project("silent")
    await Reader.visit(browser, session, async ({ page }) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      await page.route(/\/v1\/projects\?/, async (route) => {
        await held
        await route.continue()
      })
      const counted = page.waitForResponse(/\/count\?/)
      await page.goto(`${site.url}/projects/${project.id}/groups`)
      await (await counted).finished()
      expect(await page.locator(".empty").count()).toBe(0)
      release()
      await page.getByRole("heading", { name: "No report yet" }).waitFor()
    })
  })

  it("sees notices at the edge of a group's page while its hidden list has a selection", async () => {
    const project = await site.project("notices", [event("One", 1)])
    await at(`/projects/${project.id}/groups`, async (reader) => {
      const { page } = reader
      const bottom = () => page.locator(".notices").evaluate((element) => getComputedStyle(element).bottom)
      await reader.press("j", "x")
      await page.getByRole("toolbar", { name: "Selected groups" }).waitFor()
      expect(await bottom()).toBe("80px")
      await reader.press("Enter")
      await heading(page, "One")
      expect(await bottom()).toBe("16px")
    })
  })

  it("keeps a note that is being written if the code that colors source is gone", async () => {
    const frame = (in_app: boolean) => ({
      ...{ filename: "a.js", abs_path: "/a.js", function: in_app ? "own" : "library", lineno: 2, in_app },
      ...{ pre_context: ["let a"], context_line: "a.b()", post_context: ["let c"] },
    })
    const stacktrace = { frames: [frame(false), { ...frame(true), context_line: undefined }] }
    const project = await site.project("colors", [
      { platform: "javascript", exception: { values: [{ type: "Colored", value: "x", stacktrace }] } },
    ])
    const path = `/projects/${project.id}/groups/${(await groupIn(project)).id}`
    await Reader.visit(browser, session, async (reader) => {
      const { page } = reader
      await page.addInitScript(() => {
        const { now } = performance
        performance.now = () => now.call(performance) + 60_000
      })
      let failures = 0
      await page.route(/\/assets\/(?:Highlighter|typescript)-/, (route) => {
        failures++
        return route.fulfill({ status: 404 })
      })
      await reader.open(site.url + path)
      await page.getByRole("button", { name: "Write a note" }).click()
      await page.getByLabel("Note", { exact: true }).fill("Half a note")
      await page.getByRole("button", { name: "all frames" }).click()
      await page
        .getByRole("button", { name: /library/ })
        .first()
        .click()
      await expect.poll(() => failures).toBeGreaterThan(0)
      await page.getByText("a.b()").waitFor()
      await reader.settled()
      expect(await page.getByLabel("Note", { exact: true }).inputValue()).toBe("Half a note")
      reader.forgive(/Failed to (?:load resource|fetch dynamically)/)
    })
  })

  it("sees the counts of a group on a phone", async () => {
    const project = await site.project("phone", [event("One", 1), { ...event("One", 2), user: { id: "7" } }])
    await Reader.visit(browser, { ...session, viewport: { width: 390, height: 844 } }, async (reader) => {
      await reader.open(`${site.url}/projects/${project.id}/groups`)
      const row = reader.page.locator("li.row")
      for (const [name, text] of [
        [".reports", "2 reports"],
        [".users", "1 user"],
      ] as const) {
        const count = row.locator(name)
        await count.waitFor()
        expect(await count.textContent()).toBe(text)
        // Wide enough for the word.
        expect((await count.locator("span").boundingBox())!.width).toBeGreaterThan(10)
      }
    })
  })

  it("sees the releases of a project in the chart of its list", async () => {
    const released = (release: string, hoursAgo: number) => ({ ...event("One", hoursAgo), release })
    const project = await site.project("released", [released("shop@1.0.0", 5), released("shop@1.1.0", 2)])
    await at(`/projects/${project.id}/groups`, async ({ page }) => {
      const chart = page.getByRole("region", { name: "Activity" })
      await chart.getByText("1: shop@1.1.0 · 2: shop@1.0.0").waitFor()
      // Both are in one bar, unless an hour began between them.
      const marks = await chart.locator(".marks span").allTextContents()
      expect(marks.flatMap((text) => text.split(" ")).sort()).toEqual(["1", "2"])
    })
  })

  it("sees releases in the chart of a group, without a layout shift", async () => {
    const released = (release: number, hoursAgo: number) => ({
      ...event("One", hoursAgo),
      release: `shop-frontend@2026.11.${release}-candidate`,
    })
    const project = await site.project(
      "marked",
      [1, 2, 3, 4, 5, 6].map((n) => released(n, 7 - n)),
    )
    const [group] = await site.groups(project)
    await at(`/projects/${project.id}/groups`, async (reader) => {
      const { page } = reader
      let answer = () => {}
      const isAllowed = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route(/\/releases\/newest$/, async (route) => {
        await isAllowed
        await route.continue()
      })
      await page.goto(`${site.url}/projects/${project.id}/groups/${group!.id}`)
      const places = () =>
        Promise.all([".tabs", ".facts-chart svg"].map((part) => page.locator(part).first().boundingBox()))
      await page.getByText("Line: the day before", { exact: true }).waitFor()
      await page.locator("#stack-title").waitFor()
      const before = await places()
      answer()
      const caption = page.getByText(/^Line: .* · 5: \S+ · 1 earlier release not marked$/)
      await caption.waitFor()
      expect(await places()).toEqual(before)
      const rightOf = (part: string) =>
        page
          .locator(part)
          .last()
          .evaluate((element) => element.getBoundingClientRect().right)
      expect(await rightOf(".facts-chart .marks span")).toBeLessThanOrEqual(await rightOf(".facts-chart svg"))
      await reader.settled()
      // Long names of releases are cut off, because a second row would move the page.
      const tops = page
        .locator(".facts dl > div")
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
      expect(new Set(await tops).size).toBe(1)
    })
  })

  it.each([390, 800, 1000])("sees a report without a layout shift in a window of %i px", async (width) => {
    const frame = { filename: "cart.js", function: "price", in_app: true, context_line: "return item.price" }
    const value = "Cannot read properties of undefined (reading 'price')"
    const exception = { type: "TypeError", value, stacktrace: { frames: Array(9).fill(frame) } }
    const path = await groupOf(`shift ${width}`, [
      { ...event("One", 2), exception: { values: [exception] }, release: "shop@1.0.0", user: { id: "1" } },
      { ...event("One", 1), exception: { values: [exception] }, release: "shop@1.1.0", user: { id: "2" } },
    ])
    await Reader.visit(browser, { ...session, viewport: { width, height: 800 } }, async (reader) => {
      const { page } = reader
      await page.addInitScript(() => {
        const seen = Object.assign(globalThis, { shift: 0 })
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value
        }).observe({ type: "layout-shift", buffered: true })
        // The page hides its parts for two seconds. They may pass on a busy machine.
        addEventListener("DOMContentLoaded", () => {
          const style = new CSSStyleSheet()
          style.replaceSync(":root:root:root:root * { animation-duration: 1h !important; }")
          document.adoptedStyleSheets = [style]
        })
      })
      // Responses come one by one, so that each has frames of its own.
      let last: Promise<unknown> = Promise.resolve()
      await page.route(/\/api\/service\//, (route) => {
        last = last.then(async () => {
          await route.fulfill({ response: await route.fetch() })
          await page.waitForTimeout(50)
        })
        return last
      })
      await reader.open(site.url + path)
      expect(await page.evaluate(() => (globalThis as unknown as { shift: number }).shift)).toBeLessThan(0.02)
    })
  })

  it("sees on a phone that a group is loading", async () => {
    const path = await groupOf("stalled", [event("One", 1)])
    await Reader.visit(browser, { ...session, viewport: { width: 390, height: 800 } }, async ({ page }) => {
      await page.route(new RegExp(`/v1${path}$`), () => {})
      await page.goto(site.url + path)
      await page.locator(".columns .skeleton").first().waitFor()
    })
  })

  it("sees which groups came back after they were resolved", async () => {
    const project = await site.project("back", [event("Fixed", 2), event("Other", 1)])
    const fixed = (await site.groups(project)).find(({ error_type }) => error_type === "Fixed")!
    await site.api(`/projects/${project.id}/groups/${fixed.id}/resolve`, "POST", {})
    await site.send(project, event("Fixed", 0))
    await at(`/projects/${project.id}/groups?query=is:unresolved`, async ({ page }) => {
      await page.locator(".row", { hasText: "Fixed" }).getByText("reopened", { exact: true }).waitFor()
      const other = page.locator(".row", { hasText: "Other" })
      await other.waitFor()
      expect(await other.getByText("reopened").count()).toBe(0)
      await page.getByRole("link", { name: "Fixed" }).click()
      await page.getByText("reopened", { exact: true }).first().waitFor()
    })
  })

  it("sees unresolved groups of the same type beside the merges, and merges one", async () => {
    const project = await site.project("similar", [
      event("Same", 3),
      { ...event("Same", 2), fingerprint: ["second"] },
      event("Unlike", 1),
    ])
    const groups = await site.groups(project)
    const [second, first] = groups.filter(({ error_type }) => error_type === "Same")
    await at(`/projects/${project.id}/groups/${first!.id}/merges`, async (reader) => {
      const similar = reader.page.getByRole("region", { name: "Unresolved groups of the same type" })
      await similar.getByRole("link", { name: /^Same/ }).waitFor()
      expect(await similar.getByRole("link").count()).toBe(1)
      await reader.page.setViewportSize({ width: 390, height: 844 })
      for (const part of ["a", "time"])
        expect((await similar.locator(part).boundingBox())!.height).toBeLessThan(24)
      await similar.getByRole("button", { name: "Merge into this group" }).click()
      await reader.expectNotice(`Merged 1 group into group ${first!.id}.`)
      await reader.page.getByText(`Group ${second!.id}`, { exact: true }).waitFor()
      await similar.waitFor({ state: "detached" })
    })
  })

  it("sees projects by app, and those of one app", async () => {
    const [web, worker] = [await site.project("web"), await site.project("worker")]
    await site.api("/apps", "POST", { name: "Shop", project_ids: [web.id, worker.id] })
    await at("/projects", async ({ page }) => {
      const names = (section: string) =>
        page
          .locator("section", { has: page.getByRole("heading", { name: section, exact: true }) })
          .locator(".project .name")
          .allTextContents()
      await page.getByRole("heading", { name: "Shop", exact: true }).waitFor()
      expect(await names("Shop")).toEqual(["web", "worker"])
      expect(await names("Other projects")).toContain("similar")
      await page.getByLabel(/^Filter projects/).fill("shop")
      await expect.poll(() => page.locator(".project .name").allTextContents()).toEqual(["web", "worker"])
    })
  })

  it("requests activity only for projects on the screen", async () => {
    await site.project("aaa first", [event("First", 1)])
    for (let i = 0; i < 40; i++) await site.project(`many ${i}`)
    const project = (await site.project("zzz last", [event("Last", 1)])).id
    await Reader.visit(browser, session, async ({ page }) => {
      const asked: Array<string> = []
      page.on("request", (request) => asked.push(new URL(request.url()).pathname))
      const askedForLast = () => asked.some((path) => path.endsWith(`/projects/${project}/activity`))
      await page.goto(`${site.url}/projects`)
      const last = page.locator(".project", { hasText: "zzz last" })
      await last.waitFor()
      await expect.poll(() => asked.some((path) => path.endsWith("/activity"))).toBe(true)
      await page.waitForLoadState("networkidle")
      expect(askedForLast()).toBe(false)
      await last.scrollIntoViewIfNeeded()
      await expect.poll(askedForLast).toBe(true)
    })
  })

  it("merges a group from its page, and continues on the target's page", async () => {
    const project = await site.project("merged", [event("Source", 1), event("Target", 2)])
    const groups = await site.groups(project)
    const idOf = (name: string) => groups.find(({ error_type }) => error_type === name)!.id
    await at(`/projects/${project.id}/groups/${idOf("Source")}`, async (reader) => {
      const { page } = reader
      await page.getByRole("button", { name: "More actions" }).click()
      await page.getByRole("button", { name: /^Merge into another group/ }).click()
      const dialog = page.getByRole("dialog", { name: "Merge groups" })
      await dialog.getByLabel("Another group").fill(String(idOf("Target")))
      await reader.press("Enter")
      await dialog.getByRole("button", { name: /^Merge 1 group into/ }).click()
      await page.waitForURL(`**/groups/${idOf("Target")}`)
      await heading(page, "Target")
      await reader.expectNotice(/^Merged 1 group into group/)
      await reader.open(`${site.url}/groups/${idOf("Source")}`)
      await page.waitForURL(`**/projects/${project.id}/groups/${idOf("Target")}`)
      reader.forgive(/404/)
    })
    expect((await site.groups(project)).map(({ error_type }) => error_type)).toEqual(["Target"])
  })

  it("copies the request, the user, the tags and the contexts of a report", async () => {
    const sent = {
      ...event("Copied", 1),
      request: { url: "https://shop.example/", headers: { accept: "text/html" }, data: { total: 3 } },
      user: { username: "ada" },
      tags: { color: "red" },
      contexts: { cart: { items: 3, coupon: "none" } },
    }
    const project = await site.project("copied", [sent])
    const path = `/projects/${project.id}/groups/${(await groupIn(project)).id}`
    const permissions = ["clipboard-read", "clipboard-write"]
    await Reader.visit(browser, { ...session, permissions }, async (reader) => {
      const { page } = reader
      await reader.open(site.url + path)
      for (const title of ["Request", "User", "Tags", "Contexts"])
        await page.locator("summary", { hasText: title }).click()
      for (const [name, text] of [
        ["Copy Headers", /^accept: text\/html$/i],
        ["Copy Body", /^total: 3$/],
        ["Copy the user", /^Name: ada$/],
        ["Copy the tags", /^color: red$/m],
        ["Copy cart", /^items: 3\ncoupon: none$/],
      ] as const) {
        await page.getByRole("button", { name }).click()
        await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(text)
      }
    })
  })

  it("sees the end of a muted project in the zone of the switch", async () => {
    const project = await site.project("zoned", [event("One", 1)])
    await site.api(`/projects/${project.id}/mute`, "POST", { snooze_until: "2100-01-01T12:00:00Z" })
    await Reader.visit(browser, { ...session, timezoneId: "Asia/Tokyo" }, async (reader) => {
      const { page } = reader
      const until = page.locator("li.project", { hasText: "zoned" }).getByText(/^until/)
      await reader.open(`${site.url}/projects`)
      expect(await until.textContent()).toContain("21:00:00")
      await page.evaluate(() => localStorage.setItem("errata.zone", "UTC"))
      await reader.open(`${site.url}/projects`)
      expect(await until.textContent()).toContain("12:00:00")
    })
  })
})
