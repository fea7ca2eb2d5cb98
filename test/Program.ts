/** Builds programs that tests run in their own process from the sources of the packages. */
import { fileURLToPath } from "node:url"
import { build } from "tsup"
import { defined } from "../packages/sourcemap/threadText.js"
import { modules } from "../tsup.modules.js"

/** Builds a program and returns its path. Dependencies other than Errata's packages stay external. */
export const buildProgram = async (name: string, entry: URL): Promise<string> => {
  const outDir = fileURLToPath(new URL(`../node_modules/.cache/errata-${name}/`, import.meta.url))
  await build({
    entry: { [name]: fileURLToPath(entry) },
    outDir,
    config: false,
    silent: true,
    define: defined(),
    format: "esm",
    target: "node22",
    platform: "node",
    splitting: true,
    outExtension: () => ({ js: ".mjs" }),
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    noExternal: [/^@errata\//, /^errata(\/|$)/],
    esbuildPlugins: [modules],
    esbuildOptions: (options) => {
      options.conditions = ["@errata/source", "import", "node"]
    },
  })
  return `${outDir}${name}.mjs`
}
