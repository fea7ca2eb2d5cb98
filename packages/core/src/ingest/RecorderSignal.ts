import { Context, Effect, Layer, Queue } from "effect"

/** Wakes the recorders of this node when it accepts payloads, without waiting for the next poll. */
export class RecorderSignal extends Context.Service<RecorderSignal>()("@errata/core/ingest/RecorderSignal", {
  make: Effect.gen(function* () {
    // One pending signal is enough: a recorder that wakes up empties the queue.
    const signals = yield* Queue.sliding<void>(1)
    return {
      raise: Effect.asVoid(Queue.offer(signals, undefined)),
      await: Queue.take(signals),
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}
