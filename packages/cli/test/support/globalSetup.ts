/** Builds the command from its sources once a run, as it is published: tests of processes start it like a user does. */
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

/** Builds it to a folder of this run in the cache, and returns that. */
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

/** A stand-in for the dashboard, where the command finds it before the real one: tests need no build of that. */
const writeDashboard = async (folder: URL) => {
  await mkdir(folder, { recursive: true })
  const manifest = { name: "@errata/dashboard", version: "0.0.0", type: "module", exports: "./index.js" }
  await writeFile(new URL("package.json", folder), JSON.stringify(manifest))
  const source =
    "export const dashboard = { assets: new Map([['a.js', null]]), shell: (depth) => '<html data-depth=\"' + depth + '\"></html>' }\n"
  await writeFile(new URL("index.js", folder), source)
}
