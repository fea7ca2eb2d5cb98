import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { storedOnlyNotes } from "../src/index.js"

const docs = readFileSync(new URL("../../../docs/rest-api.md", import.meta.url), "utf8")

describe("what is only stored", () => {
  it("is told in a sentence each", () => {
    for (const note of storedOnlyNotes) expect(note).toMatch(/^[A-Z].* yet\.$/)
    expect(new Set(storedOnlyNotes).size).toBe(storedOnlyNotes.length)
  })

  it("is what the documentation lists", () => {
    const [, section = ""] = /^## Stored and not yet acted upon\n([\s\S]*?)^## /m.exec(docs) ?? []
    expect(Array.from(section.matchAll(/^- (.*)$/gm), ([, note]) => note)).toEqual(storedOnlyNotes)
  })
})
