/** The format of stored segments, built from source because no package exports it. */
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "tsup"

const source = new URL("../../packages/storage-postgres/src/internal/Segments.ts", import.meta.url)
const cache = new URL("../../node_modules/.cache/", import.meta.url)

/** Builds `Segments.ts` and imports it. */
export const loadSegments = async () => {
  await mkdir(cache, { recursive: true })
  const outDir = await mkdtemp(join(fileURLToPath(cache), "errata-bench-"))
  try {
    await build({
      entry: { segments: fileURLToPath(source) },
      outDir,
      config: false,
      silent: true,
      format: "esm",
      platform: "node",
      target: "node22",
      outExtension: () => ({ js: ".mjs" }),
      external: [/^[^./]/],
    })
    return await import(pathToFileURL(join(outDir, "segments.mjs")).href)
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}
