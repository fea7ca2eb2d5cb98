import { Duration } from "effect"
import { BoundedCache } from "./BoundedCache.js"

/** A cache of answers that expire. */
export class Remembered<K, A = boolean> {
  private readonly answers = new BoundedCache<K, { readonly answer: A; readonly until: number }>(10_000)
  private readonly life: number

  constructor(life: Duration.Duration) {
    this.life = Duration.toMillis(life)
  }

  get(key: K, now: number): A | undefined {
    const known = this.answers.get(key)
    return known !== undefined && known.until >= now ? known.answer : undefined
  }

  /** An answer that takes much memory has a larger weight. */
  set(key: K, answer: A, now: number, weight = 1): void {
    this.answers.set(key, { answer, until: now + this.life }, weight)
  }
}
