/** Honest senders: applications that send one event after the other and record the responses. */
import type { OutgoingHttpHeaders } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import type { Cleanup } from "./Cleanup.js"
import * as Ledger from "./Ledger.js"

export interface Traffic {
  readonly ledger: Ledger.Ledger
  /** Waits for the requests in flight, then sends no more. */
  readonly stop: () => Promise<void>
}

export interface Sending {
  readonly body: string | Uint8Array
  readonly headers?: OutgoingHttpHeaders
}

export interface TrafficOptions {
  /** The URL for the next request, read before each one. */
  readonly url: () => string
  /** Eight hexadecimal digits, unique among the traffic of a project. */
  readonly source: string
  readonly connections: number
  /** Pause of each sender after a response, in ms. */
  readonly pause?: number
  /** Maximum number of requests. */
  readonly atMost?: number
  readonly bodyOf?: (id: string, index: number) => Sending
  /** Timeout of a response in ms. */
  readonly patience?: number
}

export const start = (options: TrafficOptions, cleanup: Cleanup): Traffic => {
  const { atMost = Number.POSITIVE_INFINITY, connections, source, url } = options
  const bodyOf: (id: string, index: number) => Sending =
    options.bodyOf ?? ((id, index) => ({ body: Events.envelope(id, index) }))
  const patience = options.patience ?? 90_000
  const ledger = Ledger.make()
  const agent = Http.keepAlive(connections)
  let stopped = false
  let next = 0
  const sender = async () => {
    while (!stopped && next < atMost) {
      const index = next++
      const id = Events.eventId(source, index)
      ledger.send(id)
      const { body, headers } = bodyOf(id, index)
      const [answered, retryAfter] = await ask(url(), { body, agent, ...(headers && { headers }) }, patience)
      ledger.answer(id, answered, retryAfter)
      // Without a pause, senders would spin while the server is down.
      if (answered !== 200 || options.pause !== undefined) await pause(options.pause ?? 20)
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, sender))
  const stop = async () => {
    stopped = true
    await ended
    agent.destroy()
  }
  cleanup.defer(() => {
    stopped = true
    agent.destroy()
    return ended
  })
  return { ledger, stop }
}

/** Sends a request. Returns its outcome and `Retry-After`. */
export const ask = async (
  url: string,
  sending: Http.Sending,
  patience: number,
): Promise<readonly [Ledger.Answered, string | undefined]> => {
  const controller = new AbortController()
  const answer = Http.send(url, sending).then(
    ({ headers, status }) => [status, headers["retry-after"]] as const,
    (error) => [codeOf(error) === "ECONNREFUSED" ? "refused" : "broken", undefined] as const,
  )
  const silence = pause(patience, ["silent", undefined] as const, { signal: controller.signal, ref: false })
  try {
    return await Promise.race([answer, silence.catch(() => ["silent", undefined] as const)])
  } finally {
    controller.abort()
  }
}

// internal

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined
