/** An LRU cache with a maximum total weight. */

export class BoundedCache<K, V> {
  // From least to most recently used: a map keeps the order of insertion.
  private readonly entries = new Map<K, { readonly value: V; readonly weight: number }>()
  private total = 0

  constructor(private readonly capacity: number) {}

  /** Total weight of the entries. */
  get weight(): number {
    return this.total
  }

  get(key: K): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  /** An entry heavier than the capacity is not stored. */
  set(key: K, value: V, weight = 1): void {
    this.delete(key)
    if (weight > this.capacity) return
    this.entries.set(key, { value, weight })
    this.total += weight
    for (const oldest of this.entries.keys()) {
      if (this.total <= this.capacity) break
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.total -= entry.weight
  }
}
