/** A consumer of the outbox for listeners: it subscribes to their events, leases them, and notifies the listeners. */
import { ErrataConfig, GroupEventName, type StorageError } from "@errata/core"
import { StorageOutage } from "@errata/core/internal"
import { GroupEventStore, type LeasedGroupEvent, type UserStore } from "@errata/core/ports"
import { Clock, Duration, Effect, Queue, Semaphore } from "effect"
import { type Listening, leaseMillis, notifyAtOnce, notifyInTurn } from "./EventNotification.js"

/** Listeners that share the events of a consumer. They receive one event after another. */
export interface EventConsumer {
  readonly add: (listening: Listening) => void
  readonly remove: (listening: Listening) => void
  readonly isEmpty: () => boolean
  /** Subscribes if the outbox may lack a subscription. In the transaction of an event, so that the event is not missed. */
  readonly subscribeIfNew: Effect.Effect<void, StorageError, GroupEventStore>
  /** There may be events. */
  readonly wake: () => void
  /** Notifies listeners of all events that wait now. */
  readonly notifyAll: Services<void>
  /** Notifies listeners of events until `stop` is called. */
  readonly run: Effect.Effect<void, never, GroupEventStore | UserStore>
  readonly stop: () => void
}

/** Every node has its own consumer and receives every event. Unreceived events are deleted with it. */
export const ofNode = (id: string): Effect.Effect<EventConsumer> => {
  const name = `node/${id}`
  return make({
    name,
    keep: Duration.minutes(5),
    notify: (listening) => notifySome(name, 100, (events) => notifyAtOnce(name, events, listening)),
    end: Effect.flatMap(GroupEventStore, (outbox) => Effect.ignore(outbox.unsubscribe(name))),
  })
}

/** Nodes that listen to one queue share such a consumer: one of them receives each event. Events wait for a node. */
export const ofQueue = (queue: string): Effect.Effect<EventConsumer> => {
  const name = `queue/${queue}`
  let limit = 10
  return make({
    name,
    keep: Duration.days(7),
    notify: (listening, stopping) =>
      notifySome(name, limit, (events) =>
        Effect.map(notifyInTurn(name, events, listening, stopping), (left) => {
          // Each lease counts as an attempt, so slow listeners receive one event at a time.
          limit = left === 0 ? 10 : 1
        }),
      ),
    end: Effect.void,
  })
}

// internal

type Services<A> = Effect.Effect<A, StorageError, GroupEventStore | UserStore>

interface Kind {
  readonly name: string
  /** Expiry of the subscription if no node renews it. */
  readonly keep: Duration.Duration
  /** Leases some events and notifies listeners. Returns the number of events. */
  readonly notify: (listening: ReadonlySet<Listening>, stopping: AbortSignal) => Services<number>
  readonly end: Effect.Effect<void, never, GroupEventStore>
}

const prolongMillis = 60_000

const notifySome = (
  consumer: string,
  limit: number,
  notify: (events: ReadonlyArray<LeasedGroupEvent>) => Services<void>,
): Services<number> =>
  Effect.gen(function* () {
    const outbox = yield* GroupEventStore
    const events = yield* outbox.lease({ consumer, limit, duration: Duration.millis(leaseMillis) })
    if (events.length > 0) yield* notify(events)
    return events.length
  })

const make = Effect.fnUntraced(function* ({ end, keep, name, notify }: Kind) {
  const wakes = yield* Queue.sliding<void>(1)
  const turns = yield* Semaphore.make(1)
  const stopping = new AbortController()
  const listening = new Set<Listening>()
  /** Changes with each new listener. */
  let version = 0
  /** The version that the outbox knows, and since when, in milliseconds. */
  let subscribed = { version: 0, at: 0 }

  const wake = () => {
    Queue.offerUnsafe(wakes, undefined)
  }

  const subscribe = Effect.gen(function* () {
    const outbox = yield* GroupEventStore
    // In one order, so that no two nodes wait for each other.
    for (const event of GroupEventName.literals) {
      const asked = [...listening].filter((some) => some.event === event).map(({ projects }) => projects)
      if (asked.length === 0) continue
      const projects = asked.includes(null) ? null : [...new Set(asked.flatMap((ids) => ids ?? []))]
      yield* outbox.subscribe({ consumer: name, events: [event], projects, duration: keep })
    }
  })

  const prolong = Effect.gen(function* () {
    const current = { version, at: yield* Clock.currentTimeMillis }
    if (subscribed.version === current.version && current.at - subscribed.at < prolongMillis) return
    yield* subscribe
    subscribed = current
  })

  const notifyAll = turns.withPermits(1)(
    Effect.andThen(
      prolong,
      Effect.repeat(
        Effect.suspend(() => notify(listening, stopping.signal)),
        { while: (count) => count > 0 && !stopping.signal.aborted },
      ),
    ),
  )

  const run = Effect.gen(function* () {
    const { webhooks } = yield* ErrataConfig
    const outage = yield* StorageOutage.StorageOutage
    const turn = Effect.catchCause(notifyAll, (cause) =>
      Effect.andThen(
        outage.logFailure("Notifying listeners failed and will be retried", cause),
        Effect.sleep("1 second"),
      ),
    )
    while (!stopping.signal.aborted) {
      yield* turn
      yield* Effect.raceFirst(Queue.take(wakes), Effect.sleep(webhooks.pollInterval))
    }
    yield* end
  })

  return {
    add: (added) => {
      listening.add(added)
      version++
      wake()
    },
    remove: (removed) => {
      listening.delete(removed)
    },
    isEmpty: () => listening.size === 0,
    subscribeIfNew: Effect.suspend(() => (subscribed.version === version ? Effect.void : subscribe)),
    wake,
    notifyAll: Effect.asVoid(notifyAll),
    run,
    stop: () => {
      stopping.abort()
      wake()
    },
  } satisfies EventConsumer
})
