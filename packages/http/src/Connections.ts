/** Tracks the connections of a Node server and closes them without losing responses. */
import type { Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import { Duration, Effect, Fiber, Schedule } from "effect"

export interface Connections {
  /** Call this for every request, before its response is written. */
  readonly begin: (response: ServerResponse) => void
  /**
   * Stops the server. It accepts no more connections, and every response has `Connection: close`. After a grace period,
   * in which clients of kept connections can receive such a response, it closes idle connections. Requests without a
   * response after three quarters of `timeout` receive 503. After `timeout`, the remaining connections are destroyed.
   * Cannot be interrupted; a second call does nothing.
   */
  readonly end: (timeout: Duration.Input) => Effect.Effect<void>
}

export const make = (server: Server): Connections => {
  // Modified only when connections open and close. If each request changed the map, it would be rehashed constantly,
  // and V8 chains the old tables: each would promote the requests it has seen to the old generation.
  const open = new Map<Socket, Connection>()
  const marked = new WeakSet<ServerResponse>()
  let accepted = 0
  let begun = 0
  let ending = false
  let telling = false

  const mark = (response: ServerResponse) => {
    if (!response.shouldKeepAlive) return
    response.shouldKeepAlive = false
    marked.add(response)
  }

  server.on("connection", (socket: Socket) => {
    accepted++
    open.set(socket, { owed: null })
    socket.once("close", () => open.delete(socket))
  })

  const begin = (response: ServerResponse) => {
    begun++
    const connection = open.get(response.req.socket)
    // The connection is already closed.
    if (connection === undefined) return
    if (telling) {
      // Pipelined behind another request, whose response is no longer the last.
      const before = connection.owed
      if (before !== null && marked.has(before)) before.shouldKeepAlive = true
      mark(response)
    }
    connection.owed = response
    response.once("close", () => {
      if (connection.owed === response) connection.owed = null
    })
  }

  // Node does not count connections that were never used as idle.
  const closeIdle = Effect.sync(() => {
    server.closeIdleConnections()
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy()
  })

  // Node accepts one connection per turn of the event loop, and resets those still in the kernel's backlog when
  // listening ends. A turn without a new connection means that the backlog is empty; two turns, since the current one
  // may have accepted already.
  const acceptWaiting = turnsWhile(() => accepted)

  // Timers run before sockets are read. After a stall, requests wait in the kernel on connections that are idle to
  // Node, and closing a connection with unread bytes resets it.
  const closeRead = Effect.andThen(
    turnsWhile(() => begun),
    closeIdle,
  )

  const refuse = Effect.sync(() => {
    for (const { owed } of open.values()) {
      if (owed === null || owed.headersSent) continue
      owed.writeHead(503, { "retry-after": "2", connection: "close", "content-length": "0" }).end()
    }
  })

  const close = Effect.fnUntraced(function* (timeout: Duration.Duration) {
    // Limited: turns are long under load, and clients that keep reconnecting would extend this forever.
    yield* Effect.timeoutOption(acceptWaiting, Duration.times(timeout, 0.5))
    const closed = Effect.callback<void>((resume) => {
      // Not the method of `http.Server`, which closes idle connections immediately, even if a request is on its way.
      NetServer.prototype.close.call(server, () => resume(Effect.void))
    })
    // Only after listening ends: clients would reconnect.
    const tell = Effect.sync(() => {
      telling = true
      for (const { owed } of open.values()) if (owed !== null) mark(owed)
    })
    const closing = closeRead.pipe(
      Effect.repeat(Schedule.spaced("25 millis")),
      Effect.delay(idleGrace),
      Effect.andThen(Effect.never),
    )
    yield* Effect.raceFirst(closed, Effect.andThen(tell, closing))
  })

  const stop = (timeout: Duration.Duration) => {
    const refusing = Effect.andThen(Effect.delay(refuse, Duration.times(timeout, 0.75)), Effect.never)
    return Effect.raceFirst(close(timeout), refusing).pipe(Effect.timeoutOption(timeout), Effect.andThen(cut))
  }

  const cut = Effect.sync(() => {
    server.closeAllConnections()
    // Also ends Node's connection timeout checks.
    server.close()
  })

  return {
    begin,
    // On a separate fiber: the server's fiber is interrupted when this runs, and would be interrupted again here.
    end: (timeout) =>
      Effect.suspend(() => {
        if (ending) return Effect.void
        ending = true
        return Effect.flatMap(
          Effect.forkDetach(Effect.interruptible(stop(Duration.fromInputUnsafe(timeout)))),
          Fiber.join,
        )
      }),
  }
}

// internal

interface Connection {
  /** The last pending response. Only the last response of a connection decides whether it stays open. */
  owed: ServerResponse | null
}

const idleGrace = Duration.millis(300)

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Waits until a count is unchanged for two turns of the event loop. */
const turnsWhile = (count: () => number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = count()
    return Effect.andThen(
      turn,
      Effect.map(turn, () => count() > before),
    )
  }).pipe(Effect.repeat({ while: (grew) => grew }), Effect.asVoid)
