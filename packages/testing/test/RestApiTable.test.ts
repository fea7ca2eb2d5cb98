/** `docs/rest-api.md` names a test for every row of the specification, and none that does not exist. */
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { wireSuite } from "../src/wire/index.js"

const root = new URL("../../../", import.meta.url)
const text = readFileSync(new URL("docs/rest-api.md", root), "utf8")

interface Row {
  readonly key: string
  readonly cases: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly isLater: boolean
}

const rows: ReadonlyArray<Row> = Array.from(
  text.matchAll(/^\| `([^`]+)` \| (.*) \| (.*) \|$/gm),
  ([, key = "", , held = ""]) => {
    const named = Array.from(held.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)
    return {
      key,
      cases: named.filter((name) => !isFile(name)),
      files: named.filter(isFile),
      isLater: /\*later: [^*]+\*/.test(held),
    }
  },
)

const cases = wireSuite.flatMap((file) =>
  file.cases.map(({ name, rows }) => ({ name: `${file.name}: ${name}`, rows })),
)

describe("the table of the REST API", () => {
  it("reads as a table whose rows are there once", () => {
    expect(rows.length).toBeGreaterThan(150)
    expect(text.match(/^\| `/gm)).toHaveLength(rows.length)
    expect(rows.map(({ key }) => key)).toEqual([...new Set(rows.map(({ key }) => key))])
    expect(cases.map(({ name }) => name)).toEqual([...new Set(cases.map(({ name }) => name))])
  })

  it("names only cases and files that exist", () => {
    const known = new Set(cases.map(({ name }) => name))
    expect(rows.flatMap((row) => row.cases.filter((name) => !known.has(name)))).toEqual([])
    expect(rows.flatMap((row) => row.files.filter((file) => !existsSync(new URL(file, root))))).toEqual([])
  })

  it("has something to show for every row that does not come later", () => {
    const bare = rows.filter((row) => !row.isLater && row.cases.length + row.files.length === 0)
    expect(bare).toEqual([])
  })

  it("names at every row the cases that say they hold it", () => {
    const table = rows.flatMap((row) => row.cases.map((name) => `${row.key} | ${name}`))
    const suite = cases.flatMap(({ name, rows }) => rows.map((row) => `${row} | ${name}`))
    expect(table.sort()).toEqual(suite.sort())
  })
})

// internal

function isFile(name: string): boolean {
  return /^[\w./-]+\.test\.ts$/.test(name)
}
