/** Builds the command once per run, as it is published. Tests start it as users do. */
import { mkdir, rm, writeFile } from "node:fs/promises"
import { build } from "tsup"
import type { TestProject } from "vitest/node"
import { bundle } from "../../tsup.config.js"

declare module "vitest" {
  interface ProvidedContext {
    /** The built `errata` command. */
    readonly errataBin: string
  }
}

export default async (project: TestProject) => {
  const outDir = await buildCommand("errata-test")
  await writeDashboard(new URL("node_modules/@errata/dashboard/", outDir))
  project.provide("errataBin", new URL("errata.mjs", outDir).pathname)
  return () => rm(outDir, { recursive: true })
}

/** Builds the command into a cache folder of this run and returns the folder. */
export const buildCommand = async (name: string): Promise<URL> => {
  const root = new URL("../../../../", import.meta.url)
  const outDir = new URL(`node_modules/.cache/${name}-${process.pid}/`, root)
  await build({
    ...bundle,
    entry: {
      errata: new URL("packages/cli/src/bin.ts", root).pathname,
      recorder: new URL("packages/cli/src/recorder.ts", root).pathname,
    },
    outDir: outDir.pathname,
    config: false,
    sourcemap: false,
    outExtension: () => ({ js: ".mjs" }),
  })
  return outDir
}

/** Writes a stub of the dashboard where the command finds it first, so that tests do not need to build the real one. */
const writeDashboard = async (folder: URL) => {
  await mkdir(folder, { recursive: true })
  const manifest = { name: "@errata/dashboard", version: "0.0.0", type: "module", exports: "./index.js" }
  await writeFile(new URL("package.json", folder), JSON.stringify(manifest))
  const source =
    "export const dashboard = { assets: new Map([['a.js', null]]), shell: (depth) => '<html data-depth=\"' + depth + '\"></html>' }\n"
  await writeFile(new URL("index.js", folder), source)
}
