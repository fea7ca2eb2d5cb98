/** Limits how many equal errors a process reports within a second. */

export class Repeats {
  private readonly counts = new Map<string, number>()
  private since = Number.NEGATIVE_INFINITY

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
  ) {}

  /** Counts an error, and returns true if the second has too many of its kind. */
  isTooMany(kind: string): boolean {
    if (this.limit === Number.POSITIVE_INFINITY) return false
    const now = this.now()
    if (Math.abs(now - this.since) >= windowMillis || this.counts.size >= maxKinds) {
      this.counts.clear()
      this.since = now
    }
    const key = kind.slice(0, maxKindLength)
    const count = (this.counts.get(key) ?? 0) + 1
    this.counts.set(key, count)
    return count > this.limit
  }
}

// internal

const windowMillis = 1_000
const maxKinds = 1_000
const maxKindLength = 1_000
