import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createProject, get, recorded, send } from "../support/Rest.js"
import { type CliOptions, configHome } from "./support/Cli.js"
import { cli, failure, TestServer } from "./support/TestServer.js"

layer(TestServer.layer, { excludeTestServices: true })("errata reports attachment", (it) => {
  const text = "seen äöü\n\tby nobody\n"
  const escape = "\u001b[31mred\n"
  const event = "abcdefabcdefabcdefabcdefabcdef01"

  /** A report with attachments, and their ids. */
  const reported = (name: string, attachments: ReadonlyArray<readonly [filename: string, text: string]>) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id, token } = yield* createProject(server, name)
      const items = attachments.map(([filename, body]) => {
        const header = { type: "attachment", length: Buffer.byteLength(body), filename }
        return `${JSON.stringify(header)}\n${body}\n`
      })
      const body = `{"event_id":"${event}"}\n{"type":"event"}\n${JSON.stringify(failure("Attached"))}\n${items.join("")}`
      const { status } = yield* send(`${server.url}/api/${id}/envelope/?sentry_key=${token}`, {
        method: "POST",
        body,
      })
      expect(status).toBe(200)
      yield* recorded(server, { id, token, reports_count: 0 }, 1)
      const report = yield* get<{ attachments: ReadonlyArray<{ id: number }>; id: number; group_id: number }>(
        server,
        `/projects/${id}/reports/${event}`,
      )
      const run = (args: ReadonlyArray<string>, options: CliOptions = {}) =>
        cli(["reports", "attachment", ...args], { ...options, env: { ERRATA_PROJECT: name } })
      return { report, run, ids: report.attachments.map((attachment) => String(attachment.id)) }
    })

  it.effect("writes it to standard output, but no control characters to a terminal", () =>
    Effect.gen(function* () {
      const { ids, report, run } = yield* reported("Output", [
        ["a.log", text],
        ["b.log", escape],
      ])
      const [plain = "", hostile = ""] = ids
      expect(yield* run([event, plain])).toEqual({ code: 0, stdout: text, stderr: "" })
      const byIds = [String(report.id), "--group", String(report.group_id), plain]
      expect((yield* run(byIds)).stdout).toBe(text)
      expect((yield* run([event, plain], { width: 80 })).stdout).toBe(text)
      expect((yield* run([event, hostile])).stdout).toBe(escape)
      expect(yield* run([event, hostile], { width: 80 })).toMatchObject({ code: 2, stdout: "" })
      expect((yield* run([event, hostile, "--output", "-"], { width: 80 })).stdout).toBe(escape)
      expect(yield* run([event, "999999"])).toMatchObject({ code: 4, stdout: "" })
      expect((yield* run([event, "a.log"])).code).toBe(2)
      const shown = yield* cli(["reports", "get", event], { env: { ERRATA_PROJECT: "Output" } })
      expect(shown.stdout).toContain(`${plain}  a.log (application/octet-stream, 23 bytes)`)
    }),
  )

  it.effect("writes it to a file, and replaces a file only with --force", () =>
    Effect.gen(function* () {
      const folder = yield* configHome
      const { ids, run } = yield* reported("Files", [["../../escape.log", escape]])
      const [id = ""] = ids
      const path = join(folder, "out.log")
      expect(yield* run([event, id, "--output", path])).toEqual({
        code: 0,
        stdout: "",
        stderr: `Saved ${escape.length} bytes to ${path}.\n`,
      })
      expect(readFileSync(path, "utf8")).toBe(escape)
      writeFileSync(path, "mine")
      const refused = yield* run([event, id, "-o", path])
      expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("--force") })
      expect(readFileSync(path, "utf8")).toBe("mine")
      expect((yield* run([event, id, "-o", path, "--force"])).code).toBe(0)
      expect(readFileSync(path, "utf8")).toBe(escape)
      expect((yield* run([event, id, "-o", join(folder, "no", "folder")])).code).toBe(1)
      expect((yield* run([event, id, "-n", "-o", path])).code).toBe(2)

      const before = process.cwd()
      yield* Effect.acquireUseRelease(
        Effect.sync(() => process.chdir(folder)),
        () => Effect.flatMap(run([event, id, "-n"]), ({ code }) => Effect.sync(() => expect(code).toBe(0))),
        () => Effect.sync(() => process.chdir(before)),
      )
      expect(readdirSync(folder).sort()).toEqual(["_.._escape.log", "out.log"])
    }),
  )
})
