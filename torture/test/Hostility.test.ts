/** Senders that are broken, hostile, or many at once. */
import { mistreat } from "./support/Mistreat.js"

mistreat({
  mutations: "postgres",
  races: "postgres",
  "slow senders": "postgres",
  "keyless bodies": "postgres",
  "large envelopes": "postgres",
  bombs: "postgres",
})
