/** Processes and disks that fail. The tests of the command have kills, stops, and databases that are away. */
import { mistreat } from "./support/Mistreat.js"

mistreat({
  "crash loop": "postgres",
  "disk full": "embedded",
})
