/** Facts about queued work that a storage reports. */
import {
  DeliveryStore,
  GroupEventStore,
  HealthStore,
  JobStore,
  PendingPayloads,
  ProjectStore,
  type StoredAmounts,
  TargetStore,
  webhooksConsumer,
} from "@errata/core/ports"
import { DateTime, Duration, Effect } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { attempted, emptyDeliveries, lease as leaseDeliveries } from "./internal/Deliveries.js"
import { emptyOutbox } from "./internal/Outbox.js"
import { emptyQueue, lease, wholeOf } from "./internal/Queue.js"

const work = Effect.flatMap(HealthStore, (health) => health.work)

/** Time since the oldest queued payload became ready, in minutes. */
const waits = Effect.map(work, ({ errorReadySince, now }) =>
  errorReadySince === null
    ? null
    : Math.round((now.epochMilliseconds - errorReadySince.epochMilliseconds) / 60_000),
)

const append = Effect.gen(function* () {
  const pending = yield* PendingPayloads
  const { id } = yield* Given.project()
  yield* pending.append([Factory.payload(id, { body: new Uint8Array(10) })])
})

/** Amounts that an effect adds. The storage may contain other data. */
const growth = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const { amounts } = yield* HealthStore
    const before = yield* amounts
    yield* effect
    const after = yield* amounts
    return Object.fromEntries(
      Object.entries(after)
        .map(([name, amount]) => [name, amount - before[name as keyof StoredAmounts]] as const)
        .filter(([, grown]) => grown !== 0),
    )
  })

/** Earlier than all other queued work. */
const longAgo = DateTime.makeUnsafe("1980-01-01T00:00:00Z")

const notificationReadySince = Effect.map(work, (known) => known.notificationReadySince?.epochMilliseconds)

/** Time since the oldest unleased notification became ready, in minutes. */
const notificationWaits = Effect.map(work, ({ notificationReadySince, now }) =>
  notificationReadySince === null
    ? null
    : Math.round((now.epochMilliseconds - notificationReadySince.epochMilliseconds) / 60_000),
)

const emptyNotifications = Effect.andThen(emptyOutbox, emptyDeliveries)

const newWebhook = Effect.flatMap(Given.project(), ({ id }) => Given.webhook(id))

const again = (pause: Duration.Input) =>
  ({
    status: "pending",
    responseStatus: null,
    error: "it hangs",
    pause: Duration.fromInputUnsafe(pause),
  }) as const

export const healthStoreSuite: ContractSuite = {
  name: "HealthStore",
  cases: [
    contractCase(
      "reports an up-to-date schema, and can be written",
      Effect.gen(function* () {
        const health = yield* HealthStore
        expect(yield* health.hasPendingMigrations).toBe(false)
        yield* Effect.all([health.write, onSecondNode(Effect.flatMap(HealthStore, ({ write }) => write))], {
          concurrency: 2,
        })
        yield* health.write
      }),
    ),

    contractCase(
      "reports the wait of the oldest ready batch, also while it is leased",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* emptyQueue
        expect(yield* waits).toBe(null)
        yield* append
        yield* advance("3 minutes")
        yield* append
        expect(yield* onSecondNode(waits)).toBe(3)
        const [oldest, ...others] = yield* lease
        yield* advance("4 minutes")
        expect(yield* waits).toBe(7)
        // A failed attempt does not restart the wait.
        yield* pending.release([oldest!])
        expect(yield* waits).toBe(7)
        yield* pending.remove([wholeOf(oldest!)])
        expect(yield* waits).toBe(4)
        yield* pending.remove(others.map(wholeOf))
        expect(yield* waits).toBe(null)
      }),
    ),

    contractCase(
      "counts neither postponed batches nor suspects",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* emptyQueue
        yield* append
        const [batch] = yield* lease
        yield* pending.postpone([batch!], Duration.minutes(8))
        yield* advance("6 minutes")
        expect(yield* waits).toBe(null)
        yield* advance("8 minutes")
        expect(yield* waits).toBe(6)
        yield* pending.isolate(batch!.payloads)
        yield* pending.remove([wholeOf(batch!)])
        yield* advance("1 hour")
        expect(yield* waits).toBe(null)
      }),
    ),

    contractCase(
      "returns the same state of background work as JobStore",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        yield* jobs.heartbeat("health", "node", Duration.minutes(1), "succeeded")
        const name = ({ name }: { readonly name: string }) => name === "health"
        expect((yield* work).jobs.find(name)).toEqual((yield* jobs.list).jobs.find(name))
      }),
    ),

    contractCase(
      "reports the wait of the oldest ready notification: an event or a due delivery",
      Effect.gen(function* () {
        const outbox = yield* GroupEventStore
        yield* emptyOutbox
        const { id: projectId } = yield* Given.project()
        yield* Given.webhook(projectId)
        const group = yield* Given.group(projectId)
        const event = { projectId, groupId: group.id, event: "group.resolved", document: "{}" } as const
        yield* outbox.append([{ ...event, at: longAgo }])
        expect(yield* notificationReadySince).toBe(longAgo.epochMilliseconds)
        const leased = yield* outbox.lease({
          consumer: webhooksConsumer,
          limit: 10,
          duration: Duration.minutes(1),
        })
        expect(yield* notificationReadySince).toBe(longAgo.epochMilliseconds)
        yield* outbox.settle(webhooksConsumer, leased)
        expect(yield* notificationReadySince).not.toBe(longAgo.epochMilliseconds)
      }),
    ),

    contractCase(
      "reports how long a delivery has been due without a lease",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        yield* emptyNotifications
        const webhook = yield* newWebhook
        const group = yield* Given.group(webhook.projectId)
        const first = { groupId: group.id }
        yield* Given.delivery(webhook, first)
        yield* Given.delivery(webhook, first)
        yield* advance("6 minutes")
        expect(yield* notificationWaits).toBe(6)
        expect(yield* onSecondNode(notificationWaits)).toBe(6)

        // The second one waits for the first, which hangs. Storages may differ in whether it counts as ready meanwhile.
        const [hanging] = yield* leaseDeliveries()
        expect((yield* notificationWaits) ?? 0).toBe(0)
        yield* advance("50 seconds")
        yield* deliveries.settle([{ delivery: hanging!, result: attempted(again("1 hour")) }])
        yield* advance("2 minutes")
        expect(yield* notificationWaits).toBe(3)
        const [next] = yield* leaseDeliveries()
        expect(yield* notificationWaits).toBe(null)
        yield* deliveries.settle([{ delivery: next!, result: attempted() }])

        // A retry is ready once it is due.
        yield* advance("55 minutes")
        expect(yield* notificationWaits).toBe(null)
        yield* advance("12 minutes")
        expect(yield* notificationWaits).toBe(9)
      }),
    ),

    contractCase(
      "counts deliveries with expired leases and released ones",
      Effect.gen(function* () {
        const deliveries = yield* DeliveryStore
        yield* emptyNotifications
        const webhook = yield* newWebhook
        yield* Given.delivery(webhook)
        yield* leaseDeliveries()
        yield* advance("8 minutes")
        expect(yield* notificationWaits).toBe(7)
        const [taken] = yield* leaseDeliveries()
        yield* deliveries.release([taken!])
        yield* advance("4 minutes")
        expect(yield* notificationWaits).toBe(4)
      }),
    ),

    contractCase(
      "measures each webhook separately, except disabled ones and those of deleted projects",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const targets = yield* TargetStore
        yield* emptyNotifications
        const disabled = yield* newWebhook
        const deleted = yield* newWebhook
        for (const webhook of [disabled, deleted]) yield* Given.delivery(webhook)
        yield* targets.update(disabled.projectId, disabled.id, { enabled: false }, yield* DateTime.now)
        yield* projects.remove(deleted.projectId, yield* DateTime.now)
        yield* advance("10 minutes")
        expect(yield* notificationWaits).toBe(null)

        const [busy, waiting] = [yield* newWebhook, yield* newWebhook]
        for (const webhook of [busy, waiting]) yield* Given.delivery(webhook)
        yield* advance("6 minutes")
        yield* leaseDeliveries({ exceptions: [{ targetId: waiting.id, limit: 0 }] })
        expect(yield* notificationWaits).toBe(6)
        yield* leaseDeliveries()
        expect(yield* notificationWaits).toBe(null)
      }),
    ),

    contractCase(
      "measures the database, if it is on a disk",
      Effect.gen(function* () {
        const bytes = yield* Effect.flatMap(HealthStore, ({ databaseBytes }) => databaseBytes)
        if (bytes !== null) expect(bytes).toBeGreaterThan(8_192)
      }),
    ),

    contractCase(
      "sums pending payloads, notifications and recent failures",
      Effect.gen(function* () {
        const outbox = yield* GroupEventStore
        const { id: projectId } = yield* Given.project()
        const webhook = yield* Given.webhook(projectId)
        const group = yield* Given.group(projectId)
        const event = { projectId, groupId: group.id, event: "group.resolved", document: "{}" } as const
        const counts = [{ projectId, groups: 1, reports: 3 }]
        expect(yield* growth((yield* ProjectStore).addCounts(counts, yield* DateTime.now))).toEqual({
          reports: 3,
        })
        expect(yield* growth(append)).toEqual({ pendingPayloads: 1, pendingBytes: 10 })
        expect(yield* growth(Given.delivery(webhook))).toEqual({ pendingDeliveries: 1 })
        expect(yield* growth(outbox.append([{ ...event, at: longAgo }]))).toEqual({ waitingGroupEvents: 1 })
        expect(
          yield* growth(
            Effect.gen(function* () {
              const pending = yield* PendingPayloads
              const payload = Factory.payload(projectId, { body: new Uint8Array(7) })
              const stored = { ...Factory.storedPayload(projectId), payload, reason: "unreadable" }
              yield* pending.addDeadLetters([stored], { payloads: 10, bytes: 1000 }, yield* DateTime.now)
            }),
          ),
        ).toEqual({ deadLetters: 1, deadLetterBytes: 7 })
      }),
    ),
  ],
}
