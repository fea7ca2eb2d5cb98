import { Duration, Effect } from "effect"

/** Time of the processor that an event may take, of which waiting for others is no part. */
export class WorkTime {
  /** Whether something was left undone. */
  isCut = false
  private spent = 0
  private readonly most: number

  constructor(most: Duration.Duration) {
    this.most = Duration.toMillis(most)
  }

  readonly isOver = (): boolean => this.spent >= this.most

  work<A>(f: () => A): A {
    const began = performance.now()
    const result = f()
    this.spent += performance.now() - began
    return result
  }

  /** Of what waits as well: its work is most of it, and its waiting is bounded. */
  measured<A>(effect: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      const began = performance.now()
      return Effect.tap(effect, () =>
        Effect.sync(() => {
          this.spent += performance.now() - began
        }),
      )
    })
  }
}
