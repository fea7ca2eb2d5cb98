/** Processes, databases and disks that fail. */
import { mistreat } from "./support/Mistreat.js"

mistreat({
  kills: "embedded",
  "crash loop": "postgres",
  "graceful stops": "postgres",
  "database away": "postgres",
  "disk full": "embedded",
  "mapping kills": "postgres",
})
