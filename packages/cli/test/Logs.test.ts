/** Which stream a server writes to: output to standard output, the log to standard error. */
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import * as Events from "./faults/support/Events.js"
import { acceptUnreadable } from "./faults/support/Unreadable.js"
import { until } from "./faults/support/Wait.js"
import * as Server from "./support/Server.js"

/** Starts a server, stops it and returns its output. */
const served = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory", ...args], env)
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
      return { stdout: server.stdout(), stderr: server.stderr() }
    }),
  )

describe("the log of a server", () => {
  it.live("is on standard error, in logfmt without a terminal, without fiber ids", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* served([])
      const lines = stderr.trimEnd().split("\n")
      expect(lines.length).toBeGreaterThan(2)
      for (const line of lines) expect(line).toMatch(/^timestamp=\S+ level=INFO message=/)
      expect(stderr).not.toMatch(/fiber|undefined/)
      expect(stdout).toMatch(/^Errata is listening on /)
      expect(stdout).not.toMatch(/level=|fiber|undefined/)
    }),
  )

  it.live("uses the configured format and level, with options before the environment", () =>
    Effect.gen(function* () {
      const { stderr: pretty } = yield* served(["--log-format", "pretty"], { ERRATA_LOG_FORMAT: "json" })
      for (const line of pretty.trimEnd().split("\n")) expect(line).toMatch(/^\d\d:\d\d:\d\d INFO {2}\S/)
      const { stderr: json } = yield* served([], { ERRATA_LOG_FORMAT: "json" })
      const entries = json
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(entries[0]).toMatchObject({
        level: "INFO",
        message: "Starting Errata",
        annotations: { storage: "memory (lost when the server stops)" },
      })
      expect((yield* served([], { ERRATA_LOG_LEVEL: "warning" })).stderr).toBe("")
      expect((yield* served(["--log-level=error"], { ERRATA_LOG_LEVEL: "debug" })).stderr).toBe("")
    }),
  )

  it.live("is the same from the recorder's thread", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const id = Events.eventId("f0000001", 1)
      yield* acceptUnreadable(database, [id], [id])
      const server = yield* Server.start([
        ...["--database-url", Redacted.value(database)],
        ...["--log-format", "json"],
      ])
      yield* until("it is a dead letter", () =>
        server.stderr().includes("A payload was moved to the dead letters"),
      )
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
      const entries = server
        .stderr()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(entries.filter(({ level }) => level !== "INFO")).toEqual([
        expect.objectContaining({ level: "WARN", message: "A payload was moved to the dead letters" }),
      ])
    }),
  )

  // `script` provides the terminal. Only the Linux version takes a command.
  it.runIf(process.platform === "linux" && spawnSync("script", ["--version"]).status === 0)(
    "is formatted for people on a terminal",
    () => {
      // Fails at startup, after its first log line.
      const command = `${process.execPath} ${inject("errataBin")} serve --storage memory --port 0 --host 192.0.2.1`
      const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
        encoding: "utf8",
        env: { PATH: process.env.PATH, NO_COLOR: "1" },
      })
      expect(stdout).toMatch(/^\d\d:\d\d:\d\d INFO {2}Starting Errata /m)
      expect(stdout).not.toMatch(/undefined|fiber|timestamp=/)
    },
  )
})
