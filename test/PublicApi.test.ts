import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "oxc-parser"
import { describe, expect, it } from "vitest"

/** Resolves a relative specifier to its file; undefined for a package. */
const targetOf = (file: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? join(dirname(file), specifier.replace(/\.js$/, ".ts")) : undefined

const parsed = (file: string) => {
  const source = readFileSync(file, "utf8")
  return { source, ...parseSync(file, source).module }
}

/** Exports of a file that have no docstring at their declaration. */
const undocumented = (file: string): ReadonlyArray<string> =>
  parsed(file)
    .staticExports.flatMap(({ entries }) => entries)
    .flatMap(({ exportName, importName, localName, moduleRequest }) => {
      const target = moduleRequest === null ? file : targetOf(file, moduleRequest.value)
      if (target === undefined) return []
      if (importName.kind === "AllButDefault") return undocumented(target)
      if (importName.kind === "All")
        return [...(parsed(target).source.startsWith("/**") ? [] : [target]), ...undocumented(target)]
      const name = (moduleRequest === null ? localName.name : importName.name) ?? ""
      return isDocumented(target, name) ? [] : [`${exportName.name} (${target})`]
    })

/** Returns whether a name has a docstring where it is declared. A type and a constant of the same name share one. */
const isDocumented = (file: string, name: string): boolean => {
  const { source, staticExports, staticImports } = parsed(file)
  const declaration = `(export )?(abstract )?(const|class|interface|type|function) ${name}\\b`
  if (new RegExp(`^${declaration}`, "m").test(source)) return new RegExp(`\\*/\\n${declaration}`).test(source)
  const imported = staticImports.flatMap(({ entries, moduleRequest }) =>
    entries
      .filter(({ localName }) => localName.value === name)
      .map(({ importName }) => [moduleRequest.value, importName.name ?? name] as const),
  )
  const exported = staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, importName, moduleRequest }) =>
      moduleRequest !== null && (importName.kind === "AllButDefault" || exportName.name === name)
        ? [[moduleRequest.value, importName.kind === "All" ? undefined : (importName.name ?? name)] as const]
        : [],
    )
  return [...imported, ...exported].some(([specifier, original]) => {
    const target = targetOf(file, specifier)
    if (target === undefined) return true
    return original === undefined ? parsed(target).source.startsWith("/**") : isDocumented(target, original)
  })
}

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
