import { expect, it } from "@effect/vitest"
import { GroupEventStore, JobStore, PendingPayloads, webhooksConsumer } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { Clock, Duration, Effect, Option } from "effect"
import * as Node from "./support/node.js"

/** Runs an effect with a clock that is wrong by `millis`. */
const wrongBy = (millis: number) => {
  const clock = Clock.Clock.defaultValue()
  const now = () => clock.currentTimeMillisUnsafe() + millis
  return Effect.provideService(
    Clock.Clock,
    Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
    }) as Clock.Clock,
  )
}

const request = { payloads: 100, bytes: 1e6, duration: Duration.minutes(1) }
const pauses = [Duration.minutes(1)]

it.live("leases use the database's clock, whatever the nodes' clocks are", () =>
  Effect.gen(function* () {
    const pending = yield* PendingPayloads
    const { id } = yield* Given.project()
    const append = pending.append([Factory.payload(id)])
    const hour = 3_600_000

    // A node that is behind keeps its leases, and one that is ahead takes no held batch.
    yield* append
    const [batch] = yield* pending.lease(request).pipe(wrongBy(-hour))
    expect(yield* pending.lease(request).pipe(wrongBy(hour))).toEqual([])
    // A node that is ahead gets no longer lease than requested.
    yield* pending.renew([batch!], Duration.zero).pipe(wrongBy(hour))
    expect(yield* pending.lease(request)).toHaveLength(1)
    yield* pending.postpone([batch!], Duration.zero).pipe(wrongBy(hour))
    expect(yield* pending.lease(request).pipe(wrongBy(-hour))).toHaveLength(1)

    yield* pending.isolate(batch!.payloads)
    expect(Option.isSome(yield* pending.leaseSuspect(pauses).pipe(wrongBy(-hour)))).toBe(true)
    expect(Option.isSome(yield* pending.leaseSuspect(pauses).pipe(wrongBy(hour)))).toBe(false)
  }).pipe(Effect.provide(Node.layer())),
)

it.live("leases of jobs and of the outbox use the database's clock", () =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const outbox = yield* GroupEventStore
    const hour = 3_600_000
    const minute = Duration.minutes(1)
    const acquire = (node: string) => Effect.map(jobs.acquire("work", node, minute), ({ _tag }) => _tag)

    expect(yield* acquire("behind").pipe(wrongBy(-hour))).toBe("Acquired")
    expect(yield* acquire("ahead").pipe(wrongBy(hour))).toBe("Later")
    yield* jobs.release("work", "behind", { _tag: "Succeeded", next: minute }).pipe(wrongBy(-hour))
    expect(yield* acquire("ahead").pipe(wrongBy(hour))).toBe("Later")
    yield* jobs.heartbeat("other work", "ahead", minute, "succeeded").pipe(wrongBy(hour))
    const known = yield* jobs.list.pipe(wrongBy(hour))
    for (const { dueAt } of known.jobs) {
      expect(dueAt.epochMilliseconds - known.now.epochMilliseconds).toBeGreaterThan(0)
      expect(dueAt.epochMilliseconds - known.now.epochMilliseconds).toBeLessThanOrEqual(
        Duration.toMillis(minute),
      )
    }

    const { id } = yield* Given.project()
    yield* Given.webhook(id)
    const group = yield* Given.group(id)
    yield* outbox.append([
      { projectId: id, groupId: group.id, event: "group.created", at: Factory.noon, document: "{}" },
    ])
    const request = { consumer: webhooksConsumer, limit: 10, duration: minute }
    expect(yield* outbox.lease(request).pipe(wrongBy(-hour))).toHaveLength(1)
    expect(yield* outbox.lease(request).pipe(wrongBy(hour))).toEqual([])
  }).pipe(Effect.provide(Node.layer())),
)
