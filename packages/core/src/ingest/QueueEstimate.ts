/**
 * Estimates the queue length on a node: the last count of the storage plus the payloads that the node has accepted
 * since. Plain numbers, because every request updates them.
 */

export interface QueueSize {
  readonly payloads: number
  readonly bytes: number
}

export class QueueEstimate {
  /** The last count of the storage. */
  private counted: QueueSize = { payloads: 0, bytes: 0 }
  /** Written since the last count. */
  private writtenPayloads = 0
  private writtenBytes = 0
  /** Admitted, but neither written nor failed yet. */
  private admittedPayloads = 0
  private admittedBytes = 0

  get payloads(): number {
    return this.counted.payloads + this.writtenPayloads + this.admittedPayloads
  }

  get bytes(): number {
    return this.counted.bytes + this.writtenBytes + this.admittedBytes
  }

  /** Payloads that this node has added since the last count. */
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
   * Call this before the storage counts, and the returned function with the count. Payloads written in between may be
   * counted twice until the next count: an estimate that is too high is safe.
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
