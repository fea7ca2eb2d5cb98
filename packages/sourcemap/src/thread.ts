/** The script of the engine's thread. A build makes it one text, which `ThreadText` carries. */
import { parentPort } from "node:worker_threads"
import { type Job, revivedJob, run } from "./Job.js"

const port = parentPort!
port.on("message", (job: Job) => port.postMessage(run(revivedJob(job))))
