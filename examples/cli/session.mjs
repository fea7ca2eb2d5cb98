/**
 * The command line at work: starts a server, lets a shop report a few errors to it, and goes through the commands as
 * somebody at a terminal would. `session.txt` is its recording: `node examples/cli/session.mjs > examples/cli/session.txt`.
 */
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { events } from "./events.mjs"
import { recorded } from "./recording.mjs"
import { errata, report, startServer } from "./server.mjs"

const apiKey = `errata_${randomBytes(16).toString("hex")}`
const configHome = await mkdtemp(join(tmpdir(), "errata-session-"))
const server = await startServer(apiKey)

const print = (text) => process.stdout.write(recorded(text, server.url))

/** What stands in a line as somebody types it, without quotes. */
const words = (line) =>
  Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain).filter(
    (word) => word !== "<" && word !== "key.txt",
  )

/** Types a command, shows what it answers, and where it fails with which status. */
const type = async (line) => {
  const input = line.endsWith("< key.txt") ? apiKey : ""
  print(`$ errata ${line}\n`)
  const { code, output } = await errata(words(line), { XDG_CONFIG_HOME: configHome }, input)
  print(output)
  if (code !== 0) print(`[exit status ${code}]\n`)
  print("\n")
  return output
}

const comment = (text) => print(`# ${text}\n`)

try {
  comment("Log in: the server and the key are kept for all that follows.")
  await type(`login --url ${server.url} --with-key < key.txt`)

  comment("A project for the shop, which is the one that is meant from now on.")
  await type('projects create "Tea shop" --platform node --timezone Europe/Berlin')
  await type('projects use "Tea shop"')
  const dsn = (await type("projects dsn")).trim()

  comment("The shop runs with this DSN and reports its errors. What went wrong?")
  await report(dsn, events, async () => {
    const { output } = await errata(["projects", "get", "--json"], { XDG_CONFIG_HOME: configHome })
    return JSON.parse(output).reports_count
  })
  await type("groups list")
  await type("groups list is:unresolved environment:production PaymentError")
  await type("groups get 2")
  await type("reports list 2")
  await type(`reports get ${events[1].event_id}`)

  comment("Decide about it.")
  await type("groups assign 2 admin@localhost")
  await type('notes create 2 "The provider is being repaired until Friday."')
  await type("groups mute 2 --until 7d")
  await type("groups resolve 1 3")
  await type("groups unresolve 3")
  await type("groups merge 1 3")
  await type("groups get 3")
  await type("groups merges 1")
  await type("notes list 2")
  await type("groups list --status all")
  await type("groups unmute 2")
  await type("groups unassign 2")

  comment("For programs: the API's own JSON, and a status for each kind of failure.")
  await type("groups resolve 1 2 --json")
  await type("projects list --json")
  await type("groups get 999")
  await type("groups mute 1 --until yesterday")
  await type("groups lsit")

  comment("Who works on it, and who is told.")
  await type("members add admin@localhost")
  await type("members list")
  await type(
    "webhooks create https://hooks.example.com/errata --event group.created --event group.unresolved",
  )
  await type("webhooks update 1 --enabled false")
  await type("webhooks list")
  await type("deliveries list 1")
  await type("webhooks delete 1")
  await type("origins create https://cdn.example.com")
  await type("origins create https://127.0.0.1/maps")
  await type("origins list")
  await type('apps create Shop --project "Tea shop"')
  await type("apps list")

  comment("The instance.")
  await type("users list")
  await type("users set-role admin@localhost member")
  await type("policies set error-retention enabled=true retention_period_days=30")
  await type("policies get hosted-sourcemaps")

  comment("The project: quiet for a while, then gone.")
  await type("projects mute --until 2999-01-01")
  await type("projects settings --error-and-fatal-only true")
  await type("projects unmute")
  await type('projects delete "Tea shop"')
  await type('projects delete "Tea shop" --yes')
  await type("logout")
  await type("projects list")
} finally {
  await server.stop()
  await rm(configHome, { recursive: true })
}
