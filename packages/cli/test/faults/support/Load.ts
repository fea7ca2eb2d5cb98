/** Concurrent clients that send events one after the other and record the responses. */
import { setTimeout } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import * as Events from "./Events.js"
import * as Http from "./Http.js"

export interface Target {
  /** The envelope endpoint with the key. */
  readonly url: string
}

export interface Load {
  /** Ids of all sent events, whatever the outcome. */
  readonly sent: ReadonlySet<string>
  /** Ids of the events that were answered with 200. */
  readonly accepted: ReadonlySet<string>
  /** Counts by status; 0 counts requests without a response. */
  readonly statuses: ReadonlyMap<number, number>
  /** Waits for the requests in flight, then sends no more. */
  readonly stop: Effect.Effect<void>
  /** Breaks the connections. */
  readonly abort: Effect.Effect<void>
}

export interface LoadOptions {
  /** Called before every request. */
  readonly target: () => Target
  /** Eight hexadecimal digits that distinguish the events from those of other loads. */
  readonly source: string
  readonly connections?: number
}

/**
 * Sends until stopped, at most 200 events a second, so that concurrent tests are not slowed down. Failed requests are
 * not repeated.
 */
export const start = (options: LoadOptions): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => launch(options)),
    // After a failed test, requests may still be without a response.
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
      await Promise.race([ended, setTimeout(answerMillis, undefined, { ref: false }).then(unanswered)])
      agent.destroy()
    }),
  }
}

/** A request that waits longer will never be answered. */
const answerMillis = 60_000

const unanswered = () => {
  throw new Error(`Some requests had no response within ${answerMillis} ms`)
}
