/** Builds the command from its sources once a run: tests of processes start it like a user does. */
import { build } from "tsup"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The built `errata` command. */
    readonly errataBin: string
  }
}

export default async (project: TestProject) => {
  const root = new URL("../../../../", import.meta.url)
  const outDir = new URL("node_modules/.cache/errata-test/", root)
  await build({
    entry: {
      errata: new URL("packages/cli/src/bin.ts", root).pathname,
      recorder: new URL("packages/cli/src/recorder.ts", root).pathname,
    },
    outDir: outDir.pathname,
    config: false,
    silent: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    // Always the same files: the folder would grow with every change.
    splitting: false,
    outExtension: () => ({ js: ".mjs" }),
    noExternal: [/^@errata\//],
    external: [/^(?!@errata\/)[^./]/],
    esbuildOptions: (options) => {
      options.conditions = ["@errata/source"]
    },
  })
  project.provide("errataBin", new URL("errata.mjs", outDir).pathname)
}
