/** Events on their way to a server: a bounded queue, attempts with growing delays, and an end within a time limit. */
import { Duration, Effect, Latch, Option, Queue, Random, type Scope } from "effect"
import { Losses } from "./capture.js"
import { type DiscardReason, type EncodedEvent, envelopeOf } from "./Envelope.js"
import { post, type TransportOptions, Undelivered } from "./Transport.js"

export class Delivery {
  /** Open while no event waits. */
  private readonly idle = Latch.makeUnsafe(true)
  /** Open once the end has begun. No delay outlasts it. */
  private readonly ending = Latch.makeUnsafe(false)
  private isEnding = false
  private isEnded = false
  private waiting = 0
  private bytes = 0
  private pausedUntil = 0
  private discarded = new Map<DiscardReason, number>()

  private constructor(
    private readonly queue: Queue.Queue<EncodedEvent>,
    private readonly transport: TransportOptions,
    private readonly losses: Losses,
    private readonly now: () => number,
  ) {}

  /** Delivers until the scope closes. Events that wait then have the time limit to be delivered. */
  static readonly make = (
    transport: TransportOptions,
    shutdownTimeout: Duration.Input,
  ): Effect.Effect<Delivery, never, Scope.Scope> =>
    Effect.gen(function* () {
      const clock = yield* Effect.clockWith(Effect.succeed)
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const now = () => clock.currentTimeMillisUnsafe()
      const losses = new Losses((message) => run(Effect.logWarning(message)), now)
      const queue = yield* Queue.unbounded<EncodedEvent>()
      const delivery = new Delivery(queue, transport, losses, now)
      const worker = Effect.forever(Effect.flatMap(Queue.take(queue), (event) => delivery.deliver(event)))
      for (let i = 0; i < concurrency; i++) yield* Effect.forkScoped(worker)
      yield* Effect.addFinalizer(() => delivery.end(shutdownTimeout))
      return delivery
    })

  /** Adds an event. It is lost if too many wait, or after the end. */
  offer(event: EncodedEvent): void {
    const isFull = this.waiting >= maxWaiting || this.bytes + event.body.byteLength > maxBytes
    if (this.isEnded) this.lose("network_error", "It happened after the end of the delivery")
    else if (isFull) this.lose("queue_overflow", `${this.waiting} others wait for their delivery`)
    else this.add(event)
  }

  /** Adds an event that is not ready yet, or drops it with null. The end of the delivery waits for it. */
  prepare(making: Promise<EncodedEvent | null>): void {
    if (this.isEnded || this.waiting >= maxWaiting) {
      this.lose("queue_overflow", `${this.waiting} others wait for their delivery`)
      return
    }
    this.waiting++
    this.idle.closeUnsafe()
    making
      .catch((error: unknown) => {
        this.leaveOut(`beforeCapture failed: ${String(error)}`)
        return null
      })
      .then((event) => {
        this.waiting--
        if (event !== null) this.offer(event)
        if (this.waiting === 0) this.idle.openUnsafe()
      })
  }

  /** Logs that an event was dropped, at most once per interval. */
  leaveOut(message: string): void {
    this.losses.note(new Error(message))
  }

  /** Waits until no event waits. Returns false if the time is over first. */
  flush(timeout: Duration.Input): Effect.Effect<boolean> {
    return this.idle.await.pipe(
      Effect.interruptible,
      Effect.timeoutOption(timeout),
      Effect.map(Option.isSome),
    )
  }

  /** Ends the delays, makes one more attempt for each event that waits, and reports the number of those that are lost. */
  end(timeout: Duration.Input): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isEnding = true
      this.ending.openUnsafe()
      return Effect.map(this.flush(timeout), (isDone) => {
        for (let left = isDone ? 0 : this.waiting; left > 0; left--) {
          this.lose(
            "network_error",
            `It was not delivered within ${Duration.format(Duration.fromInputUnsafe(timeout))}`,
          )
        }
        this.isEnded = true
        this.losses.sum()
      })
    })
  }

  // internal

  private add(event: EncodedEvent): void {
    this.waiting++
    this.bytes += event.body.byteLength
    this.idle.closeUnsafe()
    Queue.offerUnsafe(this.queue, event)
  }

  private deliver(event: EncodedEvent): Effect.Effect<void> {
    return this.attempt(event, 1).pipe(
      Effect.catch(({ message, reason }) => Effect.sync(() => this.lose(reason, message))),
      Effect.ensuring(
        Effect.sync(() => {
          this.bytes -= event.body.byteLength
          if (--this.waiting === 0) this.idle.openUnsafe()
        }),
      ),
    )
  }

  private attempt(event: EncodedEvent, count: number): Effect.Effect<void, Undelivered> {
    return Effect.andThen(this.turn, this.send(event)).pipe(
      Effect.catch((failure) =>
        failure.isTemporary && count < maxAttempts && !this.isEnding
          ? delayBefore(count).pipe(
              Effect.flatMap((delay) => this.sleep(delay)),
              Effect.andThen(this.attempt(event, count + 1)),
            )
          : Effect.fail(failure),
      ),
    )
  }

  private send(event: EncodedEvent): Effect.Effect<void, Undelivered> {
    return Effect.suspend(() => {
      const discarded = this.discarded
      this.discarded = new Map()
      return post(this.transport, envelopeOf(event, discarded, this.now()), this.now()).pipe(
        Effect.onError(() => Effect.sync(() => this.addDiscarded(discarded))),
        Effect.tapError(({ pause }) => Effect.sync(() => this.pause(pause))),
        Effect.map((pause) => this.pause(pause)),
      )
    })
  }

  /** Waits while the server throttles events, but not during shutdown. */
  private readonly turn: Effect.Effect<void, Undelivered> = Effect.suspend(() => {
    const left = this.pausedUntil - this.now()
    if (left <= 0) return Effect.void
    return this.isEnding ? Effect.fail(limited) : Effect.andThen(this.sleep(left), this.turn)
  })

  private sleep(millis: number): Effect.Effect<void> {
    return Effect.raceFirst(Effect.sleep(millis), this.ending.await)
  }

  private pause(millis: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.now() + millis)
  }

  private lose(reason: DiscardReason, message: string): void {
    this.addDiscarded(new Map([[reason, 1]]))
    this.losses.note(new Error(message))
  }

  private addDiscarded(lost: ReadonlyMap<DiscardReason, number>): void {
    for (const [reason, count] of lost) this.discarded.set(reason, (this.discarded.get(reason) ?? 0) + count)
  }
}

// internal

const concurrency = 4
const maxWaiting = 1_000
const maxBytes = 16 * 1024 * 1024
const maxAttempts = 8

/** From 1 to 64 seconds, with jitter so that processes do not retry together. */
const delayBefore = (count: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => 1000 * 2 ** (count - 1) * (0.5 + random / 2))

const limited = new Undelivered({
  reason: "ratelimit_backoff",
  message: "The server accepts no errors at the moment",
  isTemporary: false,
  pause: 0,
})
