/**
 * Transactional state. Writes of the open transaction are kept apart from the committed state until it commits. Only
 * its own reads see them. A commit costs as much as was written; a rollback discards the writes.
 */

/** The open transaction of a storage. At most one is open at a time. */
export class Transaction {
  private readonly parts: Array<Written> = []
  /** Set at the end. A fiber that outlives its transaction reads and writes without it. */
  ended = false

  touch(part: Written): void {
    this.parts.push(part)
  }

  commit(): void {
    for (const part of this.parts) part.commit()
    this.ended = true
  }

  rollback(): void {
    for (const part of this.parts) part.rollback()
    this.ended = true
  }
}

/** The open transaction, or null for readers outside of it. */
export type Reader = Transaction | null

/** A part of the state. Allocates its pending map on the first write: most transactions write few parts. */
export abstract class Part<K, V> implements Written {
  protected pending: Map<K, V> | null = null

  protected abstract apply(pending: ReadonlyMap<K, V>): void

  protected write(transaction: Transaction, key: K, value: V): void {
    if (this.pending === null) {
      this.pending = new Map()
      transaction.touch(this)
    }
    this.pending.set(key, value)
  }

  protected seenBy(reader: Reader): ReadonlyMap<K, V> | null {
    return reader === null ? null : this.pending
  }

  commit(): void {
    if (this.pending !== null) this.apply(this.pending)
    this.pending = null
  }

  rollback(): void {
    this.pending = null
  }
}

// internal

interface Written {
  commit(): void
  rollback(): void
}
