import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "tsup"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundle } from "../../../packages/cli/tsup.config.js"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const session = fileURLToPath(new URL("../session.mjs", import.meta.url))
const recording = fileURLToPath(new URL("../session.txt", import.meta.url))

const cache = join(root, "node_modules/.cache")
let outDir = ""

/** The command bundled as it is published: that it starts fast is what makes a session of many commands bearable. */
beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  outDir = mkdtempSync(join(cache, "errata-session-"))
  await build({
    ...bundle,
    entry: ["bin", "recorder"].map((name) => join(root, `packages/cli/src/${name}.ts`)),
    outDir,
    // What decides that its files are modules.
    outExtension: () => ({ js: ".mjs" }),
    config: false,
    clean: false,
  })
})

afterAll(() => rmSync(outDir, { recursive: true, force: true }))

const run = () =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = execFile(
        process.execPath,
        [session],
        {
          env: { PATH: process.env.PATH, ERRATA_BIN: join(outDir, "bin.mjs"), TZ: "UTC" },
          timeout: 170_000,
        },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      )
    },
  )

describe("the session at the command line", () => {
  it("goes as it is recorded", { timeout: 180_000 }, async () => {
    const { code, stderr, stdout } = await run()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.split("\n")).toEqual(readFileSync(recording, "utf8").split("\n"))
  })
})
