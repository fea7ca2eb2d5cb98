/** Dependencies point inward: adapters to the core, never the other way, never from adapter to adapter. */
import { readdirSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"

interface Rule {
  /** Workspace packages that its sources may import. */
  readonly errata: ReadonlyArray<string>
  /** Whether anything else may be imported; if not, what may. */
  readonly others: "any" | ReadonlyArray<string>
}

const everything = ["api", "core", "http", "sentry", "storage-memory", "storage-postgres", "testing"]

const rules: Readonly<Record<string, Rule>> = {
  core: { errata: [], others: ["effect", "node:crypto"] },
  sentry: { errata: ["core"], others: "any" },
  "storage-memory": { errata: ["core"], others: "any" },
  "storage-postgres": { errata: ["core"], others: "any" },
  testing: { errata: ["core"], others: "any" },
  api: { errata: ["core"], others: ["effect", "@effect/platform"] },
  http: { errata: ["api", "core", "sentry"], others: "any" },
  cli: { errata: everything, others: "any" },
}

const packages = new URL("../packages/", import.meta.url).pathname

const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))

const imports = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(file, "utf8").matchAll(
      /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"|^import\s+"([^"]+)"/gm,
    ),
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  )

/** `effect/Schema` belongs to `effect`, `@effect/sql/SqlError` to `@effect/sql`. */
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
})
