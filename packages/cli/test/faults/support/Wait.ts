/** Waits for conditions instead of sleeping. The deadline only ends tests that have failed. */
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"

const deadlineMillis = 120_000
const intervalMillis = 25

/** Repeats the check until it is true. */
export const until = (what: string, condition: () => boolean | Promise<boolean>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const end = performance.now() + deadlineMillis
    while (!(await condition())) {
      if (performance.now() > end) throw new Error(`Waited in vain: ${what}`)
      await setTimeout(intervalMillis)
    }
  })
