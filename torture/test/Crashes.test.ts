/** Process and disk failures. The command's tests cover kills, stops and database outages. */
import { mistreat } from "./support/Mistreat.js"

mistreat({
  "crash loop": "postgres",
  "disk full": "embedded",
})
