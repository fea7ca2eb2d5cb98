/** Entry point of the engine's thread. The build turns it into the text in `ThreadText`. */
import { parentPort } from "node:worker_threads"
import { type Job, revivedJob, run, tablesOfMap } from "./Job.js"

const port = parentPort!
port.on("message", (job: Job) => {
  const answer = run(revivedJob(job))
  // Transferred, not copied: a copy of the largest map takes 100 MB, and so does its serialized form.
  port.postMessage(answer, tablesOfMap(answer))
})
