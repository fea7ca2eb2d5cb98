import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, inject, it } from "vitest"

const session = fileURLToPath(new URL("../session.mjs", import.meta.url))
const recording = fileURLToPath(new URL("../session.txt", import.meta.url))

/** Ends a session that hangs. It starts some sixty processes, which takes minutes on a busy machine. */
const limit = 10 * 60 * 1_000

const run = () =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = execFile(
        process.execPath,
        [session],
        {
          env: { PATH: process.env.PATH, ERRATA_BIN: inject("errataBin"), TZ: "UTC" },
          timeout: limit,
        },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      )
    },
  )

describe("the session at the command line", () => {
  it("matches the recording", { timeout: limit + 10_000 }, async () => {
    const { code, stderr, stdout } = await run()
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.split("\n")).toEqual(readFileSync(recording, "utf8").split("\n"))
  })
})
