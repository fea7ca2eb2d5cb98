import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { type Cause, Effect, Layer, Option, Queue, Terminal } from "effect"
import { createProject } from "../support/Rest.js"
import { configHome, errata } from "./support/Cli.js"
import { TestServer } from "./support/TestServer.js"

/** A terminal that types these lines, and what it displayed. */
const terminalWith = (lines: ReadonlyArray<string>) => {
  const shown: Array<string> = []
  const keys = lines.flatMap((line) => [...line, "\r"])
  const service = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die(new Error("Nobody watches the size")),
    display: (text) => Effect.sync(() => void shown.push(text)),
    readLine: Effect.die(new Error("Nobody reads lines")),
    readInput: Effect.gen(function* () {
      const typed = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      // Each prompt reads up to the end of a line.
      const end = keys.indexOf("\r") + 1
      yield* Queue.offerAll(
        typed,
        keys.splice(0, end).map((key) => ({
          input: Option.some(key),
          key: { name: key === "\r" ? "return" : key, ctrl: false, meta: false, shift: false },
        })),
      )
      return typed
    }),
  })
  return { layer: Layer.succeed(Terminal.Terminal, service), shown: () => shown.join("") }
}

const profileOf = (home: string) => JSON.parse(readFileSync(join(home, "errata", "profile.json"), "utf8"))

layer(TestServer.layer, { excludeTestServices: true })("errata login", (it) => {
  it.effect("reads the key from standard input, checks it, and stores it", () =>
    Effect.gen(function* () {
      const { apiKey, url } = yield* TestServer
      const home = yield* configHome
      const env = { XDG_CONFIG_HOME: home }
      const refused = yield* errata(["login", "--url", url, "--with-key"], {
        env,
        input: "errata_wrongkey\n",
      })
      expect(refused).toMatchObject({ code: 3, stdout: "" })
      expect(refused.stderr).not.toContain("wrongkey")
      expect(existsSync(join(home, "errata", "profile.json"))).toBe(false)

      const outcome = yield* errata(["login", "--url", `${url}/`, "--with-key"], {
        env,
        input: `${apiKey}\n`,
      })
      expect(outcome).toEqual({
        code: 0,
        stdout: "",
        stderr: `Logged in to ${url}. The API key is stored in ${join(home, "errata", "profile.json")}, which only you can read.\nThe default project is 1.\n`,
      })
      // The only project that the key can see.
      expect(profileOf(home)).toEqual({ url, api_key: apiKey, project: "1" })
      expect((yield* errata(["groups", "list"], { env })).code).toBe(0)

      expect((yield* errata(["logout"], { env })).code).toBe(0)
      expect(yield* errata(["projects", "list"], { env })).toMatchObject({ code: 3 })
      expect((yield* errata(["logout"], { env })).stderr).toBe("You were not logged in.\n")
    }),
  )

  it.effect("stores a default project for the server", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id } = yield* createProject(server, "Daily")
      const { id: other } = yield* createProject(server, "Weekly")
      const home = yield* configHome
      const env = { XDG_CONFIG_HOME: home }
      const login = (...args: ReadonlyArray<string>) =>
        errata(["login", "--url", server.url, "--with-key", ...args], { env, input: server.apiKey })
      expect((yield* login("-p", "Nowhere")).code).toBe(4)
      expect((yield* login("--project", "Daily")).code).toBe(0)
      expect((yield* errata(["groups", "list"], { env })).stderr).toBe("No groups.\n")
      expect(JSON.parse((yield* errata(["projects", "get", "--json"], { env })).stdout).id).toBe(id)
      expect((yield* errata(["projects", "use", "Weekly"], { env })).code).toBe(0)
      expect(JSON.parse((yield* errata(["projects", "get", "--json"], { env })).stdout).id).toBe(other)
      // A new key for the same server keeps the chosen project.
      yield* login()
      expect(profileOf(home).project).toBe(String(other))
      expect(
        yield* errata(["projects", "use", "Daily"], {
          env: { XDG_CONFIG_HOME: "/nonexistent", ERRATA_URL: server.url, ERRATA_API_KEY: server.apiKey },
        }),
      ).toMatchObject({ code: 3, stderr: expect.stringContaining("Log in first") })
    }),
  )

  it.effect("prompts on a terminal, and hides the key", () =>
    Effect.gen(function* () {
      const { apiKey, url } = yield* TestServer
      const home = yield* configHome
      const terminal = terminalWith([url, apiKey])
      const outcome = yield* errata(["login"], {
        env: { XDG_CONFIG_HOME: home },
        terminal: terminal.layer,
      })
      expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining(`Logged in to ${url}.`) })
      expect(profileOf(home)).toEqual({ url, api_key: apiKey })
      expect(terminal.shown()).toContain("URL of the server")
      expect(terminal.shown()).toContain("API key")
      for (let i = 4; i <= apiKey.length; i++) expect(terminal.shown()).not.toContain(apiKey.slice(i - 4, i))
    }),
  )

  it.effect("reports missing input without a terminal", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      const env = { XDG_CONFIG_HOME: yield* configHome }
      expect(yield* errata(["login"], { env })).toMatchObject({
        code: 2,
        stderr: "errata: No server is selected. Give --url.\n",
      })
      expect(yield* errata(["login", "--url", url], { env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--with-key"),
      })
      expect((yield* errata(["login", "--url", url, "--with-key"], { env, input: "" })).code).toBe(2)
      expect((yield* errata(["login", "--url", "nonsense", "--with-key"], { env, input: "k" })).code).toBe(2)
    }),
  )
})
