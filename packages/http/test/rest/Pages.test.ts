import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { Problem } from "@errata/api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { version } from "../../src/Version.js"
import { start, type TestInstance } from "../support/TestInstance.js"

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

describe.each(["node", "web"] as const)("Pages (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const types = [Problem.unauthorized(""), Problem.forbidden(""), Problem.validationFailed({})].map(
    ({ type }) => type,
  )

  it("show version, account, documentation and health at the root", async () => {
    const { headers, status, text } = await errata.fetch("/", { headers: browser })
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(text).toContain(`Errata ${version}`)
    const links = Array.from(text.matchAll(/href="(\/[^"]*)"/g), ([, href]) => href!)
    expect(links).toEqual(["/account", "/api/service/v1/docs", "/api/service/v1/openapi.json", "/up"])
    for (const link of links) {
      const answer = await errata.fetch(link, { redirect: "manual" })
      // Visitors who are not signed in are redirected.
      expect([link, answer.status]).toEqual([link, link === "/account" ? 303 : 200])
    }
  })

  it("exist for the type of every problem that has one", async () => {
    expect(types).toEqual(["/problems/unauthorized", "/problems/forbidden", "/problems/validation-error"])
    for (const type of types) {
      const { status, text } = await errata.fetch(type, { headers: browser })
      expect([type, status]).toEqual([type, 200])
      expect(text).toMatch(/<h1>\w+/)
    }
    const refused = await errata.api("/projects", { key: null })
    expect((await errata.fetch(new URL(refused.json.type, errata.url).pathname)).status).toBe(200)
    expect((await errata.fetch("/problems/other")).status).toBe(404)
  })

  it("run no scripts, load nothing, and have only their own style", async () => {
    for (const path of ["/", ...types]) {
      const { headers, text } = await errata.fetch(path, { headers: browser })
      expect(text).not.toMatch(/<script|<img|<iframe|\son\w+=|(?:src|href)="(?:https?:)?\/\//i)
      const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? []
      const hash = createHash("sha256").update(style).digest("base64")
      const policy = headers.get("content-security-policy")
      expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}';`)
      expect(policy).not.toContain("unsafe")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("x-frame-options")).toBe("DENY")
    }
  })

  it("are plain text for programs", async () => {
    for (const accept of ["*/*", "application/json", "text/html;q=0, text/plain"]) {
      for (const path of ["/", ...types]) {
        const { headers, text } = await errata.fetch(path, { headers: { accept } })
        expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
        expect(headers.get("vary")).toBe("accept")
        expect(text).not.toContain("<")
        expect(text).toContain("Documentation: /api/service/v1/docs")
      }
    }
  })
})

describe("Pages below a base path", () => {
  it("link to paths below it", async () => {
    const errata = await start({ baseUrl: "https://errors.example.com/errata" })
    for (const path of ["/errata", "/errata/", "/"]) {
      const { status, text } = await errata.fetch(path, { headers: browser })
      expect([path, status]).toEqual([path, 200])
      expect(text).toContain('href="/errata/api/service/v1/docs"')
      expect(text).toContain('href="/errata/up"')
    }
    const { json } = await errata.api("/projects", { key: null })
    expect(json.type).toBe("https://errors.example.com/errata/problems/unauthorized")
    expect((await errata.fetch("/errata/problems/unauthorized")).status).toBe(200)
    await errata.stop()
  })
})

describe("the version", () => {
  it("is that of the package", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    expect(version).toBe(manifest.version)
  })
})
