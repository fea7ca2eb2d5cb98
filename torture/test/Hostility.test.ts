/** Broken, hostile and numerous senders. Tests of the HTTP server and the command cover limits of time and size. */
import { mistreat } from "./support/Mistreat.js"

mistreat({
  mutations: "postgres",
  races: "postgres",
  "keyless bodies": "postgres",
  bombs: "postgres",
})
