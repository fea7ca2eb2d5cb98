import { Effect } from "effect"
import { run } from "../../src/Job.js"
import type { ReadingThread } from "../../src/ReadingThread.js"

/** Reads synchronously on the calling thread, without limits. */
export const inCaller: ReadingThread = { run: (job) => Effect.sync(() => run(job) as never) }
