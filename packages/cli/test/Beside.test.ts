/** Commands that use the embedded database of a running server, as its clients. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { AccessPolicy, Users } from "@errata/core"
import { Effect, Option } from "effect"
import { asSystem } from "../src/AsSystem.js"
import * as Cli from "./api/support/Cli.js"
import * as Folder from "./faults/support/Folder.js"
import { get, send } from "./support/Rest.js"
import * as Server from "./support/Server.js"

const run = (...args: ReadonlyArray<string>) => Cli.run(args)

interface Listed {
  readonly users: ReadonlyArray<{ readonly email_address: string }>
}

describe("local commands beside a server with the embedded database", () => {
  it.live("work on its database while it runs", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const server = yield* Server.start(["--data-dir", dataDir])
      const before = Folder.postmaster(dataDir)

      const created = yield* run(
        "users",
        "create",
        "ada@example.com",
        "--role",
        "admin",
        "--data-dir",
        dataDir,
      )
      expect(created).toMatchObject({ code: 0, stderr: "" })
      expect(created.stdout).toContain("Created admin ada@example.com")
      expect(created.stdout).toMatch(/^Sign-in link \(works once, until \S+\): http/m)
      const [apiKey] = /errata_[0-9a-f]{64}/.exec(created.stdout)!
      // The server knows the new key at once.
      const { users } = yield* get<Listed>({ ...server, apiKey }, "/users")
      expect(users.map((user) => user.email_address).sort()).toEqual(["ada@example.com", "admin@localhost"])

      const others: ReadonlyArray<readonly [line: string, stdout: RegExp, stderr: RegExp]> = [
        ["users list", /ada@example\.com/, /^$/],
        [
          "users rotate-key ada@example.com",
          /^API key \(shown only now\): errata_[0-9a-f]{64}\n$/,
          /^The previous API key of ada@example\.com no longer works\.\n$/,
        ],
        ["users deactivate ada@example.com", /^$/, /^ada@example\.com no longer has access\.\n$/],
        ["dead-letters list", /^$/, /^There are no dead letters\.\n$/],
        ["dead-letters retry --all", /^There are no dead letters\.\n$/, /^$/],
        ["migrate", /^The database is up to date\.\n$/, /^$/],
      ]
      for (const [line, stdout, stderr] of others) {
        const outcome = yield* run(...line.split(" "), "--data-dir", dataDir)
        expect([line, outcome]).toEqual([
          line,
          { code: 0, stderr: expect.stringMatching(stderr), stdout: expect.stringMatching(stdout) },
        ])
      }
      expect(yield* run("users", "rotate-key", "nobody@example.com", "--data-dir", dataDir)).toMatchObject({
        code: 1,
        stderr: "errata: No user has the email address nobody@example.com.\n",
      })

      expect(Folder.postmaster(dataDir)).toBe(before)
      expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
      expect(server.stderr()).not.toContain("is being restarted")
      // Without the server, commands run the database themselves.
      const alone = yield* Effect.promise(() => Server.run(["users", "list", "--data-dir", dataDir]))
      expect(alone.stdout).toContain("admin@localhost")
    }),
  )

  it.live("print JSON or text, with links to the running server", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const server = yield* Server.start(["--data-dir", dataDir])
      const answer = (args: ReadonlyArray<string>) =>
        Effect.map(run(...args, "--json", "--data-dir", dataDir), ({ code, stdout }) => {
          expect([args, code]).toEqual([args, 0])
          return stdout
        })
      const json = (...args: ReadonlyArray<string>) =>
        Effect.map(answer(args), (stdout) => JSON.parse(stdout) as Record<string, unknown>)
      const created = yield* json("users", "create", "ada@example.com", "--role", "admin")
      expect(created).toMatchObject({ email_address: "ada@example.com", role: "admin" })
      // The key and the link belong to this server, whose port is not the default.
      const apiKey = String(created["api_key"])
      expect((yield* get<Listed>({ ...server, apiKey }, "/users")).users).toHaveLength(2)
      const isOpenLink = ({ sign_in_link: link }: Record<string, unknown>) => {
        expect(new URL(String(link)).origin).toBe(server.url)
        return Effect.map(send(String(link)), ({ status }) => expect(status).toBe(200))
      }
      yield* isOpenLink(created)
      // Earlier links stop working.
      yield* isOpenLink(yield* json("users", "sign-in-link", "ada@example.com"))
      const text = yield* run("users", "sign-in-link", "ada@example.com", "--data-dir", dataDir)
      expect(text.stdout).toMatch(/^Sign-in link \(works once, until \S+Z\): http\S+\n$/)
      const rotated = yield* json("users", "rotate-key", "ada@example.com")
      expect(rotated).toEqual({ api_key: expect.stringMatching(/^errata_[0-9a-f]{64}$/) })
      expect((yield* json("users", "list", "--limit", "1"))["has_more"]).toBe(true)
      expect(
        (yield* answer(["users", "list", "--all"]))
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).id),
      ).toEqual([2, 1])
      expect(yield* json("dead-letters", "list")).toEqual({
        dead_letters: [],
        next_cursor: null,
        has_more: false,
      })
      expect(yield* json("dead-letters", "retry", "--all")).toEqual({ retried: 0 })
      // As with the API, a change without a response prints nothing.
      expect(yield* answer(["users", "deactivate", "ada@example.com"])).toBe("")
    }),
  )

  it.live("wait for a starting server, and start no second PostgreSQL", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const [server, listed] = yield* Effect.all(
        [
          Server.start(["--data-dir", dataDir]),
          Effect.promise(async () => {
            // The folder has an owner by then, but no database yet.
            while (lockIn(dataDir) === "") await new Promise((resolve) => setTimeout(resolve, 5))
            return await Server.run(["users", "list", "--data-dir", dataDir])
          }),
        ],
        { concurrency: 2 },
      )
      expect(listed.code).toBe(0)
      // The server creates its admin before or after that.
      expect(listed.stdout + listed.stderr).toMatch(/^(No users\.\n$|ID .*\n.* admin@localhost )/)
      expect(JSON.parse(lockIn(dataDir)).pid).toBe(server.child.pid)
      const second = yield* Effect.promise(() => Server.run(["serve", "--data-dir", dataDir, "--port", "0"]))
      expect(second.code).toBe(1)
      expect(second.stderr).toContain(`is in use by process ${server.child.pid}. Stop that process, or`)
    }),
  )

  it.live("fail with a message if the server stops meanwhile", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* Folder.temporary, "data")
      const server = yield* Server.start(["--data-dir", dataDir])
      const error = yield* Effect.gen(function* () {
        const users = yield* Users
        const allowed = yield* AccessPolicy.instance("users.read")
        expect((yield* users.list(allowed, { limit: 10, cursor: null })).items).toHaveLength(1)
        yield* Effect.promise(() => server.end("SIGTERM"))
        return yield* users.list(allowed, { limit: 10, cursor: null })
      }).pipe(
        asSystem({ storage: Option.none(), dataDir: Option.some(dataDir), databaseUrl: Option.none() }),
        Effect.flip,
      )
      expect(error).toMatchObject({
        _tag: "CommandFailed",
        message: `The server that ran the database in ${dataDir} stopped during the command. Run the command again.`,
      })
    }),
  )
})

// internal

const lockIn = (dataDir: string): string => {
  try {
    return readFileSync(join(dataDir, "lock"), "utf8")
  } catch {
    // Not there yet.
    return ""
  }
}
