/** Notifies the application of changes of groups, after the commit and in order. */
import { createHash, randomUUID } from "node:crypto"
import { GroupEventName, ProjectId } from "@errata/core"
import { Transactions, Waiting } from "@errata/core/internal"
import { GroupEventStore, type UserStore } from "@errata/core/ports"
import { Context, Deferred, Effect, Fiber, Layer, Schedule, Schema, Scope } from "effect"
import * as EventConsumer from "./EventConsumer.js"
import type { GroupEvents } from "./GroupEvents.js"

/** A function that receives the events of one name. */
export type Listener<Event extends keyof GroupEvents> = (event: GroupEvents[Event]) => void | Promise<void>

export interface Listening {
  /** Projects whose events are delivered. */
  readonly projects: "all" | ReadonlyArray<number>
  /** Nodes that listen with the same name share the events. Without it, every node receives every event. */
  readonly queue?: string | undefined
}

/** The listeners of an instance. */
export class GroupListeners extends Context.Service<
  GroupListeners,
  {
    /** Adds a listener. Returns a function that removes it. */
    readonly on: <Event extends keyof GroupEvents>(
      event: Event,
      listener: Listener<Event>,
      listening: Listening,
    ) => () => void
    /** Waits until this node's listeners were called for all committed events. Interrupted if their scope is closed. */
    readonly notified: Effect.Effect<void>
  }
>()("errata/GroupListeners") {}

/**
 * Listeners to the events of this outbox. All services must use the `GroupEventStore` that this layer provides: it
 * wakes the listeners of this node without a poll.
 */
export const layer: Layer.Layer<GroupListeners | GroupEventStore, never, GroupEventStore | UserStore> =
  Layer.effectContext(
    Effect.gen(function* () {
      const outbox = yield* GroupEventStore
      const context = yield* Effect.context<GroupEventStore | UserStore>()
      const runFork = Effect.runForkWith(context)
      const consumers = new Map<string, Running>()
      const closed = yield* Deferred.make<never>()
      const fibers = yield* Scope.make()
      let isClosed = false
      yield* Effect.addFinalizer((exit) =>
        Effect.gen(function* () {
          isClosed = true
          for (const { consumer } of consumers.values()) consumer.stop()
          yield* Deferred.interrupt(closed)
          yield* Waiting.atMost(stopTimeout)(
            Effect.forEach([...consumers.values()], ({ fiber }) => Fiber.await(fiber), { discard: true }),
          )
          yield* Waiting.atMost("1 second")(Scope.close(fibers, exit))
        }),
      )

      const open = (queue: string): Running => {
        const consumer = Effect.runSync(
          queue === everyNode ? EventConsumer.ofNode(randomUUID()) : EventConsumer.ofQueue(queue),
        )
        const fiber = runFork(Effect.flatMap(Effect.forkIn(consumer.run, fibers), Fiber.join))
        return { consumer, fiber }
      }

      const append: GroupEventStore["Service"]["append"] = (events) =>
        Effect.gen(function* () {
          const running = [...consumers.values()]
          for (const { consumer } of running) yield* consumer.subscribeIfNew
          yield* outbox.append(events)
          if (running.length === 0) return
          yield* Transactions.afterCommit(
            Effect.sync(() => {
              for (const { consumer } of running) consumer.wake()
            }),
          )
        }).pipe(Effect.provideService(GroupEventStore, outbox))

      const on: GroupListeners["Service"]["on"] = (event, listener, { projects, queue }) => {
        checkEvent(event)
        checkProjects(projects)
        const name = queue === undefined ? everyNode : queueOf(queue, projects)
        if (isClosed) return () => {}
        const running = consumers.get(name) ?? open(name)
        consumers.set(name, running)
        const added = {
          event,
          projects: projects === "all" ? null : (projects as ReadonlyArray<ProjectId>),
          tell: listener,
        }
        running.consumer.add(added)
        return () => {
          running.consumer.remove(added)
          if (!running.consumer.isEmpty() || consumers.get(name) !== running) return
          consumers.delete(name)
          running.consumer.stop()
        }
      }

      const notified = Effect.suspend(() =>
        isClosed
          ? Effect.interrupt
          : Effect.raceFirst(
              Effect.forEach([...consumers.values()], notifyAll, { discard: true }),
              Deferred.await(closed),
            ),
      ).pipe(Effect.provide(context))

      return Context.make(GroupEventStore, { ...outbox, append }).pipe(
        Context.add(GroupListeners, { on, notified }),
      )
    }),
  )

// internal

/** Retries as long as the caller waits, since the storage may recover. */
const notifyAll = ({ consumer }: Running) =>
  consumer.notifyAll.pipe(
    Effect.retry(Schedule.spaced("200 millis")),
    // Only for the type: the schedule never ends.
    Effect.orDie,
  )

interface Running {
  readonly consumer: EventConsumer.EventConsumer
  readonly fiber: Fiber.Fiber<void>
}

/** Maximum time that closing waits for listeners. It exceeds the time that a running listener gets. */
const stopTimeout = "6 seconds"

const isEventName = Schema.is(GroupEventName)

const checkEvent = (event: string): void => {
  if (isEventName(event)) return
  throw new TypeError(`Unknown event ${event}. Events are ${GroupEventName.literals.join(", ")}`)
}

const isProjectId = Schema.is(ProjectId)

const checkProjects = (projects: Listening["projects"]): void => {
  if (projects === "all" || (projects.length > 0 && projects.every((id) => isProjectId(id)))) return
  throw new TypeError("The projects of a listener must be all, or ids of projects")
}

/** The queue of listeners that run on every node. `queueOf` never returns this name. */
const everyNode = ""

/** The name includes the projects: applications that share a storage may use the same names for different projects. */
const queueOf = (name: string, projects: Listening["projects"]): string => {
  if (!/^[\w.:-]{1,100}$/.test(name)) {
    throw new TypeError(
      "The name of a queue must be 1 to 100 letters, digits, dots, colons, hyphens or underscores",
    )
  }
  if (projects === "all") return `all/${name}`
  const ids = [...new Set(projects)].sort((a, b) => a - b).join(",")
  const of = ids.length <= 40 ? ids : createHash("sha256").update(ids).digest("hex").slice(0, 40)
  return `${of}/${name}`
}
