import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandInfo } from "../../src/CommandInfo.js"
import { commands } from "../../src/Errata.js"
import { errata } from "./support/Cli.js"

const told = (...args: ReadonlyArray<string>) =>
  Effect.map(errata(args, { env: { XDG_CONFIG_HOME: "/nonexistent" } }), ({ code, stderr }) => ({
    code,
    stderr: stderr.trimEnd(),
  }))

describe("the command line", () => {
  it.effect("tells in one line what is wrong with it, with status 2", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [line: string, message: string]> = [
        ["group list", "Unknown command group (did you mean groups?). See errata --help"],
        ["--json groups list", "The command must come first: errata COMMAND [OPTIONS]. See errata --help"],
        [
          "apps lsit",
          "errata apps has no command lsit (did you mean list?). Commands: list, create, update, delete",
        ],
        [
          "apps --json list",
          "The command must come first: errata apps COMMAND [OPTIONS]. Commands: list, create, update, delete",
        ],
        ["groups list --limit", "--limit needs a value. See errata groups list --help"],
        ["groups get", "Missing argument <group>"],
        ["groups get 1x", "<group> must be an id, not '1x'"],
        ["reports get a b", "Received unknown argument: 'b'"],
        ["projects update 1 --url http://x --api-key k", "No change was given. Give --name or --timezone."],
      ]
      for (const [line, message] of cases) {
        expect(yield* told(...line.split(" "))).toEqual({ code: 2, stderr: `errata: ${message}` })
      }
    }),
  )

  it.effect("takes no misspelt option for words to search for", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* told("groups", "list", "timeout", "--statsu", "open")
      expect(code).toBe(2)
      expect(stderr).toContain("Unknown option --statsu (did you mean --status?)")
      // Behind -- it is text; then only the server is missing.
      expect((yield* told("groups", "list", "--", "--statsu")).code).toBe(3)
    }),
  )

  it.effect("takes an id behind a flag for an id, and the log level wherever it stands", () =>
    Effect.gen(function* () {
      const lines = [
        "groups get --json 1",
        "groups get --json --log-level debug 1",
        "groups get --json 1 --log-level=debug",
        "projects delete -y 1",
      ]
      // All that is wrong with them is that no server is known.
      for (const line of lines) expect((yield* told(...line.split(" "))).code).toBe(3)
      expect(yield* told("projects", "list", "--log-level", "loud")).toMatchObject({ code: 2 })
      expect(yield* told("--completions", "cmd")).toEqual({
        code: 2,
        stderr: "errata: --completions must be bash, zsh or fish",
      })
    }),
  )

  it.effect("shows no key that stands in the wrong place", () =>
    Effect.gen(function* () {
      for (const line of [
        "login errata_0123456789abcdef",
        "errata_0123456789abcdef",
        "projects errata_0123456789abcdef",
      ]) {
        const { code, stderr } = yield* told(...line.split(" "))
        expect(code).toBe(2)
        expect(stderr).not.toContain("0123456789abcdef")
      }
    }),
  )
})

describe("help", () => {
  const help = (...args: ReadonlyArray<string>) =>
    Effect.map(errata(args, {}), ({ code, stderr, stdout }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      return stdout
    })

  it.effect("is there for all commands together, for one, and for each verb, wherever it is asked for", () =>
    Effect.gen(function* () {
      const overview = yield* help("--help")
      expect(yield* help()).toBe(overview)
      const commands = Array.from(overview.matchAll(/^ {2}([a-z]+) {2,}\S/gm), ([, name]) => name!)
      expect(commands).toEqual([
        ...["serve", "status", "config", "migrate", "users", "payloads"],
        ...[
          "login",
          "logout",
          "mcp",
          "projects",
          "groups",
          "reports",
          "notes",
          "members",
          "origins",
          "releases",
          "artifacts",
          "webhooks",
        ],
        ...["deliveries", "apps", "policies", "retention"],
      ])
      for (const command of commands) {
        const text = yield* help(command, "--help")
        expect(text).toContain(`Usage: errata ${command}`)
        for (const [, verb] of text.matchAll(/^ {2}([a-z-]+) ?[A-Z[ ].*\S$/gm)) {
          if (!text.includes(" COMMAND [OPTIONS]")) continue
          const verbHelp = yield* help(command, verb!, "--help")
          expect(verbHelp).toContain(`Usage: errata ${command} ${verb}`)
          expect(yield* help(command, verb!, "--url", "http://x", "-h")).toBe(verbHelp)
          expect(yield* help("help", command, verb!)).toBe(verbHelp)
        }
      }
    }),
  )

  it.effect("lays out arguments and options for reading", () =>
    Effect.gen(function* () {
      const text = yield* help("groups", "mute", "--help")
      expect(text).toContain("Usage: errata groups mute [OPTIONS] GROUP...")
      expect(text).toMatch(/^ {2}GROUP\.\.\. {2}Ids of the groups$/m)
      expect(text).toMatch(/^ {6}--reports INTEGER {2}End the mute after this number of further reports/m)
      expect(text).toMatch(/^ {2}-p, --project TEXT {2,}Id or exact name of the project/m)
      expect(text).toMatch(/^ {6}--json {2,}Print the JSON of the API/m)
      expect(yield* help("groups", "list", "--help")).toMatch(
        /^ {6}--status unresolved\|resolved\|muted\|unmuted\|all\n {10,}List only groups in this state$/m,
      )
    }),
  )

  it("has a summary of every command and a description of every argument and option", () => {
    const all = commands.map(commandInfo)
    const verbs = all.flatMap((command) => [command, ...command.subcommands])
    expect(verbs.length).toBeGreaterThan(60)
    for (const { args, name, options, summary } of verbs) {
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z]/)])
      for (const { description, names } of [...args, ...options]) {
        expect([name, names, description]).toEqual([name, names, expect.stringMatching(/^\S/)])
      }
    }
  })
})
