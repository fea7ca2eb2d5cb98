/** Behavior that needs a process of its own: exit codes, pipes and the process list. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe, inject, it } from "vitest"
import { createProject } from "../support/Rest.js"
import { run } from "../support/Server.js"
import { reach } from "./support/Cli.js"
import { TestServer } from "./support/TestServer.js"

/** Standard input is empty, unless it must stay open. */
const start = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  stdin: "empty" | "open" = "empty",
) => {
  const child = spawn(process.execPath, [inject("errataBin"), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  })
  if (stdin === "empty") child.stdin.end()
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stderr })),
  )
  return { child, ended }
}

layer(TestServer.layer, { excludeTestServices: true })("the errata command as a process", (it) => {
  it.effect("exits with a different status for each kind of failure", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const cases: ReadonlyArray<readonly [args: string, code: number]> = [
        ["projects list", 0],
        ["projects list --bogus", 2],
        ["projects list --api-key errata_wrong", 3],
        ["projects get 999999", 4],
        ["projects list --limit 0", 5],
        ["projects list --url http://127.0.0.1:1", 6],
      ]
      const outcomes = yield* Effect.forEach(
        cases,
        ([args]) => Effect.promise(() => run(args.split(" "), reach(server))),
        { concurrency: 2 },
      )
      expect(outcomes.map(({ code }) => code)).toEqual(cases.map(([, code]) => code))
      for (const { code, stderr, stdout } of outcomes) {
        expect(code === 0 ? stderr : stdout).toBe("")
        if (code !== 0) expect(stderr).toMatch(/^errata: .+\n$/)
      }
    }),
  )

  it.effect("exits with 0 when its output is closed", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (let i = 0; i < 5; i++) yield* createProject(server, `Long list ${i}`)
      const { child, ended } = start(["projects", "list", "--all", "--limit", "1"], reach(server))
      child.stdout.destroy()
      expect(yield* Effect.promise(() => ended)).toEqual({ code: 0, stderr: "" })
    }),
  )

  it.effect("exits as an MCP server on SIGTERM, and when its output is closed", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const request = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`
      // Standard input stays open, as with a client that hangs.
      const told = start(["mcp"], reach(server), "open")
      told.child.stdin.write(request)
      yield* Effect.promise(() => once(told.child.stdout, "data"))
      told.child.kill("SIGTERM")
      expect(yield* Effect.promise(() => told.ended)).toEqual({ code: 0, stderr: "" })

      const unread = start(["mcp"], reach(server), "open")
      unread.child.stdout.destroy()
      unread.child.stdin.write(request)
      expect(yield* Effect.promise(() => unread.ended)).toEqual({ code: 0, stderr: "" })
    }),
  )
})

describe("the errata command as a process", () => {
  it("does not show a key of its command line in the list of processes", async () => {
    let arrived: () => void = () => {}
    const request = new Promise<void>((resolve) => {
      arrived = resolve
    })
    // Holds the response until the test has read the process list.
    const server = createServer((_, response) => {
      arrived()
      request.then(() => lookedAt).then(() => response.writeHead(404).end())
    })
    let look: () => void = () => {}
    const lookedAt = new Promise<void>((resolve) => {
      look = resolve
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const key = "errata_fedcba9876543210"
    const { child, ended } = start(
      ["projects", "list", "--url", `http://127.0.0.1:${port}`, "--api-key", key],
      {},
    )
    await request
    const listed =
      process.platform === "linux"
        ? readFileSync(`/proc/${child.pid}/cmdline`, "utf8")
        : execFileSync("ps", ["-o", "args=", "-p", String(child.pid)], { encoding: "utf8" })
    look()
    const { code, stderr } = await ended
    server.close()
    expect(listed).toContain("errata")
    expect(listed).not.toContain("fedcba9876543210")
    expect(code).toBe(1)
    expect(stderr).not.toContain("fedcba9876543210")
  })

  it("completes commands, verbs, options and values in bash", async () => {
    const { stdout: script } = await run(["--completions", "bash"])
    const complete = (line: string) =>
      execFileSync(
        "bash",
        [
          ...["--norc", "-c"],
          // As bash calls it: the words of the line; the last one is being completed.
          `unset -f _init_completion; eval "$1"; [[ $(complete -p errata) == *"-F _errata"* ]] || exit 9
           IFS='|' read -ra COMP_WORDS <<< "$2|"; COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
           COMP_LINE="\${COMP_WORDS[*]}"; _errata errata "\${COMP_WORDS[COMP_CWORD]}"; printf '%s\\n' "\${COMPREPLY[@]}"`,
          ...["bash", script, line.replaceAll(" ", "|")],
        ],
        { encoding: "utf8" },
      )
        .split("\n")
        .filter((word) => word !== "")
    expect(complete("errata gr")).toEqual(["groups"])
    expect(complete("errata groups un")).toEqual(["unresolve", "unmute", "unmerge", "unassign"])
    expect(complete("errata users ro")).toEqual(["rotate-key"])
    expect(complete("errata users rotate-key --d")).toEqual(["--data-dir", "--database-url"])
    expect(complete("errata groups list --st")).toEqual(["--status"])
    expect(complete("errata groups list --status un")).toEqual(["unresolved", "unmuted"])
    expect(complete("errata groups list --json --project shop --status re")).toEqual(["resolved"])
    expect(complete("errata policies get e")).toEqual(["error-retention"])
    // Names of projects are not completed.
    expect(complete("errata groups list --project gr")).toEqual([])
    // A word that is also the name of another command changes nothing.
    expect(complete("errata groups list users --st")).toEqual(["--status"])
  })
})
