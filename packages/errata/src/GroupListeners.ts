/** Tells the application what happens to groups: after the commit, in the order of the changes, one after the other. */
import { GroupEventName, WebAddress } from "@errata/core"
import { GroupEventDocument, Transactions, WebhookPayload } from "@errata/core/internal"
import { GroupEventStore, type NewGroupEvent, UserStore } from "@errata/core/ports"
import { Context, Deferred, Effect, Layer, Queue, Schema } from "effect"
import type { GroupEvents } from "./GroupEvents.js"

export type Listener<Event extends keyof GroupEvents> = (event: GroupEvents[Event]) => void | Promise<void>

export class GroupListeners extends Context.Service<
  GroupListeners,
  {
    /** Listens from now on, until the function that it answers is called. */
    readonly on: <Event extends keyof GroupEvents>(event: Event, listener: Listener<Event>) => () => void
    /**
     * Waits until all that is committed by now is told. Promises of listeners are not waited for. Interrupted where the
     * scope of the listeners closes, or has closed: nobody is told anything any more.
     */
    readonly told: Effect.Effect<void>
  }
>()("errata/GroupListeners") {}

/**
 * Listeners on what is announced through these stores. Everybody has to work on the `GroupEventStore` that comes out of it:
 * the outbox of webhooks, which it stands in front of.
 */
export const layer: Layer.Layer<GroupListeners | GroupEventStore, never, GroupEventStore | UserStore> =
  Layer.effectContext(
    Effect.gen(function* () {
      const outbox = yield* GroupEventStore
      const users = yield* UserStore
      const waiting = yield* Queue.unbounded<Waiting>()
      const listeners = new Map<GroupEventName, Set<Listener<never>>>()
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      let isClosed = false
      // Before the loop begins, so that this comes after its end.
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          isClosed = true
          for (const item of yield* Queue.clear(waiting)) {
            if (item._tag === "Barrier") yield* Deferred.interrupt(item.reached)
          }
        }),
      )

      const failed = (event: string) => (error: unknown) => {
        runFork(Effect.annotateLogs(Effect.logError("A listener failed", error), { event }))
      }

      const tell = (event: GroupEventName, payload: unknown): void => {
        // Those who begin to listen meanwhile are not meant.
        for (const listener of [...(listeners.get(event) ?? [])]) {
          try {
            const result: unknown = listener(structuredClone(payload) as never)
            if (result instanceof Promise) result.catch(failed(event))
          } catch (error) {
            failed(event)(error)
          }
        }
      }

      const read = Effect.fnUntraced(function* ({ document, event }: NewGroupEvent) {
        const read = yield* GroupEventDocument.decode(document)
        const ids = WebhookPayload.usersIn(read)
        const names = ids.length === 0 ? new Map() : yield* users.names([...new Set(ids)])
        tell(event, JSON.parse(WebhookPayload.ofDocument(read, names, yield* WebAddress)))
      })

      const next = Effect.flatMap(Queue.take(waiting), (item) =>
        item._tag === "Barrier"
          ? Deferred.succeed(item.reached, undefined)
          : read(item.event).pipe(
              Effect.catchCause((cause) =>
                Effect.annotateLogs(Effect.logError("Notifying listeners failed", cause), {
                  event: item.event.event,
                }),
              ),
            ),
      )
      yield* Effect.forkScoped(Effect.interruptible(Effect.forever(next)))

      const append = (events: ReadonlyArray<NewGroupEvent>) => {
        const heard = events.filter(({ event }) => (listeners.get(event)?.size ?? 0) > 0)
        const appended = outbox.append(events)
        if (heard.length === 0) return appended
        const items = heard.map((event) => ({ _tag: "Event" as const, event }))
        const waits = Effect.suspend(() =>
          isClosed ? Effect.void : Effect.asVoid(Queue.offerAll(waiting, items)),
        )
        return Effect.andThen(appended, Transactions.afterCommit(waits))
      }

      return Context.make(GroupEventStore, {
        ...outbox,
        append: (events) => Effect.suspend(() => append(events)),
      }).pipe(
        Context.add(GroupListeners, {
          on: (event, listener) => {
            if (!isEventName(event)) {
              throw new TypeError(`Unknown event ${event}. Events are ${GroupEventName.literals.join(", ")}`)
            }
            // A function of its own each time: the same listener may be there twice.
            const own: Listener<never> = (told) => listener(told)
            const some = listeners.get(event) ?? new Set()
            listeners.set(event, some.add(own))
            return () => {
              some.delete(own)
            }
          },
          told: Effect.gen(function* () {
            if (isClosed) return yield* Effect.interrupt
            const reached = yield* Deferred.make<void>()
            yield* Queue.offer(waiting, { _tag: "Barrier", reached })
            yield* Deferred.await(reached)
          }),
        }),
      )
    }),
  )

// internal

const isEventName = Schema.is(GroupEventName)

type Waiting =
  | { readonly _tag: "Event"; readonly event: NewGroupEvent }
  | { readonly _tag: "Barrier"; readonly reached: Deferred.Deferred<void> }
