/** Clients that keep a server busy and count every outcome. Refused connections and resets are counted apart. */
import { connect } from "node:net"
import * as Events from "./Events.js"
import * as Http from "./Http.js"

export interface Busy {
  /** Counts by HTTP status or error code. */
  readonly outcomes: ReadonlyMap<number | string, number>
  /** Ids of all sent events, whatever the outcome. */
  readonly sent: ReadonlySet<string>
  /** Ids of the events that were answered with 200. */
  readonly accepted: ReadonlySet<string>
  /** Resolves when every client has ended, which happens once the server refuses connections. */
  readonly ended: Promise<unknown>
}

/** Sends events on keep-alive connections until new connections are refused. */
export const start = (url: string, source: string, connections: number): Busy => {
  const agent = Http.keepAlive(connections)
  const outcomes = new Map<number | string, number>()
  const sent = new Set<string>()
  const accepted = new Set<string>()
  let next = 0
  const client = async () => {
    for (;;) {
      const index = next++
      const id = Events.eventId(source, index)
      sent.add(id)
      const outcome = await Http.send(url, {
        body: Events.envelope(id, index),
        agent,
        keptFor: idleGrace,
      }).then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      )
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (outcome === 200) accepted.add(id)
      if (outcome === "ECONNREFUSED") return
    }
  }
  const ended = Promise.all(Array.from({ length: connections }, client)).finally(() => agent.destroy())
  return { outcomes, sent, accepted, ended }
}

export interface Upload {
  /** Sends the rest of the body. */
  readonly finish: () => void
  /** The response up to the end of the connection, or an error code. */
  readonly answer: Promise<string>
}

/** Starts a request and sends the first half of its body. */
export const upload = (url: string, body: string): Promise<Upload> =>
  new Promise((resolve) => {
    const { hostname, pathname, port, search } = new URL(url)
    const socket = connect(Number(port), hostname)
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    const answer = new Promise<string>((ended) => {
      socket.on("error", (error: NodeJS.ErrnoException) => ended(error.code ?? error.message))
      socket.on("close", () => ended(received))
    })
    const half = Math.floor(body.length / 2)
    socket.write(
      `POST ${pathname}${search} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    )
    socket.write(body.slice(0, half), () =>
      resolve({ answer, finish: () => void socket.write(body.slice(half)) }),
    )
  })

// internal

/** Time in ms for which a stopping server keeps idle connections. A client that pauses longer finds them closed. */
const idleGrace = 300
