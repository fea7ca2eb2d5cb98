/**
 * A part of the memory for bodies. Every body says how large it may become, and gets room only as long as all that have
 * begun can still come to their end one after the other (the banker's algorithm): bodies that wait for each other half
 * read would wait for ever.
 */
export interface BodyPoolOptions {
  /** Bytes. */
  readonly size: number
  /** Bytes that one sender's bodies may hold together; not less than `maxClaim`. */
  readonly perSender: number
  /** Bytes that a body may come to. */
  readonly maxClaim: number
  /** The first bytes of each body, which are not counted; none by default. */
  readonly free?: number
}

/** Whose a body is: a project once its key is known, until then a network address. */
export type Sender = number | string

export interface BodyEvents {
  /** What was asked for is there. */
  readonly granted: () => void
  /** `busy`: it waited too long for room. `slow`: it came too slowly. */
  readonly refused: (reason: "busy" | "slow") => void
}

export class BodyPool {
  private held = 0
  /** Of bodies that have arrived in full: they need nothing more, and give it back when they are stored. */
  private settled = 0
  private waiting = 0
  // Neither is written for every body: V8 makes a table anew after some removals and chains the old ones, and each of them
  // would carry the bodies that it has seen into the old generation.
  private readonly senders = new Map<Sender, SenderState>()
  private readonly arriving = new Bag()

  constructor(private readonly options: BodyPoolOptions) {}

  /** Bytes held now. */
  get used(): number {
    return this.held
  }

  /** An account for a body of up to `claim` bytes. */
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

  /** Whether there is room for so much more of a body; where there is none it waits, or is refused as one too many. */
  grow(account: BodyAccount, arrived: number): boolean {
    const { state } = account
    const bytes = account.takeFree(arrived)
    if (bytes === 0) return account.wanted === 0
    // A body that begins waits behind the others; one that has begun frees what it holds the sooner it ends.
    if (account.wanted === 0 && (account.held > 0 || this.waiting === 0) && this.admits(account, bytes)) {
      this.give(account, bytes)
      return true
    }
    // What waits has been read already and is held beyond the pool's size.
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

  /** It has arrived in full. */
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

  tick(): void {
    for (const [sender, { accounts }] of this.senders) if (accounts === 0) this.senders.delete(sender)
    for (const account of this.arriving.all()) {
      const refused = account.tick()
      if (refused !== null) account.events.refused(refused)
    }
    while (this.waiting > 0) {
      const slowest = this.slowest()
      if (slowest === null) break
      slowest.events.refused("slow")
    }
    for (const account of this.arriving.all()) account.recent = 0
  }

  /** Of the sender that holds the most, the body that holds the most of those that bring little. */
  private slowest(): BodyAccount | null {
    let found: BodyAccount | null = null
    for (const account of this.arriving.all()) {
      if (account.held === 0 || !account.isSlow()) continue
      if (
        found === null ||
        account.state.held > found.state.held ||
        (account.state === found.state && account.held > found.held)
      ) {
        found = account
      }
    }
    return found
  }

  private give(account: BodyAccount, bytes: number): void {
    account.held += bytes
    account.recent += bytes
    account.inWindow += bytes
    account.state.held += bytes
    this.held += bytes
  }

  /** Serves those who wait, first whose sender holds the least. The caller's own account is not told. */
  private wake(caller: BodyAccount | null = null): void {
    for (;;) {
      const next = this.next()
      if (next === null) return
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
      let isFirst = true
      for (const account of queue) {
        const begins = account.held === 0
        if ((!begins || isFirst) && this.admits(account, account.wanted)) return account
        if (begins) isFirst = false
      }
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
    // Whatever any of them still needs is there.
    if (free >= maxClaim && freeOfSender >= maxClaim) return true
    const others = this.arriving.all().filter((other) => other !== account && other.held > 0)
    return (
      canAllEnd(others, account, bytes, free + this.settled) &&
      canAllEnd(
        others.filter((other) => other.state === state),
        account,
        bytes,
        freeOfSender + state.settled,
      )
    )
  }
}

/** What one body holds of a pool, and how it comes along. */
export class BodyAccount {
  held = 0
  /** Bytes that it waits for. */
  wanted = 0
  /** Ticks that it has waited. */
  waited = 0
  /** Bytes since the last tick. */
  recent = 0
  /** Bytes since the window began, and how many ticks ago that was. */
  inWindow = 0
  private window = 0
  private age = 0
  /** Whether its bytes are asked for at all. */
  isReading = false
  /** Where it stands in the bag of those that arrive; -1 where it is in none. */
  place = -1

  constructor(
    private readonly pool: BodyPool,
    readonly state: SenderState,
    private free: number,
    readonly claim: number,
    readonly events: BodyEvents,
  ) {}

  grow(bytes: number): boolean {
    return this.pool.grow(this, bytes)
  }

  /** Uses up free bytes, and returns how many of the given bytes are counted. */
  takeFree(bytes: number): number {
    const taken = Math.min(this.free, bytes)
    this.free -= taken
    this.recent += taken
    this.inWindow += taken
    return bytes - taken
  }

  settle(): void {
    this.pool.settle(this)
  }

  close(): void {
    this.pool.close(this)
  }

  tick(): "busy" | "slow" | null {
    if (this.wanted > 0) return ++this.waited > maxWaitTicks ? "busy" : null
    if (!this.isReading) return null
    this.age++
    if (++this.window < windowTicks) return null
    const isTooSlow = this.inWindow < minWindowBytes
    this.window = 0
    this.inWindow = 0
    return isTooSlow ? "slow" : null
  }

  /** While others wait, more is asked of those who hold something. */
  isSlow(): boolean {
    return this.wanted === 0 && this.isReading && this.age >= 2 && this.recent < minBytesUnderPressure
  }
}

// internal

interface SenderState {
  held: number
  /** Bytes that its bodies wait for. */
  wanted: number
  settled: number
  accounts: number
  readonly queue: Array<BodyAccount>
}

/** Accounts in no order, each of which knows its place. */
class Bag {
  private readonly accounts: Array<BodyAccount> = []

  add(account: BodyAccount): void {
    account.place = this.accounts.push(account) - 1
  }

  remove(account: BodyAccount): boolean {
    const { place } = account
    if (place === -1) return false
    const last = this.accounts.pop()!
    if (last !== account) {
      this.accounts[place] = last
      last.place = place
    }
    account.place = -1
    return true
  }

  /** As they are now: what is done to them may take some away. */
  all(): Array<BodyAccount> {
    return this.accounts.slice()
  }
}

const maxWaitTicks = 15
const maxWantedBytes = 8 * 1024 * 1024
const windowTicks = 10
const minWindowBytes = 10 * 1024
const minBytesUnderPressure = 64 * 1024

/** Whether each can get what it still needs when those that need less have ended. */
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
