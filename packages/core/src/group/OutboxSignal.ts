import { Context, Effect, Layer, Queue } from "effect"

interface OutboxSignalService {
  readonly raise: Effect.Effect<void>
  readonly await: Effect.Effect<void>
}

/**
 * Tells this node's dispatcher that something was announced and committed, so that it need not poll for what happened here.
 * Without a layer nobody is told, and nobody waits for it.
 */
export const OutboxSignal = Context.Reference("@errata/core/group/OutboxSignal", {
  defaultValue: (): OutboxSignalService => ({ raise: Effect.void, await: Effect.never }),
})

export const layer: Layer.Layer<never> = Layer.effect(
  OutboxSignal,
  // One pending signal is enough: a dispatcher that wakes up takes all that there is.
  Effect.map(Queue.sliding<void>(1), (signals) => ({
    raise: Effect.asVoid(Queue.offer(signals, undefined)),
    await: Queue.take(signals),
  })),
)
