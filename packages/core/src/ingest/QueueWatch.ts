/** Decides whether the queue has room for more payloads. */
import { Effect } from "effect"
import type { IngestProtection } from "../policy/Policy.js"
import { QueueEstimate } from "./QueueEstimate.js"

export class QueueWatch {
  readonly size = new QueueEstimate()
  /** The queue was full when it was last counted. */
  private isFull = false
  /** A request did not fit since then. Smaller ones must not overtake it. */
  private isTight = false

  constructor(private readonly maxBytes: number) {}

  get isPaused(): boolean {
    return this.isFull || this.isTight
  }

  /** Applies a new count. The effect logs the start and the end of a pause. */
  update(policy: IngestProtection): Effect.Effect<void> {
    const wasFull = this.isFull
    this.isFull = !this.fits(policy, 1, 1)
    this.isTight = false
    return this.isFull === wasFull ? Effect.void : this.isFull ? logPaused : logResumed
  }

  /** Adds payloads to the estimate if the queue has room for them. */
  admits(policy: IngestProtection, payloads: number, bytes: number): boolean {
    this.isTight = this.isPaused || !this.fits(policy, Math.max(payloads, 1), Math.max(bytes, 1))
    if (!this.isTight) this.size.admit(payloads, bytes)
    return !this.isTight
  }

  /** The estimate has grown by so much since the last count that a new one is due. */
  isDue({ backlogProtectionEnabled, maxPendingIngestPayloads }: IngestProtection): boolean {
    return this.isTight || (backlogProtectionEnabled && 4 * this.size.added > maxPendingIngestPayloads)
  }

  private fits(policy: IngestProtection, payloads: number, bytes: number): boolean {
    return (
      (!policy.backlogProtectionEnabled ||
        this.size.payloads + payloads <= policy.maxPendingIngestPayloads) &&
      this.size.bytes + bytes <= this.maxBytes
    )
  }
}

// internal

const logPaused = Effect.logWarning("The intake is paused: the queue is full")
const logResumed = Effect.logInfo("The intake resumed: the queue has room")
