/** A node that only listens, until it is killed: `listener.mjs URL PROJECT QUEUE`. Prints the events. */
import { createErrata } from "../../src/index.js"
import { postgres } from "../../src/postgres.js"

const [url = "", project = "", queue = ""] = process.argv.slice(2)
const errata = await createErrata({ log: "silent", project, storage: postgres({ url }) })
const say = (text: string) => void process.stdout.write(`${text}\n`)
errata.on("group.created", ({ group }) => say(`every ${group.error_message}`))
errata.on(
  "group.created",
  async ({ group }) => {
    say(`queue ${group.error_message}`)
    await new Promise(() => {})
  },
  { queue },
)
await errata.flush({ timeout: 60_000 })
say("ready")
setInterval(() => {}, 60_000)
