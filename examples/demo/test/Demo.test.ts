import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { promisify } from "node:util"
import { describe, expect, inject, it } from "vitest"

const demo = new URL("../demo.mjs", import.meta.url).pathname

const run = () =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = execFile(
        process.execPath,
        [demo, "--once"],
        { env: { PATH: process.env.PATH, ERRATA_BIN: inject("errataBin"), TZ: "UTC" }, timeout: 150_000 },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      )
    },
  )

describe("the demo", () => {
  it("shows three groups and the stack of a report, and stops what it started", async () => {
    const { code, stderr, stdout } = await run()
    expect(stderr).toBe("")
    expect(code).toBe(0)
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/))
    const groups = rows.filter((row) => row.length === 7 && row[0] !== "TYPE" && !row[0]?.startsWith("─"))
    expect(groups.map((row) => row.slice(0, 5))).toEqual([
      ["TypeError", "Cannot read properties of undefined (re…", "GET /products/:id", "5", "error"],
      ["PaymentError", "Order 1001 could not be paid", "POST /orders/:id/payment", "4", "warning"],
      ["RangeError", "Invalid time value", "shop in closeDay", "1", "fatal"],
    ])
    for (const [, , , , , first, last] of groups) {
      expect([first, last]).toEqual([
        expect.stringMatching(/^\d\d:\d\d:\d\d$/),
        expect.stringMatching(/^\d\d:\d\d:\d\d$/),
      ])
    }
    expect(stdout).toContain("PaymentError: Order 1003 could not be paid")
    expect(stdout).toMatch(/at payOrder \(shop\.mjs:\d+:\d+\)\n\s+throw new PaymentError/)
    expect(stdout).toMatch(/caused by SyntaxError: .*\n\s+at askProvider \(shop\.mjs:\d+:\d+\)/)

    const url = /Errata listens on ([^\s,]+)/.exec(stdout)?.[1] ?? ""
    await expect(fetch(url)).rejects.toThrow("fetch failed")
  })

  it("keeps the server running, says how to look, and stops it with a signal", async () => {
    const child = spawn(process.execPath, [demo], {
      env: { PATH: process.env.PATH, ERRATA_BIN: inject("errataBin"), TZ: "UTC" },
      stdio: ["ignore", "pipe", "inherit"],
    })
    const closed = once(child, "close")
    try {
      let stdout = ""
      await new Promise<void>((resolve) => {
        child.stdout.on("data", (chunk) => {
          stdout += chunk
          if (stdout.includes("Press Ctrl+C")) resolve()
        })
        child.once("close", () => resolve())
      })
      expect(stdout).toContain("579 older errors were sent too")
      const [link = ""] = /http\S+\/sign_in\/link\?token=\S+/.exec(stdout) ?? []
      expect(await (await fetch(link)).text()).toContain("This link signs you in")
      const [, url = "", apiKey = ""] = /export ERRATA_URL=(\S+) ERRATA_API_KEY=(\S+)/.exec(stdout) ?? []
      // The printed commands work unchanged.
      const commands = [...stdout.matchAll(/^ {2}npx errata (.+)$/gm)].map(([, line]) => line ?? "")
      expect(commands).toHaveLength(2)
      for (const line of commands) {
        const args = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
        const env = {
          PATH: process.env.PATH,
          ERRATA_URL: url,
          ERRATA_API_KEY: apiKey,
          XDG_CONFIG_HOME: "/nowhere",
        }
        const shown = await promisify(execFile)(process.execPath, [inject("errataBin"), ...args], { env })
        expect(shown.stdout).toContain("TypeError")
      }
      child.kill("SIGINT")
      expect((await closed)[0]).toBe(0)
      await expect(fetch(url)).rejects.toThrow("fetch failed")
    } finally {
      child.kill("SIGKILL")
    }
  })
})
