/**
 * The clock of a node follows the clock of its storage. A node stores times that other nodes and the storage itself compare:
 * the age of reports, the hour that contents of an upload stay, the day of a count. A node whose own clock is off would
 * have reports removed too early, or kept for too long.
 */
import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import { Storage } from "./Storage.js"

/**
 * Sets the clock of everything that is built after it, in the same scope. The difference is measured before that, and
 * then every minute. Waits are as long as before.
 */
export const layer: Layer.Layer<never, never, Storage> = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const own = yield* Effect.clockWith(Effect.succeed)
    const difference = new Difference()
    const measure = Effect.ignore({ log: true })(difference.measure(own, yield* Storage))
    yield* measure
    yield* Effect.forkScoped(Effect.schedule(measure, Schedule.spaced(measuringInterval)), {
      startImmediately: true,
    })
    return clockOf(own, () => own.currentTimeMillisUnsafe() + difference.millis)
  }),
)

/** A clock with another time. Waits are those of the clock that it is made from. */
export const clockOf = (base: Clock.Clock, now: () => number): Clock.Clock => {
  const nanos = () => BigInt(Math.round(now() * 1_000)) * 1_000n
  return {
    ...base,
    sleep: (duration) => base.sleep(duration),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    currentTimeMillisUnsafe: now,
    currentTimeNanosUnsafe: nanos,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: Effect.sync(nanos),
  }
}

// internal

const measuringInterval = Duration.minutes(1)

/** Smaller differences are treated as measurement errors. */
const toleranceMillis = 1_000

/** A slower response does not show when it was sent. */
const maxRoundTripMillis = 1_000

/** The lead of the storage's clock over this node's. */
class Difference {
  millis = 0

  measure(own: Clock.Clock, { now }: Storage["Service"]) {
    return Effect.gen({ self: this }, function* () {
      const asked = own.currentTimeMillisUnsafe()
      const theirs = yield* now
      const answered = own.currentTimeMillisUnsafe()
      if (answered - asked > maxRoundTripMillis) return
      const measured = theirs.epochMilliseconds - (asked + answered) / 2
      const before = this.millis
      this.millis = Math.abs(measured) < toleranceMillis ? 0 : Math.round(measured)
      if (Math.abs(this.millis - before) >= toleranceMillis) {
        yield* Effect.logWarning(
          "The clock of this node differs from the storage's. Errata uses the storage's time",
        ).pipe(Effect.annotateLogs({ difference_ms: this.millis }))
      }
    })
  }
}
