/** Builds the command. The dashboard must be built before. */
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import type { TestProject } from "vitest/node"
import { buildCommand } from "../../../cli/test/support/globalSetup.js"

export default async (project: TestProject) => {
  if (!existsSync(new URL("../../dist/index.js", import.meta.url))) {
    throw new Error("The dashboard is not built. Run `npm run build -w @errata/dashboard`.")
  }
  const outDir = await buildCommand("errata-browser")
  project.provide("errataBin", new URL("errata.mjs", outDir).pathname)
  return () => rm(outDir, { recursive: true })
}
