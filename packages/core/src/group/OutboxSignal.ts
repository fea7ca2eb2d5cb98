import { Context, Effect, Layer, Queue } from "effect"

interface OutboxSignalService {
  readonly raise: Effect.Effect<void>
  readonly await: Effect.Effect<void>
}

/**
 * Wakes this node's dispatcher after a commit with new events, so that it need not poll for them. Without the layer,
 * `raise` does nothing and `await` never ends.
 */
export const OutboxSignal = Context.Reference("@errata/core/group/OutboxSignal", {
  defaultValue: (): OutboxSignalService => ({ raise: Effect.void, await: Effect.never }),
})

export const layer: Layer.Layer<never> = Layer.effect(
  OutboxSignal,
  // One pending signal is enough: a woken dispatcher processes all events.
  Effect.map(Queue.sliding<void>(1), (signals) => ({
    raise: Effect.asVoid(Queue.offer(signals, undefined)),
    await: Queue.take(signals),
  })),
)
