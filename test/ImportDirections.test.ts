/**
 * Dependencies point inward: adapters import the core, never the reverse and never each other. Within a package, rooms
 * import only earlier rooms, and no file imports itself through others.
 */
import { readdirSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { cycleIn, fileOf, imports, loaded, packages, sources } from "./Imports.js"
import { type Rule, roomOf, rooms, rules } from "./Rooms.js"

/** `effect` for `effect/Schema`, `@effect/sql` for `@effect/sql/SqlError`. */
const packageOf = (specifier: string): string =>
  isBuiltin(specifier)
    ? specifier
    : specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/")

const violations = (name: string, rule: Rule): ReadonlyArray<string> =>
  sources(join(packages, name, "src")).flatMap((file) =>
    imports(file).flatMap((specifier) => {
      if (specifier.startsWith(".")) {
        const target = relative(join(packages, name, "src"), join(file, "..", specifier))
        return target.startsWith("..")
          ? [`${relative(packages, file)} reaches out of its package: ${specifier}`]
          : []
      }
      const imported = packageOf(specifier)
      const allowed = imported.startsWith("@errata/")
        ? rule.errata.includes(imported.slice("@errata/".length))
        : rule.others === "any" || rule.others.includes(imported)
      return allowed ? [] : [`${relative(packages, file)} imports ${specifier}`]
    }),
  )

/** Imports that violate the order of a package's rooms. */
const backward = (name: string, order: ReadonlyArray<string>): ReadonlyArray<string> => {
  const root = join(packages, name, "src")
  return sources(root).flatMap((file) => {
    const path = relative(root, file)
    const room = roomOf(order, path)
    if (room === undefined) return [`${path} is in no room of the order`]
    return imports(file).flatMap((specifier) => {
      // Style sheets belong to no room.
      if (!specifier.startsWith(".") || !specifier.endsWith(".js")) return []
      const target = relative(root, fileOf(file, specifier))
      const targetRoom = roomOf(order, target)
      return targetRoom === undefined || order.indexOf(targetRoom) > order.indexOf(room)
        ? [`${path} imports ${target}`]
        : []
    })
  })
}

const graphOf = (name: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    sources(join(packages, name, "src")).map((file) => [
      file,
      imports(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => fileOf(file, specifier)),
    ]),
  )

/** All of Errata's files that an entry point loads, and its external imports. */
const closureOf = (entry: string) => {
  const files = new Set<string>()
  const outside = new Set<string>()
  const follow = (file: string): void => {
    if (files.has(file)) return
    files.add(file)
    for (const specifier of loaded(file)) {
      if (specifier.startsWith(".")) follow(fileOf(file, specifier))
      else if (specifier.startsWith("@errata/")) follow(entryOf(specifier))
      else outside.add(specifier)
    }
  }
  follow(entry)
  return { files: [...files], outside: [...outside] }
}

/** Resolves a specifier such as `@errata/core/search` through the package's manifest. */
const entryOf = (specifier: string): string => {
  const [, name = "", ...path] = specifier.split("/")
  const manifest = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly "@errata/source": string }>>
  }
  const entry = manifest.exports[[".", ...path].join("/")]
  if (entry === undefined) throw new Error(`${specifier} is not exported`)
  return join(packages, name, entry["@errata/source"])
}

describe("import directions", () => {
  it("knows every package", () => {
    expect(readdirSync(packages).sort()).toEqual(Object.keys(rules).sort())
  })

  for (const [name, rule] of Object.entries(rules)) {
    it(`${name} imports only what it may`, () => {
      expect(imports(join(packages, name, "src/index.ts")).length).toBeGreaterThan(0)
      expect(violations(name, rule)).toEqual([])
    })
  }

  it("finds a violation", () => {
    expect(violations("http", { errata: ["api", "core"], others: "any" }).length).toBeGreaterThan(0)
    expect(violations("core", { errata: [], others: [] }).length).toBeGreaterThan(0)
  })

  for (const [name, order] of Object.entries(rooms)) {
    it(`the rooms of ${name} import only earlier rooms`, () => {
      expect(backward(name, order)).toEqual([])
    })

    it(`no file of ${name} imports itself indirectly`, () => {
      expect(cycleIn(graphOf(name)).map((file) => relative(packages, file))).toEqual([])
    })
  }

  it("knows the rooms of every package, and each exists", () => {
    expect(Object.keys(rooms).sort()).toEqual(Object.keys(rules).sort())
    for (const [name, order] of Object.entries(rooms)) {
      const root = join(packages, name, "src")
      const known = new Set(sources(root).map((file) => roomOf(order, relative(root, file))))
      expect([name, order.filter((room) => !known.has(room))]).toEqual([name, []])
    }
  })

  it("finds an import against the order, and a cycle", () => {
    const order = rooms.core!.toReversed()
    expect(backward("core", order).length).toBeGreaterThan(0)
    expect(backward("core", rooms.core!.slice(1)).length).toBeGreaterThan(0)
    const graph = { a: ["b"], b: ["c", "d"], c: [], d: ["b"] }
    expect(cycleIn(new Map(Object.entries(graph)))).toEqual(["b", "d", "b"])
  })
})

describe("modules for browsers", () => {
  for (const entry of ["index.ts", "client/index.ts", "promise/index.ts"]) {
    it(`api/src/${entry} needs nothing of Node`, () => {
      const { files, outside } = closureOf(join(packages, "api/src", entry))
      expect(outside.filter((specifier) => isBuiltin(specifier))).toEqual([])
      // It loads a part of the core, not all of it.
      expect(files).not.toContain(join(packages, "core/src/index.ts"))
    })
  }

  it("the parser of searches needs nothing at all", () => {
    expect(closureOf(join(packages, "core/src/search/SearchQuery.ts")).outside).toEqual([])
    expect(closureOf(join(packages, "core/src/search/SearchHints.ts")).outside).toEqual([])
  })

  it("finds what needs Node", () => {
    const { outside } = closureOf(join(packages, "core/src/index.ts"))
    expect(outside).toContain("node:crypto")
  })
})
