/**
 * Permits that are given by turns to those who wait for them: whoever asks for many at once waits behind themselves and
 * not before others, and never holds more than a share.
 */
import { Effect } from "effect"

export class FairPermits<Holder> {
  private free: number
  private readonly held = new Map<Holder, number>()
  // In the order of the turns.
  private readonly waiting = new Map<Holder, Array<() => void>>()

  constructor(
    permits: number,
    private readonly maxHeld: number,
  ) {
    this.free = permits
  }

  /** Runs an effect while holding a permit. */
  readonly withPermit =
    (holder: Holder) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(this.acquire(holder)), () =>
          Effect.ensuring(
            restore(effect),
            Effect.sync(() => this.release(holder)),
          ),
        ),
      )

  private acquire(holder: Holder): Effect.Effect<void> {
    return Effect.callback((resume) => {
      let isGranted = false
      const grant = () => {
        isGranted = true
        resume(Effect.void)
      }
      const queue = this.waiting.get(holder)
      if (queue === undefined) this.waiting.set(holder, [grant])
      else queue.push(grant)
      this.grantNext()
      return Effect.sync(() => {
        if (isGranted) this.release(holder)
        else this.leave(holder, grant)
      })
    })
  }

  private grantNext(): void {
    for (const [holder, queue] of this.waiting) {
      if (this.free === 0) return
      const held = this.held.get(holder) ?? 0
      if (held >= this.maxHeld) continue
      const grant = queue.shift()!
      // To the end of the turns.
      this.waiting.delete(holder)
      if (queue.length > 0) this.waiting.set(holder, queue)
      this.held.set(holder, held + 1)
      this.free--
      grant()
    }
  }

  private release(holder: Holder): void {
    const held = this.held.get(holder)! - 1
    if (held === 0) this.held.delete(holder)
    else this.held.set(holder, held)
    this.free++
    this.grantNext()
  }

  private leave(holder: Holder, grant: () => void): void {
    const queue = this.waiting.get(holder)!
    queue.splice(queue.indexOf(grant), 1)
    if (queue.length === 0) this.waiting.delete(holder)
  }
}
