import { Effect } from "effect"

/** Lets waiting I/O go first. Effect's own yield stays within a turn of the event loop. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
})
