import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { redirectWarning } from "../src/NextRedirects.js"

const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const application = (redirects: ReadonlyArray<unknown>): string => {
  const folder = mkdtempSync(join(tmpdir(), "errata-next-"))
  folders.push(folder)
  const path = join(folder, ".next/routes-manifest.json")
  mkdirSync(dirname(path))
  writeFileSync(path, JSON.stringify({ version: 3, redirects }, null, 2))
  return folder
}

/** The redirect of Next.js 16 unless `skipTrailingSlashRedirect` is set. */
const slashRedirect = {
  source: "/:path+/",
  destination: "/:path+",
  internal: true,
  priority: true,
  statusCode: 308,
  regex: "^(?:/((?:[^/]+?)(?:/(?:[^/]+?))*))/$",
}

it("warns if Next.js redirects the requests of SDKs", () => {
  expect(redirectWarning(application([slashRedirect]), "nodejs")).toContain("skipTrailingSlashRedirect: true")
})

it("does not warn without redirects, or without Next.js", () => {
  expect(redirectWarning(application([]), "nodejs")).toBeNull()
  expect(redirectWarning(join(tmpdir(), "no such folder"), "nodejs")).toBeNull()
  expect(redirectWarning(application([slashRedirect]), undefined)).toBeNull()
})
