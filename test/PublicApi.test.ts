import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "oxc-parser"
import { describe, expect, it } from "vitest"

/** The exports of a file that have no docstring where they are declared. */
const undocumented = (file: string): ReadonlyArray<string> => {
  const { module } = parseSync(file, readFileSync(file, "utf8"))
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, importName, localName, moduleRequest }) => {
      const from = moduleRequest?.value
      if (from !== undefined && !from.startsWith(".")) return []
      const target = from === undefined ? file : join(dirname(file), from.replace(/\.js$/, ".ts"))
      const source = readFileSync(target, "utf8")
      if (importName.kind === "AllButDefault") return undocumented(target)
      if (importName.kind === "All")
        return [...(source.startsWith("/**") ? [] : [target]), ...undocumented(target)]
      const name = (from === undefined ? localName.name : importName.name) ?? ""
      return isDocumented(source, name) ? [] : [`${exportName.name} (${target})`]
    })
}

/** A type and a constant of one name need one docstring. A name that comes from another file is documented there. */
const isDocumented = (source: string, name: string): boolean =>
  new RegExp(`\\*/\\n(export )?(abstract )?(const|class|interface|type|function) ${name}\\b`).test(source) ||
  new RegExp(`^(import|export) [^"]*?\\b${name}\\b[^"]*? from `, "m").test(source)

describe("the public API", () => {
  for (const folder of readdirSync("packages")) {
    const { exports, name } = JSON.parse(readFileSync(join("packages", folder, "package.json"), "utf8"))
    const entries = Object.entries<Record<string, string>>(exports ?? {})
      .filter(([path, { "@errata/source": source }]) => source?.endsWith(".ts") && path !== "./internal")
      .map(([, { "@errata/source": source }]) => join("packages", folder, source!))
    if (entries.length === 0) continue

    it(`${name}: every export has a docstring`, () => {
      expect([...new Set(entries.flatMap(undocumented))]).toEqual([])
    })
  }
})
