/**
 * The main commands as users see them. A transcript that differs fails the test. After an intended change, review the
 * output of `npx vitest run packages/cli/test/Transcripts.test.ts -u`.
 */
import { describe, expect, it, layer } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { freshDatabase } from "../../storage-postgres/test/support/database.js"
import { type CliOptions, configHome, errata, type Outcome, reach } from "./api/support/Cli.js"
import { record, TestServer } from "./api/support/TestServer.js"
import { createProject, eventually, get, type Project } from "./support/Rest.js"
import * as Server from "./support/Server.js"

/** Keys, times, addresses and folders differ from run to run. */
const placeholders: ReadonlyArray<readonly [RegExp, string]> = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIMESTAMP"],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "DATE TIME UTC"],
  [/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT"],
  [/\bport=\d+/g, "port=PORT"],
  [/errata_[0-9a-f]{32,64}/g, "errata_KEY"],
  [/errata-link_[\w-]+/g, "errata-link_TOKEN"],
  [/v2:[0-9a-f]{64}/g, "v2:HASH"],
  [/\/\/[0-9a-f]{32}@/g, "//TOKEN@"],
  [/sentry_key=[0-9a-f]{32}/g, "sentry_key=TOKEN"],
  [/\b[0-9a-f]{32}\b/g, "EVENT_ID"],
  [/\S+\/errata-profile-\w+/g, "~/.config"],
  [/(?:\b\d+[sm] ago|just now)/g, "AGE"],
]

const masked = (text: string): string =>
  placeholders
    .reduce((replaced, [pattern, name]) => replaced.replaceAll(pattern, name), text)
    .replaceAll(process.cwd(), "/srv/errata")

const compare = (name: string, text: string) =>
  Effect.promise(() => expect(masked(text)).toMatchFileSnapshot(`./transcripts/${name}.txt`))

const transcript = (args: ReadonlyArray<string>, { code, stderr, stdout }: Outcome): string =>
  [`$ errata ${args.join(" ")}\n`, stdout, stderr, code === 0 ? "" : `[exit status ${code}]\n`].join("")

const paymentEvent = "0123456789abcdef0123456789abcdef"

const hoursAgo = (hours: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.subtract(now, { hours, minutes: 30 })))

/** Four groups of a shop, from six reports of different ages; the oldest is sent first. */
const shopErrors = Effect.gen(function* () {
  const failure = (hours: number, type: string, value: string, frames: ReadonlyArray<object>, more = {}) =>
    Effect.map(hoursAgo(hours), (timestamp) => ({
      timestamp,
      platform: "node",
      environment: "production",
      release: "shop@1.4.0",
      server_name: "web-1",
      exception: { values: [{ type, value, stacktrace: { frames } }] },
      ...more,
    }))
  const frame = (filename: string, functionName: string, lineno: number, line: string) => ({
    filename,
    function: functionName,
    lineno,
    colno: 9,
    in_app: true,
    pre_context: ["", "  // The line before"],
    context_line: line,
    post_context: ["}"],
  })
  const checkout = frame("src/checkout.js", "checkout", 48, "  return pay(total(cart))")
  const total = frame("src/cart.js", "total", 17, "  return cart.items[0].price * quantity")
  const pay = frame("src/payment.js", "pay", 90, "  throw new PaymentError(response)")
  const undefinedPrice = "Cannot read properties of undefined (reading 'price')"
  const refusedPayment =
    "The payment provider responded with 502 Bad Gateway for order 1001, and again after three attempts"
  return yield* Effect.all([
    failure(
      240,
      "KeyError",
      "'currency'",
      [frame("shop/prices.py", "convert", 8, "rate = rates[currency]")],
      {
        platform: "python",
      },
    ),
    failure(75, "TypeError", undefinedPrice, [checkout, total]),
    failure(50, "RangeError", "Invalid time value", [frame("src/day.js", "closeDay", 3, "x")], {
      level: "fatal",
    }),
    failure(30, "TypeError", undefinedPrice, [checkout, total]),
    failure(5, "PaymentError", refusedPayment, [checkout, pay], {
      level: "warning",
      request: { method: "POST", url: "https://shop.example.com/checkout" },
      user: { id: "17", username: "ada" },
      tags: { plan: "pro" },
      event_id: paymentEvent,
    }),
    failure(2, "TypeError", undefinedPrice, [checkout, total]),
  ])
})

layer(TestServer.layer, { excludeTestServices: true })("over the API", (it) => {
  const run = (name: string, args: ReadonlyArray<string>, options: CliOptions = {}) =>
    Effect.gen(function* () {
      const env = { ...reach(yield* TestServer), ...options.env }
      yield* compare(name, transcript(args, yield* errata(args, { ...options, env })))
    })

  it.effect("signs in", () =>
    Effect.gen(function* () {
      const { apiKey, url } = yield* TestServer
      const home = { XDG_CONFIG_HOME: yield* configHome }
      const args = ["login", "--url", url, "--with-key"]
      const input = `${apiKey}\n`
      yield* compare("login", transcript(args, yield* errata(args, { env: home, input })))
    }),
  )

  it.effect("shows the errors of the only project, and of one of two", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { projects } = yield* get<{ readonly projects: ReadonlyArray<Project> }>(server, "/projects")
      yield* run("groups-list-empty", ["groups", "list"], { width: 80 })
      yield* record(projects[0]!, yield* shopErrors)
      for (const width of [80, 120]) yield* run(`groups-list-${width}`, ["groups", "list"], { width })
      for (const width of [80, 120]) yield* run(`reports-list-${width}`, ["reports", "list", "4"], { width })
      yield* run("groups-list-nothing", ["groups", "list", "is:resolved"], { width: 80 })
      yield* run("groups-get", ["groups", "get", "2"], { width: 80 })
      yield* run("groups-resolve", ["groups", "resolve", "1", "3"])
      yield* run("reports-get", ["reports", "get", paymentEvent], { width: 80 })
      yield* createProject(server, "Warehouse")
      yield* run("groups-list-two-projects", ["groups", "list", "-p", "1"], { width: 80 })
      yield* run("projects-list", ["projects", "list"], { width: 80 })
    }),
  )

  it.effect("reports a command that is wrong", () =>
    Effect.gen(function* () {
      yield* run("groups-get-unknown", ["groups", "get", "999", "--project", "1"])
      yield* run("no-key", ["groups", "list"], { env: { ERRATA_API_KEY: "" } })
    }),
  )
})

describe("on the host of a server", () => {
  it.live("prints the first start", () =>
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"], {
        ERRATA_ADMIN_API_KEY: "",
        ERRATA_ENCRYPTION_KEY: "",
      })
      yield* compare("first-start", `$ errata serve --storage memory\n${server.stderr()}${server.stdout()}`)
    }),
  )

  it.live("prints the status of a healthy, a failing and a stopped server", () =>
    Effect.gen(function* () {
      // More free space than any disk has.
      const server = yield* Server.start(["--database-url", Redacted.value(yield* freshDatabase)], {
        ERRATA_POLICIES_INGEST_PROTECTION_DISK_PROTECTION_ENABLED: "true",
        ERRATA_DATABASE_DISK_PATH: "/",
      })
      const status = errata(["status"], {
        env: { ...reach(server), ERRATA_PORT: new URL(server.url).port },
        width: 80,
      })
      const compareStatus = (name: string, code: number, lines: RegExp) =>
        Effect.flatMap(
          eventually(status, (outcome) => outcome.code === code && lines.test(outcome.stdout)),
          (outcome) => compare(name, transcript(["status"], outcome)),
        )
      yield* compareStatus("status-healthy", 0, /ok/)
      const floor = ["policies", "set", "ingest-protection", "minimum_free_disk_space_mb=10000000"]
      expect((yield* errata(floor, { env: reach(server) })).code).toBe(0)
      // The server evaluates its readiness every few seconds, so it may report the disk before it stops being ready.
      yield* compareStatus("status-failing", 1, /ready_failing[\s\S]*intake_paused_disk/)
      yield* Effect.promise(() => server.end("SIGTERM"))
      yield* compareStatus("status-stopped", 1, /server_stopped/)
    }),
  )

  it.effect("prints help", () =>
    Effect.gen(function* () {
      yield* compare("help", transcript(["--help"], yield* errata(["--help"])))
    }),
  )
})
