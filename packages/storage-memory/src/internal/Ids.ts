import { Part, type Reader, type Transaction } from "./Transaction.js"

/** A sorted set of ids, readable from any position. Appending new ids is cheapest. */
export class Ids extends Part<number, boolean> {
  private committed: Array<number> = []

  add(transaction: Transaction, id: number): void {
    this.write(transaction, id, true)
  }

  remove(transaction: Transaction, id: number): void {
    this.write(transaction, id, false)
  }

  /** Ids below `before`, or all, in descending order. */
  *descending(reader: Reader, before: number | null = null): Generator<number> {
    const ids = this.ids(reader)
    for (let i = (before === null ? ids.length : firstAtLeast(ids, before)) - 1; i >= 0; i--) yield ids[i]!
  }

  /** Ids above `after` in ascending order. */
  *ascending(reader: Reader, after = 0): Generator<number> {
    const ids = this.ids(reader)
    for (let i = firstAtLeast(ids, after + 1); i < ids.length; i++) yield ids[i]!
  }

  protected apply(pending: ReadonlyMap<number, boolean>): void {
    const added = addedIn(pending)
    const last = this.committed.at(-1) ?? 0
    if (added.length === pending.size && (added[0] ?? 0) > last) {
      for (const id of added) this.committed.push(id)
    } else {
      this.committed = merge(this.committed, pending, added)
    }
  }

  private ids(reader: Reader): ReadonlyArray<number> {
    const pending = this.seenBy(reader)
    return pending === null ? this.committed : merge(this.committed, pending, addedIn(pending))
  }
}

// internal

const addedIn = (pending: ReadonlyMap<number, boolean>): Array<number> => {
  const added: Array<number> = []
  for (const [id, present] of pending) if (present) added.push(id)
  return added.sort((a, b) => a - b)
}

const merge = (
  ids: ReadonlyArray<number>,
  pending: ReadonlyMap<number, boolean>,
  added: ReadonlyArray<number>,
): Array<number> => {
  const merged = ids.filter((id) => !pending.has(id)).concat(added)
  return merged.sort((a, b) => a - b)
}

/** Index of the first id that is at least `bound`. */
const firstAtLeast = (ids: ReadonlyArray<number>, bound: number): number => {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}
