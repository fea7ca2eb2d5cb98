import { Context, Effect, Layer, Queue } from "effect"

/** Tells the recorders of this node that there is work, so that they need not poll for what came in here. */
export class RecorderSignal extends Context.Service<RecorderSignal>()("@errata/core/ingest/RecorderSignal", {
  make: Effect.gen(function* () {
    // One pending signal is enough: a recorder that wakes up empties the queue of payloads.
    const signals = yield* Queue.sliding<void>(1)
    return {
      raise: Effect.asVoid(Queue.offer(signals, undefined)),
      await: Queue.take(signals),
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}
