/** A consumer of the outbox that tells listeners: it subscribes to what they listen to, and leases what has come. */
import {
  ErrataConfig,
  GroupEventName,
  GroupEventStore,
  type LeasedGroupEvent,
  type StorageError,
  StorageOutage,
  type UserStore,
} from "@errata/core"
import { Clock, Duration, Effect, Queue, Semaphore } from "effect"
import { type Listening, leaseMillis, tellAtOnce, tellInTurn } from "./EventTelling.js"

/** Listeners that share the events of a consumer. They are told one event after the other. */
export interface EventConsumer {
  readonly add: (listening: Listening) => void
  readonly remove: (listening: Listening) => void
  readonly isEmpty: () => boolean
  /** Subscribes if the outbox may not know yet what is listened to: also in the transaction of an event, which is not missed then. */
  readonly subscribeIfNew: Effect.Effect<void, StorageError, GroupEventStore>
  /** There may be something to tell. */
  readonly wake: () => void
  /** Tells all that there is now. */
  readonly tellAll: Services<void>
  /** Tells what comes, until `stop` is called. */
  readonly run: Effect.Effect<void, never, GroupEventStore | UserStore>
  readonly stop: () => void
}

/** Every node has such a consumer of its own, and hears every event. The node forgets what it has not heard when it ends. */
export const ofNode = (name: string): Effect.Effect<EventConsumer> =>
  make({
    name: `node/${name}`,
    keep: Duration.minutes(5),
    tell: (listening) =>
      tellSome(`node/${name}`, 100, (events) => tellAtOnce(`node/${name}`, events, listening)),
    end: Effect.flatMap(GroupEventStore, (outbox) => Effect.ignore(outbox.unsubscribe(`node/${name}`))),
  })

/** Nodes that listen under one name share such a consumer: one of them hears each event. What nobody has heard is kept. */
export const ofQueue = (name: string): Effect.Effect<EventConsumer> =>
  make({
    name: `queue/${name}`,
    keep: Duration.days(7),
    tell: (listening, stopping) =>
      tellSome(`queue/${name}`, 10, (events) => tellInTurn(`queue/${name}`, events, listening, stopping)),
    end: Effect.void,
  })

// internal

type Services<A> = Effect.Effect<A, StorageError, GroupEventStore | UserStore>

interface Kind {
  readonly name: string
  /** How long the outbox keeps the subscription when no node prolongs it any more. */
  readonly keep: Duration.Duration
  /** Leases some events and tells them; answers how many those were. */
  readonly tell: (listening: ReadonlySet<Listening>, stopping: AbortSignal) => Services<number>
  readonly end: Effect.Effect<void, never, GroupEventStore>
}

const prolongMillis = 60_000

const tellSome = (
  consumer: string,
  limit: number,
  tell: (events: ReadonlyArray<LeasedGroupEvent>) => Services<void>,
): Services<number> =>
  Effect.gen(function* () {
    const outbox = yield* GroupEventStore
    const events = yield* outbox.lease({ consumer, limit, duration: Duration.millis(leaseMillis) })
    if (events.length > 0) yield* tell(events)
    return events.length
  })

const make = Effect.fnUntraced(function* ({ end, keep, name, tell }: Kind) {
  const wakes = yield* Queue.sliding<void>(1)
  const turns = yield* Semaphore.make(1)
  const stopping = new AbortController()
  const listening = new Set<Listening>()
  /** Changes when somebody begins to listen. */
  let version = 0
  /** What the outbox knows, and since when, in milliseconds. */
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

  const tellAll = turns.withPermits(1)(
    Effect.andThen(
      prolong,
      Effect.repeat(tell(listening, stopping.signal), {
        while: (count) => count > 0 && !stopping.signal.aborted,
      }),
    ),
  )

  const run = Effect.gen(function* () {
    const { webhooks } = yield* ErrataConfig
    const outage = yield* StorageOutage.StorageOutage
    const turn = Effect.catchCause(tellAll, (cause) =>
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
    tellAll: Effect.asVoid(tellAll),
    run,
    stop: () => {
      stopping.abort()
      wake()
    },
  } satisfies EventConsumer
})
