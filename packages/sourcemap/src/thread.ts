/** The script of the engine's thread. A build makes it one text, which `ThreadText` carries. */
import { parentPort } from "node:worker_threads"
import { type Job, revivedJob, run, tablesOfMap } from "./Job.js"

const port = parentPort!
port.on("message", (job: Job) => {
  const answer = run(revivedJob(job))
  // A copy of the largest map takes 100 MB, and so does the form in which it is sent.
  port.postMessage(answer, tablesOfMap(answer))
})
