/**
 * Demonstrates the command line: starts a server, reports errors and runs commands. Record it with
 * `node examples/cli/session.mjs > examples/cli/session.txt`.
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

/** Splits a command line into words without quotes. */
const words = (line) =>
  Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain).filter(
    (word) => word !== "<" && word !== "key.txt",
  )

/** Runs a command and prints its output, and its exit status if it fails. */
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
  comment("Log in. The server and the API key are stored for the next commands.")
  await type(`login --url ${server.url} --with-key < key.txt`)

  comment("Create a project for the shop and make it the default.")
  await type('projects create "Tea shop" --platform node --timezone Europe/Berlin')
  await type('projects use "Tea shop"')
  const dsn = (await type("projects dsn")).trim()

  comment("The shop runs with this DSN and reports errors. Find out what went wrong.")
  await report(dsn, events, async () => {
    const { output } = await errata(["projects", "get", "--json"], { XDG_CONFIG_HOME: configHome })
    return JSON.parse(output).reports_count
  })
  await type("groups list")
  await type("groups list is:unresolved environment:production PaymentError")
  await type("groups get 2")
  await type("reports list 2")
  await type(`reports get ${events[1].event_id}`)

  comment("Assign, comment, mute, resolve and merge.")
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

  comment("For scripts: the JSON of the API, and an exit status for each kind of failure.")
  await type("groups resolve 1 2 --json")
  await type("projects list --json")
  await type("groups get 999")
  await type("groups mute 1 --until yesterday")
  await type("groups lsit")

  comment("Manage members, webhooks, source map origins and apps.")
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

  comment("Manage the instance.")
  await type("users list")
  await type("users set-role admin@localhost member")
  await type("policies set error-retention enabled=true retention_period_days=30")
  await type("policies get hosted-sourcemaps")

  comment("Mute the project, then delete it.")
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
