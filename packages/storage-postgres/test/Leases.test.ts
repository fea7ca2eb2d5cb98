import { expect, it } from "@effect/vitest"
import { PendingPayloads } from "@errata/core"
import { Factory, Given } from "@errata/testing"
import { Clock, Duration, Effect, Option } from "effect"
import * as Node from "./support/node.js"

/** A node whose clock is wrong by so many milliseconds. */
const wrongBy = (millis: number) => {
  const clock = Clock.make()
  const now = () => clock.unsafeCurrentTimeMillis() + millis
  return Effect.withClock(
    Object.assign(Object.create(clock), {
      unsafeCurrentTimeMillis: now,
      currentTimeMillis: Effect.sync(now),
    }) as Clock.Clock,
  )
}

const request = { payloads: 100, bytes: 1e6, duration: Duration.minutes(1) }
const patience = { first: Duration.minutes(1), longest: Duration.minutes(1) }

it.scopedLive("leases go by the database's clock, however wrong those of the nodes are", () =>
  Effect.gen(function* () {
    const pending = yield* PendingPayloads
    const { id } = yield* Given.project()
    const append = pending.append([Factory.payload(id)])
    const hour = 3_600_000

    // A node that is behind keeps what it leases, one that is ahead takes nothing that is held.
    yield* append
    const [batch] = yield* pending.lease(request).pipe(wrongBy(-hour))
    expect(yield* pending.lease(request).pipe(wrongBy(hour))).toEqual([])
    // One that is ahead keeps nothing longer than it asks for.
    yield* pending.renew([batch!], Duration.zero).pipe(wrongBy(hour))
    expect(yield* pending.lease(request)).toHaveLength(1)
    yield* pending.postpone([batch!], Duration.zero).pipe(wrongBy(hour))
    expect(yield* pending.lease(request).pipe(wrongBy(-hour))).toHaveLength(1)

    yield* pending.isolate(batch!.payloads)
    expect(Option.isSome(yield* pending.leaseSuspect(patience).pipe(wrongBy(-hour)))).toBe(true)
    expect(Option.isSome(yield* pending.leaseSuspect(patience).pipe(wrongBy(hour)))).toBe(false)
  }).pipe(Effect.provide(Node.layer())),
)
