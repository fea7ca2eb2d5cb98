/** `npm run torture`: injects faults into a server and reports which invariants held. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { EmbeddedPostgres } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import * as Cleanup from "./lib/Cleanup.js"
import * as Samples from "./lib/Samples.js"
import * as Run from "./Run.js"
import { figures, scenarios } from "./Scenarios.js"
import * as Table from "./Table.js"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    bin: { type: "string", default: process.env.ERRATA_TORTURE_BIN ?? "" },
    only: { type: "string", multiple: true, default: [] },
    storage: { type: "string", default: "" },
    short: { type: "boolean", default: false },
    figures: { type: "boolean", default: false },
  },
})

const cleanup = Cleanup.make()
const minutes = Number(values.minutes)
const firstSeed = Number(values.seed)
if (!Number.isFinite(minutes) || minutes <= 0 || minutes > 24 * 60 || !Number.isInteger(firstSeed)) {
  throw new Error("--minutes takes a number up to 1440, --seed a whole number")
}

let stopping = false
let stoppedAt = 0
const stop = async () => {
  // A second Ctrl-C ends at once. npm passes the first one on, so it arrives twice.
  if (stopping) {
    if (performance.now() - stoppedAt > 2_000) process.exit(130)
    return
  }
  stopping = true
  stoppedAt = performance.now()
  process.stderr.write("\nStopping what was started\n")
  await cleanup.close()
  process.exit(130)
}
process.on("SIGINT", () => void stop())
process.on("SIGTERM", () => void stop())

/** `DATABASE_URL`, or a temporary server with the durability of a production server, started on first use. */
let server: Promise<string> | undefined
const databaseServer = () => {
  server ??=
    process.env.DATABASE_URL === undefined ? startServer() : Promise.resolve(process.env.DATABASE_URL)
  return server
}
const startServer = async () => {
  const folder = await mkdtemp(join(tmpdir(), "errata-torture-server-"))
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const scope = Effect.runSync(Scope.make())
  cleanup.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { superuserUrl } = await EmbeddedPostgres.make({ dataDir: join(folder, "data"), durable: true }).pipe(
    Scope.provide(scope),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.runPromise,
  )
  return Redacted.value(superuserUrl)
}

const chosen = [...scenarios, ...(values.figures || values.only.length > 0 ? figures : [])].filter(
  ({ isFigure, name }) =>
    (values.only.length === 0 && (!values.figures || isFigure)) || values.only.includes(name),
)
if (chosen.length === 0)
  throw new Error(`No such scenario. There are: ${scenarios.map(({ name }) => name).join(", ")}`)

const samples = Samples.read(process.env.ERRATA_TORTURE_ROOT ?? "")
const deadline = performance.now() + minutes * 60_000
const outcomes: Array<Run.Outcome> = []
for (let seed = firstSeed; !stopping; seed++) {
  for (const scenario of chosen) {
    for (const kind of scenario.kinds) {
      if (stopping || (values.storage !== "" && kind !== values.storage)) continue
      if (seed > firstSeed && performance.now() > deadline) continue
      process.stderr.write(`${scenario.name}, ${kind}, seed ${seed} ... `)
      const outcome = await Run.one(scenario, kind, {
        bin: values.bin,
        size: values.short ? "short" : "full",
        seed,
        samples,
        databaseServer,
        cleanup,
      })
      outcomes.push(outcome)
      process.stderr.write(`${outcome.verdict} after ${outcome.seconds} s\n`)
      for (const sentence of outcome.broken) process.stderr.write(`  ${sentence}\n`)
    }
  }
  if (performance.now() > deadline) break
}
if (!stopping) {
  await cleanup.close()
  process.stdout.write(`${JSON.stringify({ seed: firstSeed, minutes, outcomes }, null, 2)}\n`)
  process.stderr.write(Table.of(outcomes))
  process.exitCode = outcomes.some(({ verdict }) => verdict === "broken") ? 1 : 0
}
