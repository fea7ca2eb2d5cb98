/** The bytes that a browser loads. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import { eventually, Reader } from "./support/Reader.js"
import { Site } from "./support/Site.js"

const folder = new URL("../dist/assets/", import.meta.url)
const kilobyte = 1_000

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

const sizeOf = (name: string, ending: string): number => statSync(new URL(name + ending, folder)).size

describe("the first requests of a page", () => {
  it.each([
    [
      "groups?query=is%3Amuted&sort=newest",
      ["groups?query=is%3Amuted&sort=newest&include=last_report&limit=50"],
    ],
    ["P/groups", ["P/groups?query=is%3Aunresolved&sort=last_seen&include=last_report&limit=50"]],
    ["P/groups?query=", ["P/groups?sort=last_seen&include=last_report&limit=50"]],
    ["P/groups/G", ["P/groups/G", "P/groups/G/reports/latest?include=navigation"]],
    ["P/groups/G/notes", []],
  ])("of %s are sent once, before its code has loaded", async (template, paths) => {
    const { link } = await site.invite("admin")
    const project = await site.project(template, [{ message: "An error" }])
    const [group] = await site.groups(project)
    const pathOf = (text: string) =>
      text.replace("P/", `projects/${project.id}/`).replace("/G", `/${group!.id}`)
    const wanted = paths.map(pathOf)
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      const api = `${site.url}/api/service/v1/`
      const sent: Array<string> = []
      let beforeCode: ReadonlyArray<string> = []
      const header = reader.page.locator("header.top")
      reader.page.on("request", (request) => {
        if (request.url().startsWith(api)) sent.push(request.url().slice(api.length))
      })
      const token = reader.page.waitForResponse(/\/session\/token$/)
      // The code is held back until the requests have left, or will not.
      await reader.page.route(/\/assets\/app-.*\.js$/, async (route) => {
        await token
        await eventually(() => expect(sent).toHaveLength(wanted.length))
        await reader.page.waitForTimeout(300)
        beforeCode = [...sent]
        await header.getByRole("link", { name: "Groups", exact: true }).waitFor()
        await route.continue()
      })
      await reader.open(`${site.url}/${pathOf(template)}`)
      expect(beforeCode).toEqual(wanted)
      // The app takes the header over.
      expect(await header.count()).toBe(1)
      expect(wanted.map((path) => sent.filter((each) => each === path))).toEqual(wanted.map((path) => [path]))
    })
  })
})

describe("a list", () => {
  it("shows its groups after three responses of the API, and all requests are to its own origin", async () => {
    const { link } = await site.invite("admin")
    const project = await site.project("pets", [{ message: "An error" }])
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      const { page } = reader
      const requested: Array<string> = []
      page.on("request", (request) => requested.push(request.url()))
      // The others get no response, however early they are sent.
      const needed = [/\/me$/, /\/projects$/, /\/projects\/\d+\/groups$/]
      await page.route(
        ({ pathname }) => pathname.includes("/api/") && !needed.some((path) => path.test(pathname)),
        () => {},
      )
      await page.goto(`${site.url}/projects/${project.id}/groups`)
      await page.locator("li.row .name").first().waitFor()
      await page.unrouteAll({ behavior: "ignoreErrors" })
      const answered = requested.map((url) => new URL(url).pathname).filter((path) => path.includes("/api/"))
      expect(needed.map((path) => answered.filter((each) => path.test(each)).length)).toEqual([1, 1, 1])
      expect(requested.filter((url) => !url.startsWith(site.url))).toEqual([])
    })
  })
})

describe("the code of a group's page", () => {
  const isCode = (path: string) => /\/assets\/GroupPage-.*\.js$/.test(path)

  it("is loaded after the list, before a group is opened", async () => {
    const { link } = await site.invite("admin")
    const project = await site.project("ahead", [{ message: "An error" }])
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      await reader.open(`${site.url}/projects/${project.id}/groups`)
      await eventually(() => expect(reader.requests.filter(isCode)).toHaveLength(1))
    })
  })

  it("is loaded again, with the page, if that failed long after the page was opened", async () => {
    const { link } = await site.invite("admin")
    const project = await site.project("later", [{ message: "An error" }])
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      const { page } = reader
      let failures = 0
      await page.route(
        ({ pathname }) => isCode(pathname),
        (route) => {
          failures++
          return route.abort("connectionrefused")
        },
      )
      await page.addInitScript(() => {
        const { now } = performance
        performance.now = () => now.call(performance) + 60_000
      })
      await reader.open(`${site.url}/projects/${project.id}/groups`)
      // Browsers request it once or twice: to preload it, and to run it.
      await eventually(() => expect(failures).toBeGreaterThan(0))
      await page.evaluate(() => Object.assign(window, { isSamePage: true }))
      await reader.settled()
      expect(await page.evaluate(() => "isSamePage" in window)).toBe(true)
      await page.unrouteAll()
      await page.locator("li.row .name").first().click()
      await page.getByRole("heading", { level: 1, name: "Message" }).waitFor()
      reader.forgive(/Failed to (?:load resource|fetch dynamically)/)
    })
  })
})

describe("the files of the dashboard", () => {
  it.each([".br", ".gz"])("have at most 150 KB in total as %s", (ending) => {
    const names = readdirSync(folder).filter((name) => /\.(?:js|css|svg)$/.test(name))
    const bytes = names.reduce((sum, name) => sum + sizeOf(name, ending), 0)
    expect(bytes).toBeLessThanOrEqual(150 * kilobyte)
  })

  it("have at most 80 KB on the first load of a list, in both compressions", async () => {
    const { link } = await site.invite("admin")
    const project = await site.project("shop", [{ message: "An error" }])
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      const { page } = reader
      const loaded: Array<string> = []
      let shell = 0
      page.on("response", (response) => {
        const { pathname } = new URL(response.url())
        if (pathname.includes("/assets/")) loaded.push(pathname.slice(pathname.lastIndexOf("/") + 1))
        if (response.request().isNavigationRequest()) shell = Number(response.headers()["content-length"])
      })
      await reader.open(`${site.url}/projects/${project.id}/groups`)
      // Code that is loaded ahead comes after the list.
      const needed = loaded.filter((name) => !name.startsWith("GroupPage-"))
      for (const file of [/^start-.*\.js$/, /^app-.*\.js$/, /^app-.*\.css$/]) {
        expect(needed).toContainEqual(expect.stringMatching(file))
      }
      expect(shell).toBeGreaterThan(0)
      for (const ending of [".br", ".gz"]) {
        const bytes = needed.reduce((sum, name) => sum + sizeOf(name, ending), shell)
        expect([ending, bytes <= 80 * kilobyte, bytes]).toEqual([ending, true, bytes])
      }
    })
  })

  it("are sent as compressed by the build", async () => {
    const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".js"))
    for (const [encoding, ending] of [
      ["br", ".br"],
      ["gzip", ".gz"],
    ] as const) {
      const { headers } = await fetch(`${site.url}/assets/${name}`, {
        headers: { "accept-encoding": encoding },
      })
      expect([headers.get("content-encoding"), Number(headers.get("content-length"))]).toEqual([
        encoding,
        readFileSync(new URL(name + ending, folder)).byteLength,
      ])
    }
  })
})
