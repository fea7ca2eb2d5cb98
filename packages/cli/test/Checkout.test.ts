/** The command in a checkout: `npm start`, and `npx errata` before anything is built. */
import { spawn, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const bin = join(root, "packages/cli/bin/errata.js")

const manifest = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))

// Without variables of the developer's machine that npm or the server would read.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(ERRATA_|npm_|DATABASE_URL$)/i.test(name)),
)

describe("npm start", () => {
  // On Windows, no process between npm and the script can hold signals back.
  it.runIf(process.platform !== "win32")(
    "builds without output, and stops its server on a signal",
    async () => {
      const npm = spawn("npm", ["start", "--", "--storage", "memory", "--port", "0"], {
        cwd: root,
        env: { ...environment, npm_config_update_notifier: "false" },
        stdio: ["ignore", "pipe", "pipe"],
        // A process group, so that everything it started can be ended if the test fails.
        detached: true,
      })
      let stdout = ""
      let stderr = ""
      npm.stderr.on("data", (chunk) => (stderr += chunk))
      const ended = new Promise((resolve) => npm.once("close", resolve))
      try {
        const url = await new Promise<string>((resolve, reject) => {
          npm.stdout.on("data", (chunk) => {
            stdout += chunk
            const listening = /Errata is listening on (\S+)/.exec(stdout)?.[1]
            if (listening !== undefined) resolve(listening)
          })
          ended.then(() => reject(new Error(`npm start ended:\n${stdout}\n${stderr}`)))
        })
        expect((await fetch(`${url}/up`)).status).toBe(200)
        npm.kill("SIGTERM")
        // Its outputs close when the last process that holds them has ended.
        await ended
        await expect(fetch(`${url}/up`)).rejects.toThrow("fetch failed")
      } finally {
        if (npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid!, "SIGKILL")
      }
      // npm prints the script's name; all other output is the server's.
      const begin = stdout.indexOf("API key of the admin")
      const [own, banner] = [stdout.slice(begin), stdout.slice(0, begin)]
      expect(banner.split("\n").filter((line) => line !== "" && !line.startsWith("> "))).toEqual([])
      expect(own).toContain("curl ")
      expect(stderr).toMatch(/message=Stopping/)
      const log = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("npm "))
      for (const line of log) expect(line).toMatch(/^timestamp=/)
    },
  )
})

describe("the command of a checkout", () => {
  it("exists when npm installs, and reports a missing build", () => {
    const { bin: named } = manifest("packages/cli/package.json")
    expect(named).toEqual({ errata: "./bin/errata.js" })
    // npm links the binaries from the lock file.
    expect(manifest("package-lock.json").packages["packages/cli"].bin).toEqual({ errata: "bin/errata.js" })
    if (process.platform !== "win32") expect(statSync(bin).mode & 0o111).toBe(0o111)

    const folder = mkdtempSync(join(tmpdir(), "errata-unbuilt-"))
    try {
      mkdirSync(join(folder, "bin"))
      copyFileSync(bin, join(folder, "bin/errata.mjs"))
      const { status, stderr, stdout } = spawnSync(process.execPath, [join(folder, "bin/errata.mjs")], {
        encoding: "utf8",
      })
      expect({ status, stderr, stdout }).toEqual({
        status: 1,
        stderr: "errata: The command is not built yet. Run this first: npm run build\n",
        stdout: "",
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
