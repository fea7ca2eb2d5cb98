/** Reads a request body within its own limit and those of the shared memory. */
import { Data, Effect } from "effect"
import type { BodyAccount, BodyEvents, Sender } from "./BodyAccount.js"
import type { BodyMemory } from "./BodyMemory.js"

export class BodyRejected extends Data.TaggedError("BodyRejected")<{
  /** `busy`: the memory for bodies is full. `slow`: the body arrived too slowly. `aborted`: the client disconnected. */
  readonly reason: "too_large" | "busy" | "slow" | "aborted"
}> {}

export interface RequestBody {
  /** Returns at least `minBytes` of the first bytes, or fewer if `isAll` has arrived. They stay part of the body. */
  readonly prefix: (
    minBytes: number,
  ) => Effect.Effect<{ readonly bytes: Buffer; readonly isAll: boolean }, BodyRejected>
  /** Reads the whole body. */
  readonly read: Effect.Effect<Buffer, BodyRejected>
  /** Identifies the sender after authentication. Call it before `read`. */
  readonly identify: (sender: Sender) => void
  /** Network address of the sender, or empty if it is unknown. */
  readonly address: string
}

/** The source of the bytes. It delivers none before `flow`, and none between `hold` and the next `flow`. */
export interface BodySource {
  readonly flow: (reader: BodyReader) => void
  readonly hold: () => void
  /** Rejects the rest of the body. `answer` is called when the response can be sent. */
  readonly refuse: (reason: BodyRejected["reason"], answer: () => void) => void
}

/** A body that has already arrived. */
export const of = (bytes: Buffer): RequestBody => ({
  prefix: () => Effect.succeed({ bytes, isAll: true }),
  read: Effect.succeed(bytes),
  identify: () => {},
  address: "",
})

export interface BodyReaderOptions {
  readonly source: BodySource
  readonly maxBytes: number
  /** The announced length, or NaN without one. */
  readonly length: number
  readonly memory: BodyMemory
  /** The address of a sender that is not authenticated yet. */
  readonly address: string
}

export class BodyReader implements RequestBody, BodyEvents {
  private chunks: Array<Buffer> = []
  private size = 0
  private hasEnded = false
  private failure: BodyRejected | null = null
  private account: BodyAccount | null = null
  /** The account in the pool it comes from, kept until the new pool has room. */
  private former: BodyAccount | null = null
  private sender: Sender | null = null
  private isLarge = false
  private demand = 0
  private resume: ((failure: BodyRejected | null) => void) | null = null

  constructor(private readonly options: BodyReaderOptions) {}

  get address(): string {
    return this.options.address
  }

  prefix(minBytes: number) {
    return Effect.callback<{ readonly bytes: Buffer; readonly isAll: boolean }, BodyRejected>((resume) =>
      this.wait(minBytes, (failure) =>
        resume(failure ?? Effect.succeed({ bytes: this.bytes(), isAll: this.hasEnded })),
      ),
    )
  }

  get read(): Effect.Effect<Buffer, BodyRejected> {
    return Effect.callback((resume) =>
      this.wait(Number.POSITIVE_INFINITY, (failure) => resume(failure ?? Effect.succeed(this.bytes()))),
    )
  }

  identify(sender: Sender): void {
    this.sender = sender
    if (this.account !== null) this.move()
  }

  /** Releases the memory. The rest of the body is rejected. */
  release(): void {
    this.giveBack()
    if (this.failure !== null) return
    this.failure = aborted
    if (!this.hasEnded) this.options.source.refuse("aborted", () => {})
  }

  push(chunk: Buffer): void {
    if (this.failure !== null) return
    this.size += chunk.length
    if (this.size > this.options.maxBytes) {
      this.reject("too_large")
      return
    }
    this.chunks.push(chunk)
    if (this.sender !== null && !this.isLarge && this.size > this.options.memory.smallBytes) this.move()
    else if (this.account!.grow(chunk.length)) this.advance()
    else this.hold()
  }

  end(): void {
    this.hasEnded = true
    this.advance()
  }

  abort(): void {
    this.reject("aborted")
  }

  granted(): void {
    this.former?.close()
    this.former = null
    this.advance()
    if (this.resume !== null) this.flow()
  }

  refused(reason: "busy" | "slow"): void {
    this.reject(reason)
  }

  private wait(bytes: number, resume: (failure: BodyRejected | null) => void): void {
    this.resume = resume
    this.demand = bytes
    if (this.failure === null && this.options.length > this.options.maxBytes) {
      this.reject("too_large")
      return
    }
    if (this.account === null && this.failure === null) this.account = this.open()
    this.advance()
    if (this.resume !== null && this.account?.wanted === 0) this.flow()
  }

  private hold(): void {
    // A rejected body is read on and discarded.
    if (this.failure === null) this.options.source.hold()
  }

  private flow(): void {
    this.account!.isReading = true
    this.options.source.flow(this)
  }

  /** Resumes the caller that waits for these bytes, once there is room for them. */
  private advance(): void {
    const { resume } = this
    if (resume === null) return
    if (this.failure === null) {
      if (this.account!.wanted > 0) return
      if (this.hasEnded) this.account!.settle()
      else if (this.size < this.demand) return
      else {
        this.account!.isReading = false
        this.options.source.hold()
      }
    }
    this.resume = null
    resume(this.failure)
  }

  private reject(reason: BodyRejected["reason"]): void {
    if (this.failure !== null || (reason === "aborted" && this.hasEnded)) return
    const failure = new BodyRejected({ reason })
    this.giveBack()
    this.failure = failure
    this.options.source.refuse(reason, () => this.advance())
  }

  private giveBack(): void {
    this.former?.close()
    this.account?.close()
    this.former = null
    this.account = null
    this.chunks = []
  }

  private move(): void {
    this.former = this.account
    if (this.former !== null) this.former.isReading = false
    this.account = this.open()
    if (this.size === 0 || this.account.grow(this.size)) this.granted()
    else this.hold()
  }

  private open(): BodyAccount {
    const { address, length, maxBytes, memory } = this.options
    if (this.sender === null) return memory.strangers.open(address, Number.POSITIVE_INFINITY, this)
    this.isLarge = Math.max(this.size, Number.isNaN(length) ? 0 : length) > memory.smallBytes
    const limit = this.isLarge ? maxBytes : memory.smallBytes
    const pool = this.isLarge ? memory.large : memory.small
    return pool.open(this.sender, Number.isNaN(length) ? limit : Math.min(length, limit), this)
  }

  private bytes(): Buffer {
    // Most bodies arrive in one chunk.
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks, this.size)]
    return this.chunks[0]!
  }
}

// internal

const aborted = new BodyRejected({ reason: "aborted" })
