import { Effect } from "effect"
import { setImmediate } from "./RealTimers.js"

/** Lets waiting I/O go first. Effect's own yield stays within a turn of the event loop. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})
