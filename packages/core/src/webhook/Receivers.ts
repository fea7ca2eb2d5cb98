/**
 * How much one node sends to each webhook at the same time. Nobody is trusted with more than a little before it is seen to
 * answer quickly, so that many receivers that hang at once do not take all that there is.
 */
import type { AttemptResult } from "./DeliveryStore.js"
import type { WebhookId } from "./Webhook.js"

export interface ReceiverLimit {
  readonly webhookId: WebhookId
  readonly limit: number
}

interface Receiver {
  allowed: number
  underWay: number
}

/** What is known of receivers since this node started. */
export class Receivers {
  private readonly known = new Map<WebhookId, Receiver>()

  constructor(private readonly most: number) {}

  /** What may be sent to a webhook of which nothing is known. */
  get first(): number {
    return Math.min(firstAllowed, this.most)
  }

  /** Where it is another number: those that something is known of. */
  limits(): ReadonlyArray<ReceiverLimit> {
    const limits: Array<ReceiverLimit> = []
    for (const [webhookId, { allowed, underWay }] of this.known) {
      const limit = Math.max(0, allowed - underWay)
      if (limit !== this.first) limits.push({ webhookId, limit })
    }
    return limits
  }

  begin(webhookId: WebhookId): void {
    const receiver = this.known.get(webhookId)
    if (receiver === undefined) this.known.set(webhookId, { allowed: this.first, underWay: 1 })
    else receiver.underWay++
  }

  /** An attempt came to an end, or was not made. */
  end(webhookId: WebhookId, result: AttemptResult | null): void {
    const receiver = this.known.get(webhookId)
    if (receiver === undefined) return
    receiver.underWay--
    if (result !== null) {
      if (result.responseStatus === null) receiver.allowed = 1
      else if (result.durationMs <= quickMillis) receiver.allowed = Math.min(this.most, receiver.allowed + 1)
      else receiver.allowed = Math.max(this.first, receiver.allowed >> 1)
    }
    if (this.known.size > maxKnown) this.forgetIdle()
  }

  private forgetIdle(): void {
    for (const [webhookId, { underWay }] of this.known) if (underWay === 0) this.known.delete(webhookId)
  }
}

// internal

const firstAllowed = 2
const quickMillis = 1000
const maxKnown = 10_000
