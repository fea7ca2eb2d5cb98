/**
 * State that transactions change. What the one open transaction has written lies over what is committed: its own
 * reads see it, others' do not, committing costs what was written, and rolling back forgets it.
 */

/** The open transaction of a storage; there is one at a time. */
export class Transaction {
  private readonly parts: Array<Written> = []
  /** Set at the end. A fiber that outlives the transaction it was forked in reads and writes on its own. */
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

/** Who reads: the open transaction, or null for everyone else. */
export type Reader = Transaction | null

/** A part of the state. Most are never written by most transactions, so nothing is kept ready for them. */
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
