/** Rules that are written once: what another copy of them would look like is found nowhere else. */
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { packages, sources } from "./Imports.js"

/** The files of some packages whose source has all of these. */
const having = (names: ReadonlyArray<string>, ...patterns: ReadonlyArray<RegExp>): ReadonlyArray<string> =>
  names
    .flatMap((name) => sources(join(packages, name, "src")))
    .filter((file) => {
      const source = readFileSync(file, "utf8")
      return patterns.every((pattern) => pattern.test(source))
    })
    .map((file) => relative(packages, file))
    .sort()

// `sentry` reads the words of senders, and `testing` writes them.
const own = ["core", "api", "http", "cli", "storage-memory", "storage-postgres"]

describe("written once", () => {
  it("the levels of severity", () => {
    expect(having(own, /"debug"/, /"fatal"/, /"warning"/)).toEqual(["core/src/event/Severities.ts"])
  })

  it("the keys of reserved tags", () => {
    expect(having(own, /"server_name"/)).toEqual(["core/src/event/ReservedTags.ts"])
  })

  it("whether a mute still holds", () => {
    expect(having(own, /\buntil\.epochMilliseconds [<>]/)).toEqual([
      "core/src/group/Group.ts",
      "core/src/project/Project.ts",
    ])
    expect(having(own, /reportsCount [<>]=? \w+\.reportsCount/)).toEqual(["core/src/group/Group.ts"])
  })

  it("which texts can be stored", () => {
    expect(having(own, /\\p\{Surrogate\}/, /\\0/)).toEqual(["core/src/validation/StorableText.ts"])
  })

  it("and the core's messages stand at the core's own names", () => {
    expect(having(["core"], /ValidationError\.of\(\s*"[a-z]+_/)).toEqual([])
    expect(having(["core"], /ValidationError\.check\(\{[^}]*\b[a-z]+_[a-z]+:/)).toEqual([])
  })
})
