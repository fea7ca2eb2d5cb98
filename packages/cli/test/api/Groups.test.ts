import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { wire } from "./support/Cli.js"
import { cli, failure, projectWith, record, TestServer } from "./support/TestServer.js"

interface Group {
  readonly id: number
  readonly error_type: string
  readonly resolved: boolean
  readonly muted: boolean
  readonly muted_until: string | null
  readonly muted_until_reports_count: number | null
  readonly muted_until_release: string | null
  readonly resolved_in_release: string | null
  readonly assignee_id: number | null
}

const groupsOf = Effect.fnUntraced(function* (project: number) {
  const server = yield* TestServer
  const { groups } = JSON.parse(yield* wire(server, `/projects/${project}/groups?limit=100`))
  return groups as ReadonlyArray<Group>
})

/** Ids of the groups that the events created, in order. */
const given = Effect.fnUntraced(function* (name: string, types: ReadonlyArray<string>) {
  const { id: project } = yield* projectWith(
    name,
    types.map((type) => failure(type)),
  )
  const groups = yield* groupsOf(project)
  const ids = types.map((type) => groups.find((group) => group.error_type === type)!.id)
  return { project, ids }
})

const detailed = {
  platform: "node",
  release: "shop@1.4.0",
  environment: "production",
  server_name: "till-1",
  transaction: "POST /orders",
  user: { username: "ada" },
  request: { method: "POST", url: "https://shop.example.com/orders" },
  tags: { browser: "Firefox" },
  breadcrumbs: [{ timestamp: 1_700_000_000, category: "http", message: "GET /cart" }],
  exception: {
    values: [
      {
        type: "SyntaxError",
        value: "not JSON",
        stacktrace: { frames: [{ function: "parse", in_app: false }] },
      },
      {
        type: "PaymentError",
        value: "Order could not be paid\nTry again \u001b[31mlater",
        stacktrace: {
          frames: [
            { filename: "node:internal/http", function: "emit", in_app: false },
            { filename: "express/router.js", function: "next", lineno: 9, in_app: false },
            {
              filename: "shop.js",
              function: "pay",
              lineno: 12,
              colno: 3,
              in_app: true,
              context_line: "  throw new PaymentError(order)",
            },
          ],
        },
      },
    ],
  },
}

const raised = (hours: number, type: string, value: string, filename: string) => ({
  timestamp: Date.now() / 1000 - (hours + 0.5) * 3600,
  exception: {
    values: [
      { type, value, stacktrace: { frames: [{ filename, function: "total", lineno: 7, in_app: true }] } },
    ],
  },
})

const payment = raised(
  5,
  "PaymentError",
  "Order 1024 could not be paid: the bank answered 503 after three attempts and told nothing more",
  "src/checkout/payment/provider.ts",
)

const timeout = raised(2, "TimeoutError", "No answer within 5 s", "src/stock.ts")

layer(TestServer.layer, { excludeTestServices: true })("errata groups", (it) => {
  it.effect("needs and shows no project while only one exists", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { projects } = JSON.parse(yield* wire(server, "/projects"))
      yield* record(projects[0], [failure("Lonely")])
      const { code, stdout } = yield* cli(["groups", "list"])
      expect([code, stdout]).toEqual([0, expect.stringContaining("Lonely: Lonely happened")])
      expect(stdout).not.toContain("PROJECT")
    }),
  )

  it.effect("prints hints for misspelled filters on standard error", () =>
    Effect.gen(function* () {
      yield* projectWith("Hints", [failure("Hinted")])
      const run = (...args: ReadonlyArray<string>) =>
        cli(["groups", "list", ...args], { env: { ERRATA_PROJECT: "Hints" } })
      const hint = "is not a filter or a tag of the project, so it was searched as text."
      expect(yield* run("enviroment:production", "is:foo")).toEqual({
        code: 0,
        stdout: "",
        stderr: `enviroment:production ${hint} Did you mean environment:production?\nis:foo ${hint}\nNo groups match.\n`,
      })
      const told = `is:eror ${hint} Did you mean is:error?\n`
      const json = yield* run("is:eror", "--json")
      expect([json.stderr, JSON.parse(json.stdout).groups]).toEqual([told, []])
      expect(yield* run("is:eror", "--json", "--all")).toEqual({ code: 0, stdout: "", stderr: told })
      expect((yield* run("Hinted:", "is:error", "--all")).stderr).toBe("")
    }),
  )

  it.effect("fits the error column to the terminal width", () =>
    Effect.gen(function* () {
      const by = (id: string) => ({ ...payment, user: { id } })
      yield* projectWith("Till", [by("ada"), { ...by("grace"), level: "warning" }, timeout])
      const run = (width?: number) =>
        Effect.map(
          cli(["groups", "list", "-p", "Till"], { ...(width !== undefined && { width }) }),
          ({ stdout }) => `\n${stdout.replace(/^ *\d+/gm, (id) => "n".padStart(id.length))}`,
        )
      expect(yield* run(80)).toMatchInlineSnapshot(`
        "
        ID  SEVERITY  ERROR                                  SEEN  COUNT  STATE  PROJECT
         n  error     TimeoutError: No answer within 5 s       2h      1  open   Till
         n  error     PaymentError: Order 1024 could not b…    5h      2  open   Till
        "
      `)
      expect(yield* run(100)).toMatchInlineSnapshot(`
        "
        ID  SEVERITY  ERROR                                               SEEN  COUNT  USERS  STATE  PROJECT
         n  error     TimeoutError: No answer within 5 s                    2h      1      0  open   Till
         n  error     PaymentError: Order 1024 could not be paid: the b…    5h      2      2  open   Till
        "
      `)
      expect(yield* run(120)).toMatchInlineSnapshot(`
        "
        ID  SEVERITY  ERROR                                                                   SEEN  COUNT  USERS  STATE  PROJECT
         n  error     TimeoutError: No answer within 5 s                                        2h      1      0  open   Till
         n  error     PaymentError: Order 1024 could not be paid: the bank answered 503 aft…    5h      2      2  open   Till
        "
      `)
      expect(
        (yield* cli(["groups", "list", "-p", "Till", "--sort", "users_count"], { width: 80 })).stdout,
      ).toMatch(/^ID +ERROR +SEEN +COUNT +USERS +STATE +PROJECT\n *\d+ +PaymentError.+ 5h +2 +2 +open/)
      const whole = yield* run()
      expect(whole).toContain(String(payment.exception.values[0]!.value))
      expect(yield* run(0)).toBe(whole)
    }),
  )

  it.effect("lists, filters and searches", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { ids, project } = yield* given("Search", ["AlphaError", "BetaError", "GammaError"])
      const env = { ERRATA_PROJECT: "Search" }
      yield* cli(["groups", "resolve", String(ids[0])], { env })
      const listed = (...args: ReadonlyArray<string>) =>
        Effect.map(cli(["groups", "list", ...args], { env }), ({ stdout }) =>
          Array.from(stdout.matchAll(/(\w+Error): /g), ([, type]) => type).sort(),
        )
      expect(yield* listed()).toEqual(["AlphaError", "BetaError", "GammaError"])
      expect(yield* listed("is:unresolved")).toEqual(["BetaError", "GammaError"])
      expect(yield* listed("is:unresolved", "GammaError")).toEqual(["GammaError"])
      expect(yield* listed("--status", "resolved")).toEqual(["AlphaError"])
      expect(yield* listed("--resolved", "false")).toEqual(["BetaError", "GammaError"])
      expect(yield* listed("--since", "1h")).toHaveLength(3)
      expect(yield* listed("--until", "1h")).toEqual([])
      expect((yield* cli(["groups", "list", "nothing", "like", "it"], { env })).stderr).toBe(
        "No groups match.\n",
      )
      expect((yield* cli(["groups", "list", "is:unresolved", "--json"], { env })).stdout).toBe(
        `${yield* wire(server, `/projects/${project}/groups?query=is:unresolved&include=last_report`)}\n`,
      )
      const narrow = yield* cli(["groups", "list"], { env, width: 50 })
      expect(narrow.stdout.split("\n").every((line) => line.length <= 50)).toBe(true)
      expect(narrow.stdout).toContain("…")
    }),
  )

  it.effect("resolves and reopens one group, or many in one call", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Resolution", ["AError", "BError", "CError"])
      const [a, b, c] = ids.map(String) as [string, string, string]
      const resolved = Effect.map(groupsOf(project), (groups) =>
        groups
          .filter((group) => group.resolved)
          .map(({ id }) => String(id))
          .sort(),
      )
      const run = (...args: ReadonlyArray<string>) => cli(["groups", ...args, "-p", String(project)])
      expect(yield* run("resolve", a)).toEqual({ code: 0, stdout: "", stderr: `Resolved group ${a}.\n` })
      expect(yield* resolved).toEqual([a])
      expect(yield* run("resolve", a, b, c)).toEqual({
        code: 0,
        stdout: "",
        stderr: "Resolved 2 groups. Skipped 1 group: not in this project, or no change needed.\n",
      })
      expect(yield* resolved).toEqual([a, b, c].sort())
      // An id after a flag is an id.
      expect(yield* run("unresolve", "--json", a, b)).toEqual({
        code: 0,
        stdout: '{"processed":2}\n',
        stderr: "",
      })
      expect(yield* resolved).toEqual([c])
      expect(yield* run("resolve", "999999")).toMatchObject({ code: 4, stdout: "" })
    }),
  )

  it.effect("resolves in a release, and mutes until the next one", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Released", ["AError", "BError"])
      const [a, b] = ids.map(String) as [string, string]
      const run = (...args: ReadonlyArray<string>) => cli(["groups", ...args, "-p", String(project)])
      const states = Effect.map(groupsOf(project), (groups) =>
        ids.map((id) => {
          const group = groups.find((group) => group.id === id)!
          return [group.resolved_in_release, group.muted_until_release]
        }),
      )
      yield* run("resolve", a, "--in-release", "shop@1.4.0")
      yield* run("mute", a, "--until-release", "next")
      expect(yield* states).toEqual([
        ["shop@1.4.0", "next"],
        [null, null],
      ])
      const { stdout } = yield* run("get", a)
      expect(stdout).toMatch(/^Resolved in +shop@1\.4\.0$/m)
      expect(stdout).toMatch(/^Muted until +the next release$/m)
      expect((yield* run("resolve", a, b, "--in-release", "next")).stderr).toContain("Resolved 1 group.")
      expect((yield* run("mute", a, b, "--until-release", "next")).stderr).toContain("Muted 1 group.")
      expect(yield* states).toEqual([
        ["shop@1.4.0", "next"],
        ["next", "next"],
      ])
      const empty = yield* run("resolve", a, "--in-release", "")
      expect([empty.code, empty.stderr]).toEqual([5, expect.stringContaining("in_release")])
      expect(yield* run("mute", a, "--until-release", "1.0")).toMatchObject({ code: 2 })
      expect(yield* run("mute", a, "--until-release", "next", "--reports", "5")).toMatchObject({ code: 2 })
    }),
  )

  it.effect("mutes permanently, for a number of reports, or until a time", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Mute", ["AError", "BError", "CError"])
      const [a, b, c] = ids.map(String) as [string, string, string]
      const env = { ERRATA_PROJECT: String(project) }
      const state = (id: string) =>
        Effect.map(groupsOf(project), (groups) => groups.find((group) => String(group.id) === id)!)
      expect((yield* cli(["groups", "mute", a, b], { env })).stderr).toBe("Muted 2 groups.\n")
      expect(yield* state(a)).toMatchObject({
        muted: true,
        muted_until: null,
        muted_until_reports_count: null,
      })
      expect((yield* cli(["groups", "mute", "--reports", "10", b, c], { env })).stderr).toBe(
        `Muted group ${b}.\nMuted group ${c}.\n`,
      )
      expect(yield* state(c)).toMatchObject({ muted: true, muted_until_reports_count: 11 })
      yield* cli(["groups", "mute", c, "--until", "2999-01-01T00:00:00Z"], { env })
      expect(yield* state(c)).toMatchObject({
        muted_until: "2999-01-01T00:00:00.000Z",
        muted_until_reports_count: null,
      })
      expect((yield* cli(["groups", "unmute", a, b, c], { env })).stderr).toBe("Unmuted 3 groups.\n")
      expect(yield* state(c)).toMatchObject({ muted: false })
      expect(yield* cli(["groups", "mute", a, "--until", "1d", "--reports", "1"], { env })).toMatchObject({
        code: 2,
      })
      const past = yield* cli(["groups", "mute", a, "--until", "2001-01-01"], { env })
      expect(past.code).toBe(5)
      expect(past.stderr).toContain("snooze_until")
    }),
  )

  it.effect("merges, and names the target of a merged group", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Merge", ["AError", "BError", "CError"])
      const [a, b, c] = ids.map(String) as [string, string, string]
      const env = { ERRATA_PROJECT: String(project) }
      yield* cli(["groups", "mute", "--reports", "5", a], { env })
      expect((yield* cli(["groups", "merge", a, b, c], { env })).stderr).toBe(
        `Merged 2 groups into ${a}.\nIts mute now ends at 8 reports.\n`,
      )
      expect(yield* cli(["groups", "get", b], { env })).toEqual({
        code: 4,
        stdout: "",
        stderr: `errata: The group was merged into group ${a}. Run errata groups get ${a}.\n`,
      })
      expect((yield* cli(["groups", "merge", a, "999999"], { env })).stderr).toBe(
        `Merged 0 groups into ${a}. Skipped 1 group: not in this project, or no change needed.\n`,
      )
      expect((yield* cli(["groups", "merge", a, a], { env })).code).toBe(5)
    }),
  )

  it.effect("lists merges, and undoes one of them", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Unmerge", ["AError", "BError"])
      const [a, b] = ids.map(String) as [string, string]
      const env = { ERRATA_PROJECT: String(project) }
      expect((yield* cli(["groups", "merges", a], { env })).stderr).toBe(
        "No groups were merged into this group.\n",
      )
      yield* cli(["groups", "merge", a, b], { env })
      const listed = yield* cli(["groups", "merges", a], { env })
      expect(listed.stdout).toMatch(
        new RegExp(
          `^ID +GROUP +ERROR +INTO +BY +MERGED\\n *(\\d+) +${b} +BError: .+ +${a} +Admin +(just now|\\d+s ago)\\n$`,
        ),
      )
      const [, merge] = /\n *(\d+)/.exec(listed.stdout)!
      const json = JSON.parse((yield* cli(["groups", "merges", a, "--json"], { env })).stdout)
      expect(json.merges).toMatchObject([
        { id: Number(merge), source_id: Number(b), target_id: Number(a), merged_by: 1 },
      ])
      expect(yield* cli(["groups", "unmerge", a, merge!], { env })).toEqual({
        code: 0,
        stdout: "",
        stderr: `Undid merge ${merge}.\n`,
      })
      expect((yield* cli(["groups", "get", b], { env })).code).toBe(0)
      expect(yield* cli(["groups", "unmerge", a, merge!], { env })).toMatchObject({
        code: 4,
        stderr: "errata: Not found: No such merge\n",
      })
    }),
  )

  it.effect("assigns to a user by id, name or email address", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Assignment", ["AError"])
      const env = { ERRATA_PROJECT: String(project) }
      const group = String(ids[0])
      const assignee = Effect.map(groupsOf(project), ([only]) => only!.assignee_id)
      const named = yield* cli(["groups", "assign", group, "Admin@localhost"], { env })
      expect(named).toMatchObject({ code: 0, stderr: `Assigned group ${group} to user 1.\n` })
      expect(yield* assignee).toBe(1)
      expect((yield* cli(["groups", "unassign", group], { env })).code).toBe(0)
      expect(yield* assignee).toBe(null)
      yield* cli(["groups", "assign", group, "1"], { env })
      expect(yield* assignee).toBe(1)
      yield* cli(["groups", "unassign", group], { env })
      yield* cli(["groups", "assign", group, "admin"], { env })
      expect(yield* assignee).toBe(1)
      expect((yield* cli(["groups", "assignees"], { env })).stdout).toMatch(
        /^ID {2}NAME\n(?: *\d+ {2}.+\n)* *1 {2}Admin\n$/,
      )
      expect((yield* cli(["groups", "assign", group, "nobody@example.com"], { env })).code).toBe(4)
      expect((yield* cli(["groups", "assign", group, "999999"], { env })).code).toBe(5)
    }),
  )

  it.effect("shows a group with the stack of its last report", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { id: project } = yield* projectWith("Detail", [detailed])
      const [group] = yield* groupsOf(project)
      const id = String(group!.id)
      yield* cli(["groups", "assign", id, "Admin", "-p", "Detail"])
      yield* cli(["groups", "resolve", id, "-p", "Detail"])
      const { code, stderr, stdout } = yield* cli(["groups", "get", id, "-p", "Detail"])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout.startsWith("PaymentError: Order could not be paid\nTry again �[31mlater\n\n")).toBe(true)
      for (const line of [
        `Group        ${id}`,
        "State        resolved",
        "Reports      1",
        "Users        1",
        "Assignee     Admin",
        "Culprit      POST /orders",
        "Release      shop@1.4.0",
        "Environment  production",
        "Server       till-1",
        "Request      POST https://shop.example.com/orders",
        "User         ada",
      ]) {
        expect(stdout.split("\n")).toContain(line)
      }
      expect(stdout).toMatch(/\nResolved {5}\S.* by Admin\n/)
      expect(stdout).toContain(
        [
          "    at pay (shop.js:12:3)",
          "        throw new PaymentError(order)",
          "    … 2 library frames",
          "Caused by SyntaxError: not JSON",
          "    at parse",
          "",
        ].join("\n"),
      )
      expect((yield* cli(["groups", "get", id, "-p", "Detail", "--json"])).stdout).toBe(
        `${yield* wire(server, `/projects/${project}/groups/${id}`)}\n`,
      )
    }),
  )
})

layer(TestServer.layer, { excludeTestServices: true })("errata reports", (it) => {
  it.effect("lists reports, and shows one by its event, by its id, or as the last of its group", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const event = "0123456789abcdef0123456789abcdef"
      const { id: project } = yield* projectWith("Reports", [detailed, { ...detailed, event_id: event }])
      const [group] = yield* groupsOf(project)
      const id = String(group!.id)
      const env = { ERRATA_PROJECT: "Reports" }
      const list = yield* cli(["reports", "list", id], { env })
      expect(list.stdout.trim().split("\n")).toHaveLength(3)
      expect((yield* cli(["reports", "list", id, "--json"], { env })).stdout).toBe(
        `${yield* wire(server, `/projects/${project}/groups/${id}/reports`)}\n`,
      )
      const json = yield* wire(server, `/projects/${project}/reports/${event}`)
      const report = String(JSON.parse(json).id)
      for (const args of [[event], [event.toUpperCase()], [report, "--group", id], ["-g", id, event]]) {
        expect((yield* cli(["reports", "get", ...args, "--json"], { env })).stdout).toBe(`${json}\n`)
      }
      const last = yield* cli(["reports", "get", "--group", id], { env })
      expect(last.stdout).toContain(
        [
          "STACK",
          "PaymentError: Order could not be paid",
          "Try again �[31mlater",
          "    at pay (shop.js:12:3)",
          "        throw new PaymentError(order)",
          "    at next (express/router.js:9)",
          "    at emit (node:internal/http)",
          "Caused by SyntaxError: not JSON",
          "    at parse",
          "",
          "TAGS",
          "browser  Firefox",
          "",
          "BREADCRUMBS",
          "22:13:20  http  GET /cart",
        ].join("\n"),
      )
      expect((yield* cli(["reports", "get", report], { env })).code).toBe(2)
      expect((yield* cli(["reports", "get", "f".repeat(32)], { env })).code).toBe(4)
    }),
  )
})

layer(TestServer.layer, { excludeTestServices: true })("errata notes", (it) => {
  it.effect("writes them from words or from standard input, lists and deletes them", () =>
    Effect.gen(function* () {
      const { ids, project } = yield* given("Notes", ["AError"])
      const env = { ERRATA_PROJECT: String(project) }
      const group = String(ids[0])
      expect((yield* cli(["notes", "list", group], { env })).stderr).toBe("No notes.\n")
      const written = yield* cli(["notes", "create", group, "seen", "at", "the", "till"], { env })
      expect(written.stderr).toMatch(new RegExp(`^Wrote note \\d+ on group ${group}\\.\n$`))
      const piped = yield* cli(["notes", "create", group, "--json"], { env, input: "two\nlines\n" })
      expect(JSON.parse(piped.stdout)).toMatchObject({ content: "two\nlines", automated: false })
      const list = yield* cli(["notes", "list", group], { env })
      expect(list.stdout).toMatch(
        /^ID {2}BY +NOTE +WRITTEN\n *\d+ {2}Admin {2}two lines +\S.*\n *\d+ {2}Admin {2}seen at the till +\S.*\n$/,
      )
      const id = String(JSON.parse(piped.stdout).id)
      expect((yield* cli(["notes", "delete", group, id], { env })).stderr).toBe(`Deleted note ${id}.\n`)
      expect((yield* cli(["notes", "list", group], { env })).stdout).not.toContain("two lines")
      expect((yield* cli(["notes", "delete", group, id], { env })).code).toBe(4)
      expect((yield* cli(["notes", "create", group], { env, input: "\n" })).code).toBe(5)
    }),
  )
})
