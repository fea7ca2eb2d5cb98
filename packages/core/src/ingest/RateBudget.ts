/**
 * One node's part of the budget of accepted errors. Requests spend what was drawn ahead, from memory; where nothing is
 * left they wait for the next draw, which all of them share. Plain mutable state: it is touched by every request, and
 * only between two turns of the event loop.
 */
import { Cause, type Clock, Effect, Exit } from "effect"
import { StorageError } from "../storage/StorageError.js"
import { IntakePaused } from "./IntakePaused.js"
import type { RateDraw, RateGrant, RateWindow } from "./RateWindow.js"

export type Decide = (refused: IntakePaused | StorageError | null) => void

interface Waiting {
  readonly errors: number
  readonly decide: Decide
}

export class RateBudget {
  private available = 0
  /** Of what is available. */
  private minute = 0
  /** Epoch milliseconds by this node's clock, never after the end of the minute. */
  private expiresAt = 0
  /** Nobody has anything left in this minute. */
  private isExhausted = false
  private isDrawing = false
  private waiting: Array<Waiting> = []
  private waitingErrors = 0
  private limit: number
  private slice = smallestSlice
  private drawnAt = Number.NEGATIVE_INFINITY
  private used = 0
  private refused = 0

  private constructor(
    limit: number,
    private readonly window: RateWindow["Service"],
    private readonly clock: Clock.Clock,
    private readonly runFork: <A, E>(
      effect: Effect.Effect<A, E>,
      onExit: (exit: Exit.Exit<A, E>) => void,
    ) => void,
  ) {
    this.limit = limit
  }

  static make = (limit: number, window: RateWindow["Service"]): Effect.Effect<RateBudget> =>
    Effect.gen(function* () {
      const clock = yield* Effect.clockWith(Effect.succeed)
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      return new RateBudget(limit, window, clock, (effect, onExit) => {
        runFork(effect).addObserver(onExit)
      })
    })

  /** Decides about so many errors that belong together; at once where nobody has to be asked. */
  spend(errors: number, decide: Decide): void {
    if (this.waiting.length === 0 && this.clock.currentTimeMillisUnsafe() < this.expiresAt) {
      if (this.available >= errors) {
        this.take(errors)
        if (!this.isExhausted && 4 * this.available < this.slice) this.draw()
        decide(null)
        return
      }
      // Where somebody is asking whether others have given back, the answer is waited for.
      if (this.isExhausted && !this.isDrawing) {
        decide(this.refusal())
        return
      }
    }
    this.waiting.push({ errors, decide })
    this.waitingErrors += errors
    this.draw()
  }

  /**
   * To be called every second or so: gives back what this node does not need as it seems, and looks whether others did
   * where it had to refuse.
   */
  tick(limit: number): void {
    const { refused, used } = this
    this.used = 0
    this.refused = 0
    const isChanged = limit !== this.limit
    this.limit = limit
    if (isChanged) this.isExhausted = false
    if (this.isDrawing || this.clock.currentTimeMillisUnsafe() >= this.expiresAt) return
    const kept = isChanged ? 0 : Math.min(used, this.available)
    const surplus = this.available - kept
    if (surplus >= smallestSlice || (surplus > 0 && used === 0) || isChanged) {
      this.slice = Math.max(smallestSlice, used)
      this.available = kept
      this.request({ needed: 0, wanted: 0, returned: { minute: this.minute, errors: surplus } })
    } else if (refused > 0) this.request({ needed: 0, wanted: this.slice, returned: nothing })
  }

  /** Gives back what is left. */
  readonly close: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    const errors = this.available
    this.available = 0
    return errors === 0
      ? Effect.void
      : Effect.asVoid(
          this.window.draw({
            limit: this.limit,
            needed: 0,
            wanted: 0,
            returned: { minute: this.minute, errors },
          }),
        )
  })

  private take(errors: number): void {
    this.available -= errors
    this.used += errors
  }

  private refusal(): IntakePaused {
    this.refused++
    const seconds = Math.ceil((this.expiresAt - this.clock.currentTimeMillisUnsafe()) / 1000)
    return new IntakePaused({ reason: "rate", retryAfterSeconds: Math.max(1, seconds) })
  }

  private draw(): void {
    if (this.isDrawing) return
    // Who is back within a second was given too little.
    const now = this.clock.currentTimeMillisUnsafe()
    if (now - this.drawnAt < 1000) this.slice = Math.min(2 * this.slice, largestSlice)
    this.drawnAt = now
    this.request({ needed: this.waitingErrors, wanted: this.slice, returned: nothing })
  }

  private request(draw: Omit<RateDraw, "limit">): void {
    this.isDrawing = true
    // The minute ends so long after the storage has answered, which is later: the node ends it rather too early.
    const sentAt = this.clock.currentTimeMillisUnsafe()
    this.runFork(this.window.draw({ ...draw, limit: this.limit }), (exit) => {
      this.isDrawing = false
      if (Exit.isSuccess(exit)) this.granted(exit.value, sentAt)
      else this.failed(exit.cause)
    })
  }

  private granted(grant: RateGrant, sentAt: number): void {
    if (grant.minute !== this.minute) this.available = 0
    this.minute = grant.minute
    this.available += grant.granted
    this.expiresAt = sentAt + grant.endsIn
    this.isExhausted = grant.remaining === 0
    // Who is answered may come again at once, and the storage may answer in the same turn.
    const waiting = this.waiting
    this.waiting = []
    let served = 0
    for (; served < waiting.length; served++) {
      const { decide, errors } = waiting[served]!
      const isCovered = this.available >= errors
      // Who came while the question was on its way is not in it.
      if (!isCovered && !this.isExhausted) break
      this.waitingErrors -= errors
      if (isCovered) this.take(errors)
      decide(isCovered ? null : this.refusal())
    }
    if (served < waiting.length) this.waiting = [...waiting.slice(served), ...this.waiting]
    if (this.waiting.length > 0) this.draw()
  }

  private failed(cause: Cause.Cause<StorageError>): void {
    const waiting = this.waiting
    this.waiting = []
    this.waitingErrors = 0
    const failure = Cause.squash(cause)
    const error =
      failure instanceof StorageError
        ? failure
        : new StorageError({ operation: "RateWindow.draw", reason: "rejected", cause: failure })
    for (const { decide } of waiting) decide(error)
  }
}

// internal

const smallestSlice = 16
const largestSlice = 1_000_000

const nothing = { minute: 0, errors: 0 }
