/** Imports of what a program uses, and nothing besides: the indexes of large packages load all that is in them. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Options } from "tsup"

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]

/** Indexes that do nothing but name modules, each of which has a path of its own, and the folders of those modules. */
const folders: Readonly<Record<string, string>> = {
  effect: "effect/dist",
  "@effect/platform-node": "@effect/platform-node/dist",
  ...Object.fromEntries(
    ["cli", "http", "http-api", "observability", "sql"].map((name) => [
      `effect/${name}`,
      `effect/dist/${name}`,
    ]),
  ),
}

const hasPath = (folder: string, module: string): boolean =>
  existsSync(fileURLToPath(new URL(`node_modules/${folder}/${module}.js`, import.meta.url)))

/** `import { Effect, pipe } from "effect"` as `import * as Effect from "effect/Effect"` and what has no path. */
export const rewritten = (source: string): string =>
  source.replace(/^import \{([^}]*)\} from "([^"]+)"$/gm, (statement, names: string, specifier: string) => {
    const folder = folders[specifier]
    if (folder === undefined) return statement
    const values = names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
    const modules = values.filter((name) => hasPath(folder, name.split(" as ")[0]!))
    const rest = values.filter((name) => !modules.includes(name))
    // In one line, so that source maps stay as they are; what was several lines is as many again.
    return (
      [
        ...modules.map((name) => {
          const [module, local = module] = name.split(" as ")
          return `import * as ${local} from "${specifier}/${module}"`
        }),
        ...(rest.length === 0
          ? []
          : [`import { ${rest.join(", ")} } from "${elsewhere[specifier] ?? specifier}"`]),
      ].join("; ") + "\n".repeat(statement.split("\n").length - 1)
    )
  })

/** Functions that the index of `effect` has besides are of this module. */
const elsewhere: Readonly<Record<string, string>> = { effect: "effect/Function" }

export const modules: Plugin = {
  name: "modules",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: rewritten(await readFile(path, "utf8")),
      loader: "ts",
    }))
  },
}
