// A process that crashes with an error, or with `read`, one that finds the error. Usage: crash.mjs URL [read]
import assert from "node:assert/strict"
import { setTimeout as pause } from "node:timers/promises"
import { createErrata } from "errata"
import { postgres } from "errata/postgres"

const [url, read] = process.argv.slice(2)
const errata = await createErrata({ storage: postgres({ url }) })
if (read === undefined) {
  errata.installProcessHandlers()
  throw new RangeError("crashed")
}
let groups = []
for (let tries = 0; groups.length === 0 && tries < 600; tries++) {
  await pause(50)
  groups = (await errata.groups.list(errata.project.id)).groups
}
await errata.close()
assert.deepEqual(
  groups.map(({ error_message }) => error_message),
  ["crashed"],
)
