/** The memory of one request body, and the rate at which it arrives. */

/** The sender of a body: a project once its key is verified, a network address before that. */
export type Sender = number | string

export interface BodyEvents {
  /** The requested memory is available. */
  readonly granted: () => void
  /** `busy`: the body waited too long for memory. `slow`: it arrived too slowly. */
  readonly refused: (reason: "busy" | "slow") => void
}

/** The bodies of one sender. */
export interface SenderState {
  held: number
  /** Bytes that its bodies wait for. */
  wanted: number
  settled: number
  accounts: number
  readonly queue: Array<BodyAccount>
}

/** The pool of an account. */
export interface AccountPool {
  readonly grow: (account: BodyAccount, bytes: number) => boolean
  readonly settle: (account: BodyAccount) => void
  readonly close: (account: BodyAccount) => void
}

export class BodyAccount {
  held = 0
  /** Bytes that the body waits for. */
  wanted = 0
  /** Ticks that it has waited. */
  waited = 0
  /** Bytes since the last tick. */
  recent = 0
  /** Bytes since the window began. */
  inWindow = 0
  /** The reader wants more bytes of the body. */
  isReading = false
  /** In the bag of arriving bodies; -1 if the body is not in it. */
  place = -1
  /** Ticks since the window began. */
  private window = 0
  private age = 0

  constructor(
    private readonly pool: AccountPool,
    readonly state: SenderState,
    private free: number,
    readonly claim: number,
    readonly events: BodyEvents,
  ) {}

  /** Returns whether there is memory for more bytes. If not, the body waits or is refused. */
  grow(bytes: number): boolean {
    return this.pool.grow(this, bytes)
  }

  /** The body has arrived in full. */
  settle(): void {
    this.pool.settle(this)
  }

  close(): void {
    this.pool.close(this)
  }

  /** Uses up free bytes, and returns how many of the given bytes are counted. */
  takeFree(bytes: number): number {
    const taken = Math.min(this.free, bytes)
    this.free -= taken
    this.arrived(taken)
    return bytes - taken
  }

  give(bytes: number): void {
    this.held += bytes
    this.state.held += bytes
    this.arrived(bytes)
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

  /** While others wait, bodies that hold memory must arrive faster. */
  isSlow(): boolean {
    return (
      this.held > 0 &&
      this.wanted === 0 &&
      this.isReading &&
      this.age >= 2 &&
      this.recent < minBytesUnderPressure
    )
  }

  private arrived(bytes: number): void {
    this.recent += bytes
    this.inWindow += bytes
  }
}

// internal

const maxWaitTicks = 15
const windowTicks = 10
const minWindowBytes = 10 * 1024
const minBytesUnderPressure = 64 * 1024
