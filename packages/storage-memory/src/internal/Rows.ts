import { Part, type Reader, type Transaction } from "./Transaction.js"

/** Values by key, in insertion order. */
export class Rows<K, V> extends Part<K, V | undefined> {
  private readonly committed = new Map<K, V>()

  get(reader: Reader, key: K): V | undefined {
    const pending = this.seenBy(reader)
    return pending?.has(key) ? pending.get(key) : this.committed.get(key)
  }

  has(reader: Reader, key: K): boolean {
    return this.get(reader, key) !== undefined
  }

  set(transaction: Transaction, key: K, value: V): void {
    this.write(transaction, key, value)
  }

  delete(transaction: Transaction, key: K): void {
    this.write(transaction, key, undefined)
  }

  *entries(reader: Reader): Generator<readonly [K, V]> {
    const pending = this.seenBy(reader)
    for (const entry of this.committed) {
      if (!pending?.has(entry[0])) yield entry
      else {
        const value = pending.get(entry[0])
        if (value !== undefined) yield [entry[0], value]
      }
    }
    if (pending === null) return
    for (const [key, value] of pending) {
      if (value !== undefined && !this.committed.has(key)) yield [key, value]
    }
  }

  protected apply(pending: ReadonlyMap<K, V | undefined>): void {
    for (const [key, value] of pending) {
      if (value === undefined) this.committed.delete(key)
      else this.committed.set(key, value)
    }
  }
}
