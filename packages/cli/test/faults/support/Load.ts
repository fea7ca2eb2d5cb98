/** Many clients at once that send events one after the other and remember what they were answered. */
import { setTimeout } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import * as Events from "./Events.js"
import * as Http from "./Http.js"

export interface Target {
  /** The address that takes envelopes, with the key. */
  readonly url: string
}

export interface Load {
  /** The ids of all events that were sent, whatever became of them. */
  readonly sent: ReadonlySet<string>
  /** The ids of those that were answered with 200. */
  readonly accepted: ReadonlySet<string>
  /** How often each status was answered; 0 counts requests that got no answer. */
  readonly statuses: ReadonlyMap<number, number>
  /** Waits for the requests under way, then sends no more. */
  readonly stop: Effect.Effect<void>
  /** Breaks the connections. */
  readonly abort: Effect.Effect<void>
}

export interface LoadOptions {
  /** Where each connection sends next: asked before every request. */
  readonly target: () => Target
  /** Eight hexadecimal digits by which the events are told from those of another load. */
  readonly source: string
  readonly connections?: number
}

/**
 * Sends until it is stopped, at most 200 events a second: a server that is busy all the time would only slow down the tests beside
 * it. A request that fails is not repeated.
 */
export const start = (options: LoadOptions): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => launch(options)),
    // After a failed test requests may be without an answer still.
    (load) => Effect.andThen(load.abort, load.stop),
  )

// internal

const launch = ({ target, source, connections = 32 }: LoadOptions): Load => {
  const agent = Http.keepAlive(connections)
  const sent = new Set<string>()
  const accepted = new Set<string>()
  const statuses = new Map<number, number>()
  let stopped = false
  let next = 0

  const client = async () => {
    while (!stopped) {
      const index = next++
      const id = Events.eventId(source, index)
      const { url } = target()
      sent.add(id)
      const status = await Http.send(url, { body: Events.envelope(id, index), agent }).then(
        (answer) => answer.status,
        () => 0,
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 200) accepted.add(id)
      await setTimeout(5 * connections)
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, client))
  return {
    sent,
    accepted,
    statuses,
    abort: Effect.sync(() => {
      stopped = true
      agent.destroy()
    }),
    stop: Effect.promise(async () => {
      stopped = true
      await ended
      agent.destroy()
    }),
  }
}
