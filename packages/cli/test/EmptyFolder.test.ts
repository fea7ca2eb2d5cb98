/** Commands other than `serve` and `migrate` create no database. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Completions } from "effect/cli"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import { errata } from "../src/Errata.js"
import * as Cli from "./api/support/Cli.js"
import * as Folder from "./faults/support/Folder.js"
import * as Server from "./support/Server.js"

/** Command lines, with their required arguments, of all commands that accept `--data-dir`. */
const lines = Completions.fromCommand(errata)
  .subcommands.flatMap((command) =>
    command.subcommands.length === 0
      ? [command]
      : command.subcommands.map((below) => ({ ...below, name: `${command.name} ${below.name}` })),
  )
  .filter(({ flags }) => flags.some(({ name }) => name === "data-dir"))
  .map(({ arguments: args, name }) => ({
    name,
    line: [
      ...name.split(" "),
      ...(name === "dead-letters retry" ? ["--all"] : []),
      ...(name === "dead-letters discard" ? ["--yes"] : []),
      ...args.filter(({ required }) => required).map(({ name }) => (name === "id" ? "1" : "ada@example.com")),
    ],
  }))

const onExisting = lines.filter(({ name }) => !["serve", "migrate", "status", "config"].includes(name))

describe("in a folder without a database", () => {
  it("covers the commands that use a storage", () => {
    expect(onExisting.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["users create", "users rotate-key", "dead-letters list", "dead-letters retry"]),
    )
  })

  it.live.each(onExisting)("$name fails and creates nothing", ({ line }) =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      expect(yield* Cli.run([...line, "--data-dir", dataDir])).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^errata: The folder \S+ has no database\. .*errata serve\.\n$/),
      })
      expect(existsSync(dataDir)).toBe(false)
    }),
  )

  it.live("status creates nothing", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      expect((yield* Cli.run(["status", "--data-dir", dataDir, "--port", "1"])).code).toBe(1)
      expect(existsSync(dataDir)).toBe(false)
    }),
  )
})

describe("on a database without a schema", () => {
  it.live("commands fail until migrate has run, and a later serve creates an admin", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      const database = ["--database-url", url]
      for (const { line } of onExisting) {
        expect(yield* Cli.run([...line, ...database])).toEqual({
          code: 1,
          stdout: "",
          stderr:
            "errata: The database cannot be used: its schema does not match this version. Run errata migrate.\n",
        })
      }
      expect((yield* Cli.run(["migrate", ...database])).code).toBe(0)
      const created = yield* Cli.run(["users", "create", "ada@example.com", ...database])
      expect(created.code).toBe(0)
      // A database has no address of a server.
      expect(created.stderr).toMatch(/^The link is for a server at \S+:4000\. .* set ERRATA_BASE_URL\.\n$/)
      const server = yield* Server.start(database)
      expect(server.output()).toContain("Created the admin admin@localhost.")
    }),
  )
})
