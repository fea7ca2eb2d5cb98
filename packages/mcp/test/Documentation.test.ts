/** The documentation page lists all tools with their scopes and arguments. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { prompts } from "../src/server/Prompts.js"
import { resources } from "../src/server/Resources.js"
import { tools } from "../src/Tools.js"

const page = readFileSync(new URL("../../../docs/mcp.md", import.meta.url), "utf8")

describe("docs/mcp.md", () => {
  it("lists the tools with their scopes and arguments", () => {
    const rows = page.split("\n").filter((line) => /^\| `\w+` \| (read|write) \|/.test(line))
    expect(rows).toEqual(
      tools.map(({ inputSchema, name, scope, title }) => {
        const { properties, required = [] } = inputSchema
        const names = Object.keys(properties).map((key) => `\`${key}\`${required.includes(key) ? "" : "?"}`)
        return `| \`${name}\` | ${scope} | ${names.join(", ")} | ${title} |`
      }),
    )
  })

  it("names prompts and resources", () => {
    for (const { name } of prompts) expect(page).toContain(`\`${name}\``)
    for (const { uriTemplate } of resources) expect(page).toContain(`\`${uriTemplate}\``)
  })
})

describe("Schemas of the tools", () => {
  it("are objects without references, with a description of every argument that its name does not explain", () => {
    for (const { description, inputSchema, name, outputSchema } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
      expect(description.length).toBeLessThan(400)
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema.type).toBe("object")
        expect(JSON.stringify(schema)).not.toMatch(/\$ref|\$defs|anyOf|oneOf|"required":\[\]/)
      }
      for (const [key, value] of Object.entries(inputSchema.properties)) {
        if (/^(?:\w+_ids?|limit|status|note)$/.test(key)) continue
        expect([name, key, value]).toEqual([
          name,
          key,
          expect.objectContaining({ description: expect.any(String) }),
        ])
      }
    }
  })
})
