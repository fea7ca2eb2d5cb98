/** Senders that are broken, hostile, or many at once. Limits of time and size have tests with the HTTP server and the command. */
import { mistreat } from "./support/Mistreat.js"

mistreat({
  mutations: "postgres",
  races: "postgres",
  "keyless bodies": "postgres",
  bombs: "postgres",
})
