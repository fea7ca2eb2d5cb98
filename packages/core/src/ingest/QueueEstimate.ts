/**
 * How much waits to be recorded, as far as a node can tell without asking: what the storage said last, and what the
 * node has accepted since. Plain numbers, because every request adds to them.
 */

export interface QueueSize {
  readonly payloads: number
  readonly bytes: number
}

export class QueueEstimate {
  /** By the storage, when it was asked last. */
  private counted: QueueSize = { payloads: 0, bytes: 0 }
  /** Written since it was asked. */
  private writtenPayloads = 0
  private writtenBytes = 0
  /** Admitted, and neither written nor given up yet. */
  private admittedPayloads = 0
  private admittedBytes = 0

  get payloads(): number {
    return this.counted.payloads + this.writtenPayloads + this.admittedPayloads
  }

  get bytes(): number {
    return this.counted.bytes + this.writtenBytes + this.admittedBytes
  }

  /** Payloads that this node has added to the last answer of the storage. */
  get added(): number {
    return this.writtenPayloads + this.admittedPayloads
  }

  admit(payloads: number, bytes: number): void {
    this.admittedPayloads += payloads
    this.admittedBytes += bytes
  }

  settle(payloads: number, bytes: number, isWritten: boolean): void {
    this.admittedPayloads -= payloads
    this.admittedBytes -= bytes
    if (!isWritten) return
    this.writtenPayloads += payloads
    this.writtenBytes += bytes
  }

  /**
   * Call it when the storage is about to be asked, and what it returns with the answer. What is written in between may
   * be counted twice until the next time: rather too much than too little.
   */
  asking(): (size: QueueSize) => void {
    const payloads = this.writtenPayloads
    const bytes = this.writtenBytes
    return (size) => {
      this.counted = size
      this.writtenPayloads -= payloads
      this.writtenBytes -= bytes
    }
  }
}
