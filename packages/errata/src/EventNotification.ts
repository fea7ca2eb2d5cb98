/** Notifies listeners of leased events, and settles the events or returns them to the outbox. */
import {
  GroupEventDocument,
  type GroupEventName,
  GroupEventStore,
  type GroupId,
  type LeasedGroupEvent,
  type ProjectId,
  UserStore,
  WebAddress,
  WebhookPayload,
} from "@errata/core"
import { Clock, Effect, Option } from "effect"

/** A listener, and the events that it hears. */
export interface Listening {
  readonly event: GroupEventName
  /** Null for all projects. */
  readonly projects: ReadonlyArray<ProjectId> | null
  readonly tell: (payload: never) => unknown
}

/** Calls the listeners and settles the events, whatever the listeners do with them. */
export const notifyAtOnce = (
  consumer: string,
  events: ReadonlyArray<LeasedGroupEvent>,
  listening: ReadonlySet<Listening>,
) =>
  Effect.gen(function* () {
    const outbox = yield* GroupEventStore
    for (const event of events) {
      for (const result of call(event, yield* payloadOf(event), listening)) {
        yield* Effect.forkDetach(succeeds(event, () => result))
      }
    }
    yield* outbox.settle(consumer, events)
  })

/**
 * Settles each event when its listeners are done with it. If a listener fails, the event stays leased, and later events of
 * its group are returned to the outbox, which holds them back. Listeners hear the event again when its lease has run out.
 * Ends early when the instance is closed. Answers how many events it has returned.
 */
export const notifyInTurn = (
  consumer: string,
  events: ReadonlyArray<LeasedGroupEvent>,
  listening: ReadonlySet<Listening>,
  closing: AbortSignal,
) =>
  Effect.gen(function* () {
    const outbox = yield* GroupEventStore
    const began = yield* Clock.currentTimeMillis
    const left: Array<LeasedGroupEvent> = []
    const failed = new Set<GroupId>()
    for (const event of events) {
      const isLate = (yield* Clock.currentTimeMillis) - began > batchMillis
      if (closing.aborted || isLate || failed.has(event.groupId)) left.push(event)
      else if (yield* isDone(event, listening, closing)) yield* outbox.settle(consumer, [event])
      else failed.add(event.groupId)
    }
    if (left.length > 0) yield* outbox.release(consumer, left)
    return left.length
  }).pipe(Effect.uninterruptible)

/** How long a lease must be for `notifyInTurn`, in milliseconds. */
export const leaseMillis = 60_000

// internal

/** After this time a batch begins with no further event. */
const batchMillis = 20_000
/** A listener that takes longer has failed. With the time of the batch it ends before the lease. */
const listenerMillis = 30_000
/** How long a listener may go on when the instance is closed. */
const graceMillis = 5_000
/** Then the event is given up. */
const maxAttempts = 10

/** As webhooks get it; null if it cannot be read, which no other attempt would change. */
const payloadOf = Effect.fnUntraced(function* ({ document, event, id }: LeasedGroupEvent) {
  const users = yield* UserStore
  const read = yield* Effect.option(GroupEventDocument.decode(document))
  if (Option.isNone(read)) {
    yield* Effect.annotateLogs(Effect.logError("A group event cannot be read. Listeners do not hear it"), {
      event,
      id,
    })
    return null
  }
  const ids = WebhookPayload.usersIn(read.value)
  const names = ids.length === 0 ? new Map() : yield* users.names([...new Set(ids)])
  return WebhookPayload.ofDocument(read.value, names, yield* WebAddress)
})

/** Calls those who listen to an event; those who begin to meanwhile are not meant. */
const call = (event: LeasedGroupEvent, payload: string | null, listening: ReadonlySet<Listening>) =>
  payload === null
    ? []
    : [...listening]
        .filter(
          ({ event: name, projects }) =>
            name === event.event && (projects?.includes(event.projectId) ?? true),
        )
        .map(({ tell }) => {
          const result = (async () => tell(JSON.parse(payload) as never))()
          // The failure is handled a little later.
          result.catch(() => {})
          return result
        })

/** Answers whether the listener has finished without a failure. */
const succeeds = ({ event }: LeasedGroupEvent, result: () => Promise<unknown>) =>
  Effect.tryPromise({ try: result, catch: (error) => error }).pipe(
    Effect.as(true),
    Effect.catch((error) =>
      Effect.as(Effect.annotateLogs(Effect.logError("A listener failed", error), { event }), false),
    ),
  )

const isDone = Effect.fnUntraced(function* (
  event: LeasedGroupEvent,
  listening: ReadonlySet<Listening>,
  closing: AbortSignal,
) {
  const payload = yield* payloadOf(event)
  if (payload === null) return true
  const calls = call(event, payload, listening)
  const results = yield* Effect.forEach(calls, (call) => succeeds(event, () => within(call, closing)), {
    concurrency: "unbounded",
  })
  // None if the nodes that share the events do not have the same listeners. Then it is for another node.
  if (results.length > 0 && results.every((isFinished) => isFinished)) return true
  if (event.attempts < maxAttempts) return false
  yield* Effect.annotateLogs(Effect.logError("An event is given up that no listener has finished"), {
    event: event.event,
    attempts: event.attempts,
  })
  return true
})

const within = (work: Promise<unknown>, closing: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new Error("The listener did not finish in time"))
    let timer = setTimeout(late, listenerMillis).unref()
    const hurry = () => {
      clearTimeout(timer)
      timer = setTimeout(late, graceMillis)
    }
    closing.addEventListener("abort", hurry, { once: true })
    work
      .then(() => resolve(), reject)
      .finally(() => {
        clearTimeout(timer)
        closing.removeEventListener("abort", hurry)
      })
  })
