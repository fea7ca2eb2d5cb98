/** Bundles the code of the engine's thread into a string, for builds and tests. */
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"

export const buildThreadText = (): string =>
  buildSync({
    entryPoints: [fileURLToPath(new URL("src/thread.ts", import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    conditions: ["@errata/source", "node"],
  }).outputFiles[0]!.text

export const defined = (): Readonly<Record<string, string>> => ({
  ERRATA_SOURCEMAP_THREAD: JSON.stringify(buildThreadText()),
})
