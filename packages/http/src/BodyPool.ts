/**
 * A part of the memory for request bodies. Bodies grow while they arrive, and half-read bodies that wait for each other would
 * wait forever. So each body names its largest size, and gets memory only while all started bodies can be completed one after
 * the other (the banker's algorithm).
 */
import { Bag } from "./Bag.js"
import { BodyAccount, type BodyEvents, type Sender, type SenderState } from "./BodyAccount.js"

export interface BodyPoolOptions {
  /** Bytes. */
  readonly size: number
  /** Bytes that the bodies of one sender may hold together; at least `maxClaim`. */
  readonly perSender: number
  /** The largest size of a body, in bytes. */
  readonly maxClaim: number
  /** The first bytes of each body, which are not counted. Default: 0 */
  readonly free?: number
}

export class BodyPool {
  private held = 0
  /** Bytes of complete bodies. They do not grow, and release their memory when they are stored. */
  private settled = 0
  private waiting = 0
  // Senders stay until the next tick, for the same reason as bodies are in a bag.
  private readonly senders = new Map<Sender, SenderState>()
  private readonly arriving = new Bag<BodyAccount>()

  constructor(private readonly options: BodyPoolOptions) {}

  /** Bytes held now. */
  get used(): number {
    return this.held
  }

  /** Opens an account for a body of up to `claim` bytes. */
  open(sender: Sender, claim: number, events: BodyEvents): BodyAccount {
    let state = this.senders.get(sender)
    if (state === undefined) {
      state = { held: 0, wanted: 0, settled: 0, accounts: 0, queue: [] }
      this.senders.set(sender, state)
    }
    state.accounts++
    const { free = 0, maxClaim } = this.options
    const account = new BodyAccount(this, state, free, Math.min(Math.max(claim - free, 0), maxClaim), events)
    this.arriving.add(account)
    return account
  }

  grow(account: BodyAccount, arrived: number): boolean {
    const { state } = account
    const bytes = account.takeFree(arrived)
    if (bytes === 0) return account.wanted === 0
    // New bodies wait behind the others. Started ones go on, because they return their memory sooner then.
    if (account.wanted === 0 && (account.held > 0 || this.waiting === 0) && this.admits(account, bytes)) {
      this.give(account, bytes)
      return true
    }
    // Bytes that wait were read already, so they are held beyond the pool's size.
    if (account.held === 0 && state.wanted + bytes > maxWantedBytes) {
      account.events.refused("busy")
      return false
    }
    if (account.wanted === 0) {
      this.waiting++
      state.queue.push(account)
    }
    account.wanted += bytes
    state.wanted += bytes
    this.wake(account)
    return account.wanted === 0
  }

  settle(account: BodyAccount): void {
    if (!this.arriving.remove(account)) return
    this.settled += account.held
    account.state.settled += account.held
    if (this.waiting > 0) this.wake()
  }

  close(account: BodyAccount): void {
    const { state } = account
    if (account.wanted > 0) this.unqueue(account)
    if (!this.arriving.remove(account)) {
      this.settled -= account.held
      state.settled -= account.held
    }
    this.held -= account.held
    state.held -= account.held
    account.held = 0
    state.accounts--
    if (this.waiting > 0) this.wake()
  }

  /** Refuses bodies that wait too long or arrive too slowly. Call it once a second. */
  tick(): void {
    for (const [sender, { accounts }] of this.senders) if (accounts === 0) this.senders.delete(sender)
    for (const account of this.arriving.all()) {
      const refused = account.tick()
      if (refused !== null) account.events.refused(refused)
    }
    while (this.waiting > 0) {
      const slow = this.arriving
        .all()
        .filter((account) => account.isSlow())
        .sort(byHeldBytes)
      if (slow.length === 0) break
      slow[0]!.events.refused("slow")
    }
    for (const account of this.arriving.all()) account.recent = 0
  }

  private give(account: BodyAccount, bytes: number): void {
    account.give(bytes)
    this.held += bytes
  }

  /** Serves waiting bodies, first those of the sender that holds the least. Does not notify the caller's own account. */
  private wake(caller: BodyAccount | null = null): void {
    for (let next = this.next(); next !== null; next = this.next()) {
      const bytes = next.wanted
      this.unqueue(next)
      this.give(next, bytes)
      if (next !== caller) next.events.granted()
    }
  }

  private next(): BodyAccount | null {
    if (this.waiting === 0 || this.held >= this.options.size) return null
    const waiting = [...this.senders.values()].filter(({ queue }) => queue.length > 0)
    for (const { queue } of waiting.sort((a, b) => a.held - b.held)) {
      const firstNew = queue.find(({ held }) => held === 0)
      const found = queue.find(
        (account) => (account.held > 0 || account === firstNew) && this.admits(account, account.wanted),
      )
      if (found !== undefined) return found
    }
    return null
  }

  private unqueue(account: BodyAccount): void {
    const { queue } = account.state
    queue.splice(queue.indexOf(account), 1)
    account.state.wanted -= account.wanted
    account.wanted = 0
    account.waited = 0
    this.waiting--
  }

  private admits(account: BodyAccount, bytes: number): boolean {
    const { maxClaim, perSender, size } = this.options
    const { state } = account
    const free = size - this.held - bytes
    const freeOfSender = perSender - state.held - bytes
    if (free < 0 || freeOfSender < 0) return false
    // Enough for anything that one of them still needs.
    if (free >= maxClaim && freeOfSender >= maxClaim) return true
    const others = this.arriving.all().filter((other) => other !== account && other.held > 0)
    const ofSender = others.filter((other) => other.state === state)
    return (
      canAllEnd(others, account, bytes, free + this.settled) &&
      canAllEnd(ofSender, account, bytes, freeOfSender + state.settled)
    )
  }
}

// internal

const maxWantedBytes = 8 * 1024 * 1024

/** Orders bodies by the bytes of their sender, then by their own, largest first. */
const byHeldBytes = (a: BodyAccount, b: BodyAccount): number => b.state.held - a.state.held || b.held - a.held

/** Returns whether all bodies can be completed, those that need the least first. */
const canAllEnd = (
  others: ReadonlyArray<BodyAccount>,
  account: BodyAccount,
  bytes: number,
  free: number,
): boolean => {
  const bodies = others.map(({ claim, held }) => ({ held, needs: claim - held }))
  bodies.push({ held: account.held + bytes, needs: account.claim - account.held - bytes })
  bodies.sort((a, b) => a.needs - b.needs)
  let left = free
  for (const { held, needs } of bodies) {
    if (needs > left) return false
    left += held
  }
  return true
}
