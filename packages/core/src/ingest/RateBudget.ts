/**
 * One node's part of the budget of accepted errors. A node draws errors ahead, and requests spend them from memory. When
 * none are left, requests wait together for the next draw.
 */
import { type Clock, Deferred, Effect } from "effect"
import type { RateDraw, RateGrant, RateLimitStore } from "../storage/RateLimitStore.js"
import { StorageError } from "../storage/StorageError.js"
import { IntakePaused } from "./IntakePaused.js"

export class RateBudget {
  private available = 0
  /** The minute for which it is available. */
  private minute = 0
  /** Epoch milliseconds by this node's clock, never after the end of the minute. */
  private expiresAt = 0
  /** No node has anything left in this minute. */
  private isExhausted = false
  private drawing: Draw | null = null
  /** Errors of the requests that wait. */
  private needed = 0
  private slice = smallestSlice
  private drawnAt = Number.NEGATIVE_INFINITY
  private used = 0
  private refused = 0

  private constructor(
    private limit: number,
    private readonly window: Pick<RateLimitStore["Service"], "draw">,
    private readonly clock: Clock.Clock,
  ) {}

  static make = (limit: number, window: Pick<RateLimitStore["Service"], "draw">): Effect.Effect<RateBudget> =>
    Effect.clockWith((clock) => Effect.succeed(new RateBudget(limit, window, clock)))

  /** Takes errors that belong together from the budget. */
  spend(errors: number): Effect.Effect<void, IntakePaused | StorageError> {
    return Effect.suspend(() => {
      if (this.needed === 0 && this.isFresh()) {
        if (this.take(errors)) return this.isRunningLow() ? Effect.asVoid(this.draw) : Effect.void
        // A draw under way may bring what other nodes have returned.
        if (this.isExhausted && this.drawing === null) return this.refuse()
      }
      this.needed += errors
      return Effect.ensuring(
        this.awaitDraw(errors),
        Effect.sync(() => {
          this.needed -= errors
        }),
      )
    })
  }

  /** Returns unused errors to the other nodes. Call it about every second. */
  tick(limit: number): Effect.Effect<unknown> {
    return Effect.suspend((): Effect.Effect<unknown> => {
      const { refused, used } = this
      this.used = 0
      this.refused = 0
      const isChanged = limit !== this.limit
      this.limit = limit
      if (isChanged) this.isExhausted = false
      if (this.drawing !== null || !this.isFresh()) return Effect.void
      const kept = isChanged ? 0 : Math.min(used, this.available)
      const surplus = this.available - kept
      if (surplus >= smallestSlice || (surplus > 0 && used === 0) || isChanged) {
        this.slice = Math.max(smallestSlice, used)
        this.available = kept
        return this.request({ needed: 0, wanted: 0, returned: { minute: this.minute, errors: surplus } })
      }
      // Others may have returned something.
      return refused > 0 ? this.request({ needed: 0, wanted: this.slice, returned: nothing }) : Effect.void
    })
  }

  /** Returns the rest to the other nodes. */
  readonly close: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    const errors = this.available
    this.available = 0
    if (errors === 0) return Effect.void
    const returned = { minute: this.minute, errors }
    return Effect.asVoid(this.window.draw({ limit: this.limit, needed: 0, wanted: 0, returned }))
  })

  private isFresh(): boolean {
    return this.clock.currentTimeMillisUnsafe() < this.expiresAt
  }

  private isRunningLow(): boolean {
    return !this.isExhausted && this.drawing === null && 4 * this.available < this.slice
  }

  private take(errors: number): boolean {
    if (this.available < errors) return false
    this.available -= errors
    this.used += errors
    return true
  }

  private refuse(): IntakePaused {
    this.refused++
    const seconds = Math.ceil((this.expiresAt - this.clock.currentTimeMillisUnsafe()) / 1000)
    return new IntakePaused({ reason: "rate", retryAfterSeconds: Math.max(1, seconds) })
  }

  private awaitDraw(errors: number): Effect.Effect<void, IntakePaused | StorageError> {
    return Effect.flatMap(Effect.flatMap(this.draw, Deferred.await), () => {
      if (this.take(errors)) return Effect.void
      // A request that came after the draw was sent is not part of it.
      return this.isExhausted ? this.refuse() : this.awaitDraw(errors)
    })
  }

  /** Returns the draw that is under way, or starts one. */
  private readonly draw: Effect.Effect<Draw> = Effect.suspend(() => {
    if (this.drawing !== null) return Effect.succeed(this.drawing)
    // A node that draws again within a second was given too little.
    const now = this.clock.currentTimeMillisUnsafe()
    if (now - this.drawnAt < 1000) this.slice = Math.min(2 * this.slice, largestSlice)
    this.drawnAt = now
    return this.request({ needed: this.needed, wanted: this.slice, returned: nothing })
  })

  private request(draw: Omit<RateDraw, "limit">): Effect.Effect<Draw> {
    const drawing: Draw = Deferred.makeUnsafe()
    this.drawing = drawing
    // The minute ends this long after the response, so counting from the request ends it early rather than late.
    const sentAt = this.clock.currentTimeMillisUnsafe()
    const drawn = this.window.draw({ ...draw, limit: this.limit }).pipe(
      Effect.catchDefect(
        (cause) => new StorageError({ operation: "RateLimitStore.draw", reason: "rejected", cause }),
      ),
      Effect.map((grant) => this.granted(grant, sentAt)),
      Effect.onExit((exit) => {
        this.drawing = null
        return Deferred.done(drawing, exit)
      }),
    )
    // Many requests share a draw, so none of them may interrupt it.
    return Effect.as(Effect.forkDetach(drawn, { startImmediately: true }), drawing)
  }

  private granted(grant: RateGrant, sentAt: number): void {
    if (grant.minute !== this.minute) this.available = 0
    this.minute = grant.minute
    this.available += grant.granted
    this.expiresAt = sentAt + grant.endsIn
    this.isExhausted = grant.remaining === 0
  }
}

// internal

type Draw = Deferred.Deferred<void, StorageError>

const smallestSlice = 16
const largestSlice = 1_000_000

const nothing = { minute: 0, errors: 0 }
