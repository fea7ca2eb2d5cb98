/** A script that reports an error and ends, without `close`: `unclosed.mjs STORAGE`. */
import { embedded } from "../../src/embedded.js"
import { createErrata, memory } from "../../src/index.js"
import { postgres } from "../../src/postgres.js"

const [place = ""] = process.argv.slice(2)
const errata = await createErrata({
  log: "silent",
  storage:
    place === "memory"
      ? memory()
      : place.startsWith("postgres")
        ? postgres({ url: place })
        : embedded({ dir: place }),
})
await errata.capture(new Error("a"))
await errata.flush({ timeout: 30_000 })
const { groups } = await errata.groups.list(errata.project.id)
process.stdout.write(groups.map(({ error_message }) => error_message).join())
// The script does not await it, but the process must.
void errata.capture(new Error("b"), { fingerprint: ["b"] })
