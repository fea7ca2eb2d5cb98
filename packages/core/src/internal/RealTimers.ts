/** The timers of Node. Test runners replace the global ones with timers that stand still until a test advances them. */
import * as timers from "node:timers"
import { Scheduler } from "effect"

// Copies, because test runners also replace the members of the module.
export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = timers

const { clearImmediate } = timers

/** Runs fibers without the global timers. */
export const scheduler: Scheduler.Scheduler = new Scheduler.MixedScheduler("async", (work) => {
  const immediate = setImmediate(work)
  return () => clearImmediate(immediate)
})
