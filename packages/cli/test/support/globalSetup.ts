/** Builds the command from its sources once a run, as it is published: tests of processes start it like a user does. */
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
  const root = new URL("../../../../", import.meta.url)
  const outDir = new URL("node_modules/.cache/errata-test/", root)
  await build({
    ...bundle,
    entry: {
      errata: new URL("packages/cli/src/bin.ts", root).pathname,
      recorder: new URL("packages/cli/src/recorder.ts", root).pathname,
    },
    outDir: outDir.pathname,
    config: false,
    sourcemap: false,
    // Always the same files: the folder would grow with every change, and another run may be using them.
    splitting: false,
    clean: false,
    outExtension: () => ({ js: ".mjs" }),
  })
  project.provide("errataBin", new URL("errata.mjs", outDir).pathname)
}
