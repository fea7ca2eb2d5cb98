/** The messages of refusals read as a sentence behind the name of their field: "origin can't be added: ...". */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const source = join(import.meta.dirname, "../../src")

const messages = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) =>
    Array.from(
      readFileSync(join(source, path), "utf8").matchAll(
        /ValidationError\.of\(\s*"(\w+)",\s*["`]([^"`]+)["`]/g,
      ),
      ([, field, message]) => `${field} ${message}`,
    ),
  )

describe("the messages of refusals", () => {
  it.each(messages)("have a verb behind the field: %s", (message) => {
    expect(message).toMatch(/^\w+ (is|are|has|have|must|can't|contain|contains) /)
  })

  it("are found", () => {
    expect(messages.length).toBeGreaterThan(10)
  })
})
