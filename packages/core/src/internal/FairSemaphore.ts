import { Effect, PartitionedSemaphore, Scope, Semaphore } from "effect"

/** A semaphore for which keys take turns. No key holds more permits than its share. */
export interface FairSemaphore<K> {
  /** Takes a permit until the scope closes. */
  readonly take: (key: K) => Effect.Effect<void, never, Scope.Scope>
  /** Runs an effect that holds a permit. */
  readonly withPermit: (key: K) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeUnsafe = <K>(options: {
  readonly permits: number
  readonly perKey: number
}): FairSemaphore<K> => {
  const all = PartitionedSemaphore.makeUnsafe<K>({ permits: options.permits })
  // Of the keys that hold or await a permit.
  const shares = new Map<K, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  const shareOf = (key: K) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const share = shares.get(key) ?? { semaphore: Semaphore.makeUnsafe(options.perKey), users: 0 }
        share.users++
        shares.set(key, share)
        return share
      }),
      (share) =>
        Effect.sync(() => {
          if (--share.users === 0) shares.delete(key)
        }),
    )

  // A key takes a permit of its share first, so that it never holds a common permit while it waits.
  const take: FairSemaphore<K>["take"] = (key) =>
    Effect.gen(function* () {
      const { semaphore } = yield* shareOf(key)
      yield* semaphore.takeScoped(1)
      yield* Effect.acquireRelease(all.take(key, 1), () => all.release(1), { interruptible: true })
    })

  return {
    take,
    withPermit: (key) => (effect) =>
      Effect.scopedWith((scope) => Effect.andThen(Scope.provide(take(key), scope), effect)),
  }
}
