import { Effect, Queue } from "effect"

/** Tells the recorders of this node that there is work, so that they need not poll for what came in here. */
export class RecorderSignal extends Effect.Service<RecorderSignal>()("@errata/core/ingest/RecorderSignal", {
  effect: Effect.gen(function* () {
    // One pending signal is enough: a recorder that wakes up empties the queue of payloads.
    const signals = yield* Queue.sliding<void>(1)
    return {
      raise: Effect.asVoid(Queue.offer(signals, undefined)),
      await: Queue.take(signals),
    }
  }),
}) {}
