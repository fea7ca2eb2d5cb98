/** Renews the subscription of rules to events, and forgets states that no longer matter. */
import { DateTime, Effect } from "effect"
import { inSteps } from "../background/Job.js"
import * as AlertEvents from "./AlertEvents.js"
import { AlertStore } from "./AlertStore.js"

/** Deletes states that are older than every period, in short steps. Returns their number. */
export const expire = Effect.gen(function* () {
  const alerts = yield* AlertStore
  yield* AlertEvents.subscribe
  const before = DateTime.subtract(yield* DateTime.now, { days: longestPeriodDays })
  return yield* inSteps(alerts.forgetStates(before, batchSize), batchSize)
}).pipe(Effect.withSpan("AlertStateJob.expire"))

/** The job, as `Job` describes it. */
export const job = {
  name: "forget-alert-states",
  run: expire,
}

// internal

const batchSize = 1_000

/** More than the longest period of a rule. */
const longestPeriodDays = 8
