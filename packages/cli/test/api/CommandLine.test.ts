import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Completions } from "effect/cli"
import { errata as command } from "../../src/Errata.js"
import { errata } from "./support/Cli.js"

const told = (...args: ReadonlyArray<string>) =>
  Effect.map(errata(args, { env: { XDG_CONFIG_HOME: "/nonexistent" } }), ({ code, stderr }) => ({
    code,
    stderr: stderr.trimEnd(),
  }))

describe("the command line", () => {
  it.effect("reports an error in one line with exit code 2", () =>
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
          "The command must come first: errata apps COMMAND [OPTIONS]. See errata apps --help",
        ],
        [
          "groups list --limit",
          "Missing value for flag --limit. Expected: integer. See errata groups list --help",
        ],
        [
          "groups list --limit ten",
          'Invalid value for flag --limit: "ten". Expected: a whole number. See errata groups list --help',
        ],
        [
          "groups list --resolved maybe",
          'Invalid value for flag --resolved: "maybe". Expected: "true" | "false". See errata groups list --help',
        ],
        [
          "login --url http://x --log-level",
          "Missing value for flag --log-level. Expected: level. See errata login --help",
        ],
        [
          "groups list --config x",
          "Unknown option --config. See errata groups list --help. Write text that begins with - after --",
        ],
        ["groups get", "Missing argument <group>. See errata groups get --help"],
        [
          "groups get 1x",
          'Invalid value for argument <group>: "1x". Expected: an id. See errata groups get --help',
        ],
        ["reports get a b", 'Unexpected positional argument: "b". See errata reports get --help'],
        ["projects update 1 --url http://x --api-key k", "No change was given. Give --name or --timezone."],
      ]
      for (const [line, message] of cases) {
        expect(yield* told(...line.split(" "))).toEqual({ code: 2, stderr: `errata: ${message}` })
      }
    }),
  )

  it.effect("rejects a misspelled option instead of searching for it", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* told("groups", "list", "timeout", "--statsu", "open")
      expect(code).toBe(2)
      expect(stderr).toContain("Unknown option --statsu (did you mean --status?)")
      // After `--` it is text, so only the server is missing.
      expect((yield* told("groups", "list", "--", "--statsu")).code).toBe(3)
    }),
  )

  it.effect("reads an id after a flag, and the log level at any position", () =>
    Effect.gen(function* () {
      const lines = [
        "groups get --json 1",
        "groups get --json --log-level debug 1",
        "groups get --json 1 --log-level=debug",
        "projects delete -y 1",
      ]
      // Valid command lines, which fail only because no server is known.
      for (const line of lines) expect((yield* told(...line.split(" "))).code).toBe(3)
      expect(yield* told("projects", "list", "--log-level", "loud")).toMatchObject({ code: 2 })
      expect(yield* told("--completions", "cmd")).toMatchObject({ code: 2 })
    }),
  )

  it.effect("does not repeat a misplaced key", () =>
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

  const all = Completions.fromCommand(command).subcommands

  it.effect("exists for all commands together, each command and each verb", () =>
    Effect.gen(function* () {
      const overview = yield* help("--help")
      expect(yield* help()).toBe(overview)
      const names = Array.from(overview.matchAll(/^ {2}([a-z-]+) {3,}\S/gm), ([, name]) => name!)
      expect(names).toEqual(all.map(({ name }) => name))
      for (const { name, subcommands } of all) {
        const text = yield* help(name, "--help")
        expect(text).toContain(`USAGE\n  errata ${name}`)
        if (subcommands.length > 0) expect(yield* help(name)).toBe(text)
        for (const { name: verb } of subcommands) {
          expect(text).toMatch(new RegExp(`^ {2}${verb} {3,}\\S`, "m"))
          const verbHelp = yield* help(name, verb, "--help")
          expect(verbHelp).toContain(`USAGE\n  errata ${name} ${verb}`)
          expect(yield* help(name, verb, "--url", "http://x", "-h")).toBe(verbHelp)
          expect(yield* help("help", name, verb)).toBe(verbHelp)
        }
      }
    }),
  )

  it.effect("shows flags without a value, and further sections of a command", () =>
    Effect.gen(function* () {
      expect(yield* help("groups", "mute", "--help")).toMatch(
        /^ {2}--json {2,}Print the JSON of the API instead of text$/m,
      )
      expect(yield* help("serve", "--help")).toMatch(/^ENVIRONMENT\n {2}ERRATA_BASE_URL {2,}\S/m)
    }),
  )

  it("has a summary of every command and a description of every argument and option", () => {
    const verbs = all.flatMap((command) => [command, ...command.subcommands])
    expect(verbs.length).toBeGreaterThan(60)
    for (const { arguments: args, description, flags, name } of verbs) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z]/)])
      for (const parameter of [...args, ...flags]) {
        expect([name, parameter]).toEqual([
          name,
          expect.objectContaining({ description: expect.stringMatching(/^\S/) }),
        ])
      }
    }
  })
})
