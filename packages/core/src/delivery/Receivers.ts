/**
 * Limits concurrent deliveries per webhook on one node. A receiver gets more after it has responded quickly. Slow
 * receivers share a small part of the slots, so healthy ones never wait for hanging ones.
 */
import type { AttemptResult } from "./DeliveryStore.js"
import type { TargetId } from "./Target.js"

export interface ReceiverLimit {
  readonly targetId: TargetId
  readonly limit: number
}

/** The bounds of one lease, as in `DeliveryLeaseRequest`. */
export interface Share {
  readonly limit: number
  readonly perTarget: number
  readonly exceptions: ReadonlyArray<ReceiverLimit>
}

/** `unproven`: no attempt has ended yet. `hanging`: the last attempt was slow or timed out. */
type State = "unproven" | "healthy" | "hanging"

interface Receiver {
  state: State
  allowed: number
  underWay: number
}

/** The observations of receivers since this node started. */
export class Receivers {
  private readonly known = new Map<TargetId, Receiver>()
  private readonly underWay: Record<State, number> = { unproven: 0, healthy: 0, hanging: 0 }
  /** Where the next turn of hanging receivers begins. */
  private cursor = 0

  /** `concurrency` are all slots, `most` those that one receiver may have. */
  constructor(
    private readonly concurrency: number,
    private readonly most: number,
  ) {}

  /** Leases to make now, in order: possibly hanging receivers, which share a part of the slots, then healthy ones. */
  shares(): ReadonlyArray<Share> {
    const { healthy, hanging, unproven } = this.underWay
    const free = this.concurrency - healthy - hanging - unproven
    if (free <= 0) return []
    const fresh = Math.min(free, Math.max(0, part(this.concurrency, unprovenPart) - unproven))
    const again = Math.min(free, Math.max(0, part(this.concurrency, hangingPart) - hanging))
    const shares: Array<Share> = []
    if (fresh > 0) {
      shares.push({ limit: fresh, perTarget: this.first, exceptions: this.none() })
    }
    if (again > 0) shares.push(this.nextHanging(again))
    shares.push(this.only("healthy", free))
    return shares.filter(({ exceptions, perTarget }) => perTarget > 0 || exceptions.length > 0)
  }

  /** The free slots of a share. Earlier shares of the same poll may have used some. */
  left({ limit }: Share): number {
    const { healthy, hanging, unproven } = this.underWay
    return Math.min(limit, this.concurrency - healthy - hanging - unproven)
  }

  begin(targetId: TargetId): void {
    let receiver = this.known.get(targetId)
    if (receiver === undefined) {
      receiver = { state: "unproven", allowed: this.first, underWay: 0 }
      this.known.set(targetId, receiver)
    }
    receiver.underWay++
    this.underWay[receiver.state]++
  }

  /** An attempt ended, or was not made. */
  end(targetId: TargetId, result: AttemptResult | null): void {
    const receiver = this.known.get(targetId)
    if (receiver === undefined) return
    this.underWay[receiver.state] -= receiver.underWay
    receiver.underWay--
    if (result !== null) this.learn(receiver, result)
    // It is unknown, so the next poll treats it like a new one.
    else if (receiver.state === "unproven" && receiver.underWay === 0) this.known.delete(targetId)
    this.underWay[receiver.state] += receiver.underWay
    if (this.known.size > maxKnown) this.forgetIdle()
  }

  private learn(receiver: Receiver, result: AttemptResult): void {
    const longest = result.responseStatus === null ? quickMillis : slowMillis
    receiver.state = result.durationMs > longest ? "hanging" : "healthy"
    if (result.responseStatus === null || receiver.state === "hanging") receiver.allowed = 1
    else if (result.durationMs <= quickMillis) receiver.allowed = Math.min(this.most, receiver.allowed + 1)
    else receiver.allowed = Math.max(this.first, receiver.allowed >> 1)
  }

  /** The limit of an unknown webhook. */
  private get first(): number {
    return Math.min(firstAllowed, this.most)
  }

  private none(): ReadonlyArray<ReceiverLimit> {
    return [...this.known.keys()].map((targetId) => ({ targetId, limit: 0 }))
  }

  private only(state: State, limit: number): Share {
    const exceptions: Array<ReceiverLimit> = []
    for (const [targetId, receiver] of this.known) {
      const more = receiver.allowed - receiver.underWay
      if (receiver.state === state && more > 0) exceptions.push({ targetId, limit: more })
    }
    return { limit, perTarget: 0, exceptions }
  }

  /** They take turns, even without due deliveries, or the oldest deliveries would block the others. */
  private nextHanging(limit: number): Share {
    const { exceptions } = this.only("hanging", limit)
    if (exceptions.length <= limit) return { limit, perTarget: 0, exceptions }
    const from = this.cursor % exceptions.length
    this.cursor = from + limit
    return { limit, perTarget: 0, exceptions: [...exceptions, ...exceptions].slice(from, from + limit) }
  }

  private forgetIdle(): void {
    for (const [targetId, { underWay }] of this.known) if (underWay === 0) this.known.delete(targetId)
  }
}

// internal

const part = (slots: number, of: number): number => Math.max(1, Math.floor(slots * of))

/** Shares of the slots. The rest is reserved for healthy receivers. */
const unprovenPart = 0.5
const hangingPart = 0.125

const firstAllowed = 2
const quickMillis = 1000
const slowMillis = 5000
const maxKnown = 10_000
