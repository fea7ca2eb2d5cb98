import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { settingsOf } from "../../src/HttpOptions.js"
import { Browser, formOf } from "../support/Browser.js"
import { standIn } from "../support/StandInDashboard.js"
import { start, type TestInstance } from "../support/TestInstance.js"

const html = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

const pages: ReadonlyArray<readonly [string, number]> = [
  ["/projects", 0],
  ["/projects?query=is%3Aunresolved", 0],
  ["/projects/new", 1],
  ["/groups?query=x&project_ids=1,2", 0],
  ["/projects/1", 1],
  ["/projects/1/groups", 2],
  ["/projects/1/groups/42", 3],
  ["/projects/1/groups/42/", 4],
  ["/projects/1/groups/42/reports", 4],
  ["/projects/1/groups/42/reports/7", 5],
  ["/projects/1/groups/42/tags", 4],
  ["/projects/1/groups/42/tags/browser.version", 5],
  ["/projects/1/groups/42/notes", 4],
  ["/projects/1/groups/42/merges", 4],
  ["/projects/1/reports/9f86d081884c7d659a2feaa0c55ad015", 3],
  ["/reports/9f86d081884c7d659a2feaa0c55ad015", 1],
  ["/groups/42", 1],
  ["/projects/1/setup", 2],
  ["/projects/1/settings", 2],
  ["/projects/1/settings/members", 3],
  ["/projects/1/settings/alerts", 3],
  ["/projects/1/settings/alerts/history", 4],
  ["/projects/1/settings/alerts/rules/new", 5],
  ["/projects/1/settings/alerts/targets/7", 5],
  ["/projects/1/webhooks/3/deliveries", 4],
  ["/projects/1/webhooks/3/deliveries/12", 5],
  ["/settings/health", 1],
  ["/settings/alerts/rules/7", 3],
]

describe.each(["node", "web"] as const)("The dashboard (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport, dashboard: standIn })
  })
  afterAll(() => errata.stop())

  it.each(pages)("serves %s, with the relative path to the mount", async (path, depth) => {
    const { headers, status, text } = await errata.fetch(path, { headers: html })
    expect(status).toBe(200)
    expect(text).toBe(standIn.shell(depth, "service"))
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("cache-control")).toBe("no-cache")
  })

  it.each([
    "/projects/abc",
    "/projects/1/groups/0",
    "/projects/1/groups/42/other",
    "/projects/1/settings/other",
    "/projects/1/settings/alerts/rules",
    "/settings/alerts/targets/new",
    "/projects/1/reports/7",
    "/Projects",
    "//projects",
    "/projects//1",
    "/assets",
    "/assets/",
    "/assets/app-0000.js",
    "/assets/../package.json",
    "/assets/%2e%2e/package.json",
    "/nowhere",
  ])("answers 404 to %s: a page for browsers, a problem document for programs", async (path) => {
    const page = await errata.fetch(path, { headers: html })
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    expect(page.text).toContain("Page not found")
    const program = await errata.fetch(path, { headers: { accept: "*/*" } })
    expect([program.status, program.json]).toEqual([404, expect.objectContaining({ title: "Not Found" })])
    expect(program.headers.get("content-type")).toBe("application/problem+json")
    expect([page.headers.get("vary"), program.headers.get("vary")]).toEqual(["accept", "accept"])
  })

  it("leaves other methods and the API as they are", async () => {
    expect((await errata.fetch("/projects", { method: "POST", headers: html })).status).toBe(404)
    expect((await errata.api("/projects")).json.projects).toHaveLength(2)
    expect((await errata.fetch("/up")).status).toBe(200)
  })

  it("allows only its own scripts, and no frames", async () => {
    const { headers } = await errata.fetch("/projects")
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    )
    expect(headers.get("x-frame-options")).toBe("DENY")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("same-origin")
  })

  it("does not send an unchanged shell again", async () => {
    const first = await errata.fetch("/projects/1/groups")
    const etag = first.headers.get("etag")!
    const other = await errata.fetch("/projects")
    expect(other.headers.get("etag")).not.toBe(etag)
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await errata.fetch("/projects/2/groups", { headers: { "if-none-match": known } })
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag])
      expect(again.headers.get("content-security-policy")).toContain("trusted-types")
    }
    const changed = await errata.fetch("/projects", { headers: { "if-none-match": etag } })
    expect(changed.status).toBe(200)
    const head = await errata.fetch("/projects", { method: "HEAD" })
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", other.headers.get("etag")])
  })

  it("marks assets as immutable, with their type", async () => {
    const { body, type } = standIn.assets.get("icon-3c4d.svg")!
    const { headers, status, text } = await errata.fetch("/assets/icon-3c4d.svg")
    expect([status, text, headers.get("content-type")]).toEqual([200, body.toString(), type])
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    const head = await errata.fetch("/assets/icon-3c4d.svg", { method: "HEAD" })
    expect([head.status, head.text]).toEqual([200, ""])
  })

  const enter = async (browser: Browser, id: number) => {
    const made = await errata.api(`/users/${id}/sign_in_link`, { method: "POST" })
    const { pathname, search } = new URL(made.json.sign_in_link)
    return browser.send(formOf(await browser.visit(pathname + search), "/sign_in/link"))
  }

  it("redirects from the root to signing in, and then to the only project", async () => {
    const browser = new Browser(errata)
    expect(await browser.visit("/")).toMatchObject({ status: 303, location: "/sign_in?next=%2Fprojects" })
    const entered = await enter(browser, errata.memberId)
    expect([entered.status, entered.location]).toEqual([303, `/projects/${errata.mine.id}/groups`])
    // Only signing in does: the list stays within reach.
    expect(await browser.visit("/")).toMatchObject({ status: 303, location: "/projects" })
    expect(await browser.visit("/sign_in")).toMatchObject({ status: 303, location: "/projects" })
    const wanted = "/sign_in?next=/projects/1/groups%3Fquery%3Dx"
    expect((await browser.visit(wanted)).location).toBe("/projects/1/groups?query=x")
    const account = await browser.visit("/account")
    expect(account.text).toContain('href="./projects"')
  })

  it("redirects to the projects after signing in if there are several, or none", async () => {
    const { users } = (await errata.api("/users")).json
    const admin = users.find((user: { readonly role: string }) => user.role === "admin")
    expect((await enter(new Browser(errata), admin.id)).location).toBe("/projects")
    const body = { email_address: "new@example.com" }
    const { id } = (await errata.api("/users", { method: "POST", body })).json
    expect((await enter(new Browser(errata), id)).location).toBe("/projects")
  })
})

describe("Assets of the dashboard", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport: "web", dashboard: standIn })
  })
  afterAll(() => errata.stop())

  it.each([
    ["br, gzip", "br"],
    ["gzip, deflate", "gzip"],
    ["gzip;q=1, br;q=0", "gzip"],
    ["identity", null],
    ["", null],
  ])("are sent in an encoding that the browser accepts (%s)", async (accepted, coding) => {
    const asset = standIn.assets.get("app-1a2b.js")!
    const { headers, status } = await errata.fetch("/assets/app-1a2b.js", {
      headers: { "accept-encoding": accepted },
    })
    expect([status, headers.get("content-encoding")]).toEqual([200, coding])
    expect(headers.get("vary")).toBe("accept-encoding")
    const length = { br: asset.br!.length, gzip: asset.gz!.length }
    expect(headers.get("content-length")).toBe(
      String(coding === null ? asset.body.length : length[coding as keyof typeof length]),
    )
    expect(gunzipSync(asset.gz!)).toEqual(brotliDecompressSync(asset.br!))
  })

  it("are sent as they are if they have no smaller form", async () => {
    const { headers, text } = await errata.fetch("/assets/icon-3c4d.svg", {
      headers: { "accept-encoding": "br, gzip" },
    })
    expect([text, headers.get("content-encoding")]).toEqual(["<svg/>", null])
  })
})

describe("The dashboard in a frame", () => {
  it("is allowed only for configured sites", async () => {
    const errata = await start({
      dashboard: standIn,
      frameAncestors: ["'self'", "https://*.example.com:8443"],
    })
    const { headers } = await errata.fetch("/projects")
    expect(headers.get("content-security-policy")).toContain(
      "; frame-ancestors 'self' https://*.example.com:8443; ",
    )
    expect(headers.get("x-frame-options")).toBeNull()
    const signIn = await errata.fetch("/sign_in")
    expect(signIn.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(signIn.headers.get("x-frame-options")).toBe("DENY")
    await errata.stop()
  })

  it("rejects sources that would change the rest of the policy", () => {
    for (const source of [
      "*",
      "'none'",
      "https://a.example; script-src *",
      "https://a.example,",
      "self",
      "",
    ]) {
      expect(() => settingsOf({ frameAncestors: [source] }, () => "")).toThrow(JSON.stringify(source))
    }
  })
})

describe("Without a dashboard", () => {
  it("its pages are missing, and the root page describes the server", async () => {
    const errata = await start()
    expect((await errata.fetch("/", { headers: html })).text).toContain("This server collects the errors")
    for (const path of ["/projects", "/assets/app-1a2b.js"]) {
      const { headers, status } = await errata.fetch(path, { headers: html })
      expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    }
    await errata.stop()
  })
})
