/** A program with an instance from start to end. Prints what the instance left behind in the process. */
import { createErrata, memory } from "../../src/index.js"

const signals: ReadonlyArray<NodeJS.Signals> = ["SIGINT", "SIGTERM", "SIGHUP"]
const listeners = () => [
  ...signals.map((name) => process.listenerCount(name)),
  process.listenerCount("exit"),
  process.listenerCount("beforeExit"),
  process.listenerCount("uncaughtException"),
  process.listenerCount("unhandledRejection"),
]

const before = listeners()
const errata = await createErrata({ storage: memory() })
const eventId = await errata.capture(new Error("a"))
await errata.flush()
if (process.argv.includes("--tell")) process.stderr.write("captured\n")
const report = await errata.reports.findByEventId(errata.project.id, eventId)
const during = listeners()
await errata.close()
// Interrupted fibers may have a turn left. The end of the process shows other remains.
await new Promise((resolve) => setTimeout(resolve, 0))
await new Promise((resolve) => setImmediate(resolve))
const resources = process.getActiveResourcesInfo().filter((name) => !/Wrap$/.test(name))
process.stdout.write(
  JSON.stringify({ before, during, after: listeners(), resources, found: report.error_message }),
)
