/** Reads the imports of the packages' sources. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const packages = new URL("../packages/", import.meta.url).pathname

export const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

/** All imports of a file, including types. */
export const imports = (file: string): ReadonlyArray<string> => named(readFileSync(file, "utf8"))

/** Imports that remain at runtime, without types. */
export const loaded = (file: string): ReadonlyArray<string> =>
  named(readFileSync(file, "utf8").replace(/^(?:import|export) type\b[^"'`;]*?\bfrom\s+"[^"]+"/gm, ""))

/** The file that a relative import resolves to. */
export const fileOf = (importer: string, specifier: string): string => {
  const file = join(importer, "..", specifier).replace(/\.js$/, ".ts")
  return existsSync(file) ? file : `${file}x`
}

/** Returns the first cycle of imports, or an empty list. */
export const cycleIn = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const way: Array<string> = []
  const follow = (file: string): ReadonlyArray<string> => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return []
    way.push(file)
    for (const target of graph.get(file) ?? []) {
      const cycle = follow(target)
      if (cycle.length > 0) return cycle
    }
    way.pop()
    done.add(file)
    return []
  }
  for (const file of graph.keys()) {
    const cycle = follow(file)
    if (cycle.length > 0) return cycle
  }
  return []
}

// internal

const named = (source: string): ReadonlyArray<string> =>
  Array.from(
    source.matchAll(
      /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"|^import\s+"([^"]+)"/gm,
    ),
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  )
