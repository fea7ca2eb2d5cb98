/** Output for coding tools: Markdown, and MCP over standard input and output. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { get } from "../support/Rest.js"
import { reach } from "./support/Cli.js"
import { cli, failure, projectWith, TestServer } from "./support/TestServer.js"

layer(TestServer.layer, { excludeTestServices: true })("for coding tools", (it) => {
  const event = "abcdefabcdefabcdefabcdefabcdef02"

  it.effect("errata groups get and errata reports get print Markdown", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id } = yield* projectWith("Marked", [failure("Marked", { event_id: event })])
      const report = yield* get<{ id: number; group_id: number }>(server, `/projects/${id}/reports/${event}`)
      const env = { ERRATA_PROJECT: "Marked" }
      const group = yield* cli(["groups", "get", String(report.group_id), "--markdown"], { env })
      expect(group).toMatchObject({ code: 0, stderr: "" })
      expect(group.stdout).toMatch(new RegExp(`^# Group ${report.group_id}\n`))
      const shown = yield* cli(["reports", "get", event, "--markdown"], { env })
      expect(shown.stdout).toMatch(new RegExp(`^# Report ${report.id}\n`))
      expect((yield* cli(["groups", "get", "999999", "--markdown"], { env })).code).toBe(4)
      for (const args of [
        ["groups", "get", "1"],
        ["reports", "get", event],
      ]) {
        expect(yield* cli([...args, "--markdown", "--json"], { env })).toEqual({
          code: 2,
          stdout: "",
          stderr: "errata: Give --json or --markdown, not both.\n",
        })
      }
    }),
  )

  it.effect("errata mcp answers until its input ends", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const child = spawn(process.execPath, [inject("errataBin"), "mcp"], {
        env: { ...process.env, ...reach(server) },
        stdio: ["pipe", "pipe", "inherit"],
      })
      child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      const output = yield* Effect.promise(() => text(child.stdout))
      expect(output.split("\n")).toHaveLength(2)
      expect(JSON.parse(output)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
      expect(yield* Effect.promise(() => ended)).toBe(0)
    }),
  )
})
