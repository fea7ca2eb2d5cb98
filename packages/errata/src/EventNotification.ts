/** Notifies listeners of leased events, and settles the events or returns them to the outbox. */
import { type GroupEventName, type GroupId, type ProjectId, WebAddress } from "@errata/core"
import { GroupEventDocument, RealTimers, WebhookPayload } from "@errata/core/internal"
import { GroupEventStore, type LeasedGroupEvent, UserStore } from "@errata/core/ports"
import { Clock, Effect, Option } from "effect"

/** A listener and its events. */
export interface Listening {
  readonly event: GroupEventName
  /** Null for all projects. */
  readonly projects: ReadonlyArray<ProjectId> | null
  readonly tell: (payload: never) => unknown
}

/** Calls the listeners and settles the events, even if listeners fail. */
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
 * Settles each event after its listeners have finished. If a listener fails, the event stays leased and is delivered
 * again after the lease expires. Later events of its group are returned to the outbox, which holds them back. Ends
 * early when the instance closes. Returns the number of returned events.
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

/** Length of a lease for `notifyInTurn`, in milliseconds. */
export const leaseMillis = 60_000

// internal

/** After this time a batch begins with no further event. */
const batchMillis = 20_000
/** Time limit of a listener. With the time for the batch it is shorter than the lease. */
const listenerMillis = 30_000
/** Time limit of a running listener when the instance closes. */
const graceMillis = 5_000
/** After this many attempts, the event is dropped. */
const maxAttempts = 10

/** The payload of webhooks. Null if it cannot be read, which no retry would change. */
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

/** Calls the current listeners of an event. Listeners added during the call are not included. */
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

/** True if the listener has finished without a failure. */
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
  // Without matching listeners on this node, another node that shares the queue may have them.
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
    let timer = RealTimers.setTimeout(late, listenerMillis).unref()
    const hurry = () => {
      RealTimers.clearTimeout(timer)
      timer = RealTimers.setTimeout(late, graceMillis)
    }
    closing.addEventListener("abort", hurry, { once: true })
    work
      .then(() => resolve(), reject)
      .finally(() => {
        RealTimers.clearTimeout(timer)
        closing.removeEventListener("abort", hurry)
      })
  })
