/** Checks docs/architecture.md against the import rules. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { rooms, rules } from "./Rooms.js"

const root = new URL("../", import.meta.url).pathname
const page = readFileSync(join(root, "docs/architecture.md"), "utf8")

/** The text below a heading. */
const section = (heading: string): string => {
  const [, text = ""] = page.split(`\n## ${heading}\n`)
  return text.split("\n## ")[0]!
}

const drawing = (heading: string): string => /```mermaid\n([\s\S]*?)```/.exec(section(heading))?.[1] ?? ""

const all = (pattern: RegExp, text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), ([, found = ""]) => found)

describe("docs/architecture.md", () => {
  it("draws the packages with their imports", () => {
    const arrows = Array.from(
      drawing("Packages").matchAll(/^ {2}([\w-]+)(?:\[".*"\])? --> ([\w-]+)$/gm),
      ([, from, to]) => `${from} -> ${to}`,
    )
    const allowed = Object.entries(rules).flatMap(([name, { errata }]) =>
      errata.filter((imported) => imported !== name).map((imported) => `${name} -> ${imported}`),
    )
    expect([...arrows].sort()).toEqual([...allowed].sort())
  })

  it("draws and lists the folders of the core in their order", () => {
    expect(all(/\["([^"]+)"\]/g, drawing("Folders of the core"))).toEqual(rooms.core)
    expect(all(/^\| `([^`]+)` \|/gm, section("Folders of the core"))).toEqual(rooms.core)
  })

  it("draws arrows between bands from later to earlier folders", () => {
    const text = drawing("Folders of the core")
    const bands = all(/^ {2}subgraph (\w+)/gm, text)
    const arrows = Array.from(text.matchAll(/^ {2}(\w+) --> (\w+)$/gm), ([, from = "", to = ""]) => [
      from,
      to,
    ])
    expect(bands.length).toBeGreaterThan(1)
    expect(arrows.length).toBeGreaterThan(1)
    for (const [from, to] of arrows) {
      expect([from, to, bands.indexOf(to!) < bands.indexOf(from!)]).toEqual([from, to, true])
      expect(bands).toContain(to)
    }
  })

  it("names files that exist", () => {
    const files = [...all(/`(packages\/[^`]+\.ts)`/g, page), ...all(/\]\(\.\.\/([^)]+)\)/g, page)]
    expect(files.length).toBeGreaterThan(10)
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})
