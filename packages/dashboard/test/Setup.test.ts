import { describe, expect, it } from "vitest"
import { groupIn } from "../src/pages/groups/PastedGroup.js"
import { platforms } from "../src/pages/projects/Platforms.js"
import { dsnOf } from "../src/pages/setup/Dsn.js"
import { snippetsFor } from "../src/pages/setup/Snippets.js"

const project = { id: 7, token: "0123" }

describe("the DSN of a project", () => {
  it("has the mount of the instance in its path", () => {
    expect(dsnOf("https://errors.example.com", project)).toBe("https://0123@errors.example.com/7")
    expect(dsnOf("http://host:4000/a/b/", project)).toBe("http://0123@host:4000/a/b/7")
  })
})

describe("the steps of a platform", () => {
  it.each(Object.keys(platforms))("contain the DSN for %s", (platform) => {
    const codes = snippetsFor(platform, "https://0123@errors.example.com/7").map(({ code }) => code)
    expect(codes.join("\n")).toContain("https://0123@errors.example.com/7")
    expect(codes.join("\n")).toContain("Hello, Errata")
  })

  it("use the store endpoint below the mount without an SDK", () => {
    expect(snippetsFor("cobol", "http://0123@host:4000/a/7").at(-1)?.code).toContain(
      "http://host:4000/a/api/7/store/?sentry_key=0123&",
    )
  })
})

describe("a pasted group", () => {
  it("is a number or the address of a page", () => {
    expect(groupIn(" #42 ", 1)).toEqual({ project_id: 1, id: 42 })
    expect(groupIn("https://host/a/projects/3/groups/42/reports/7?x", 1)).toEqual({ project_id: 3, id: 42 })
    expect(groupIn("https://host/projects/3", 1)).toBeNull()
  })
})
