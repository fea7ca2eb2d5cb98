import { Duration } from "effect"
import { BoundedCache } from "./BoundedCache.js"

/** Answers that hold for some time. */
export class Remembered<K> {
  private readonly answers = new BoundedCache<K, { readonly answer: boolean; readonly until: number }>(10_000)
  private readonly life: number

  constructor(life: Duration.Duration) {
    this.life = Duration.toMillis(life)
  }

  get(key: K, now: number): boolean | undefined {
    const known = this.answers.get(key)
    return known !== undefined && known.until >= now ? known.answer : undefined
  }

  set(key: K, answer: boolean, now: number): void {
    this.answers.set(key, { answer, until: now + this.life })
  }
}
