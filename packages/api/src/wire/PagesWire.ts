import { expect } from "vitest"
import { type WireFile, wireCase } from "./WireCase.js"

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** Fetches an HTML page and checks its headers. */
const read = async (url: string): Promise<string> => {
  const response = await fetch(url, { headers: browser })
  expect([url, response.status]).toEqual([url, 200])
  expect(response.headers.get("content-type")).toMatch(/^text\/html/)
  expect(response.headers.get("x-content-type-options")).toBe("nosniff")
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
  const text = await response.text()
  expect(text).not.toMatch(/<script/i)
  const head = await fetch(url, { method: "HEAD", headers: browser })
  expect([head.status, await head.text()]).toEqual([200, ""])
  const post = await fetch(url, { method: "POST" })
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  return text
}

export const pagesWire: WireFile = {
  name: "Pages",
  cases: [
    wireCase("name version, documentation and health at the address itself", async ({ target }) => {
      const page = await read(`${target.baseUrl}/`)
      expect(page).toMatch(/Errata \d+\.\d+\.\d+/)
      const links = Array.from(page.matchAll(/<a href="([^"]+)"/g), ([, href]) => href!)
      expect(links.length).toBeGreaterThanOrEqual(3)
      for (const link of links) {
        const { status } = await fetch(new URL(link, target.baseUrl))
        expect([link, status]).toEqual([link, 200])
      }
      const text = await fetch(`${target.baseUrl}/`, { headers: { accept: "*/*" } })
      expect(text.headers.get("content-type")).toMatch(/^text\/plain/)
    }),

    wireCase("explain each type of problem at its URL", async ({ admin, nobody, stranger, target }) => {
      const { id } = await admin.post("/projects", { name: `pages ${crypto.randomUUID()}` }, 201)
      for (const { type } of [
        await nobody.get("/projects", {}, 401),
        await stranger.delete(`/projects/${id}`, undefined, 403),
        await admin.post("/projects", {}, 422),
      ]) {
        // The server may have another base URL than the one it is reached at, so only the path is used.
        const [, path] = /(\/problems\/[a-z-]+)$/.exec(type) ?? []
        expect(await read(target.baseUrl + path)).toContain("<h1>")
      }
      expect((await fetch(`${target.baseUrl}/problems/unheard-of`)).status).toBe(404)
    }),
  ],
}
