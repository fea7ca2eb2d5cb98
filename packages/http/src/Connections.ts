/** The connections of a Node server, and how they end without an answer being lost. */
import type { Server, ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import { Duration, Effect, Fiber, Schedule } from "effect"

export interface Connections {
  /** To be called for every request before anything answers it. */
  readonly begin: (response: ServerResponse) => void
  /**
   * Ends the server. No more connections are accepted; every answer tells that its connection ends with it; after a
   * moment, in which those who keep connections learn of it by an answer, idle ones are closed; requests under way are
   * answered. A request that is not answered after three quarters of `timeout` is answered with 503. Connections that are
   * still open after `timeout` are cut. Cannot be interrupted, and does nothing a second time.
   */
  readonly end: (timeout: Duration.Input) => Effect.Effect<void>
}

export const make = (server: Server): Connections => {
  // Written only when connections come and go. A table from which every request took an entry would be made anew all the
  // time, and V8 chains the old ones: each would carry the requests that it has seen into the old generation.
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
    // It is closed already.
    if (connection === undefined) return
    if (telling) {
      // It came behind another request: that one's answer is no longer the last.
      const before = connection.owed
      if (before !== null && marked.has(before)) before.shouldKeepAlive = true
      mark(response)
    }
    connection.owed = response
    response.once("close", () => {
      if (connection.owed === response) connection.owed = null
    })
  }

  // Connections that were opened and never used are not idle to Node.
  const closeIdle = Effect.sync(() => {
    server.closeIdleConnections()
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy()
  })

  // The kernel has let in more than were seen here: Node accepts one connection a turn of the event loop, and those left
  // when the listening ends are reset. A turn that brings none has found nobody waiting; the one under way may have
  // looked already.
  const acceptWaiting = turnsWhile(() => accepted)

  // A timer runs before the sockets of its turn are read. After a stall requests wait in the kernel, on connections that
  // are idle to Node, and a connection that is closed with unread bytes is reset.
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

  const stop = (timeout: Duration.Duration) =>
    Effect.gen(function* () {
      // A turn is long where there is much to do, and those who connect anew all the time would keep this going for ever.
      yield* Effect.timeoutOption(acceptWaiting, Duration.times(timeout, 0.5))
      const closed = Effect.callback<void>((resume) => {
        // Not the method of `http.Server`, which closes idle connections at once: on some of them a request is on its way.
        NetServer.prototype.close.call(server, () => resume(Effect.void))
      })
      // Not before the listening ends, or those who are told would come back on new connections.
      const tell = Effect.sync(() => {
        telling = true
        for (const { owed } of open.values()) if (owed !== null) mark(owed)
      })
      const closing = closeRead.pipe(
        Effect.repeat(Schedule.spaced("25 millis")),
        Effect.delay(idleGrace),
        Effect.andThen(Effect.never),
      )
      const refusing = Effect.andThen(Effect.delay(refuse, Duration.times(timeout, 0.75)), Effect.never)
      yield* Effect.raceAll([closed, Effect.andThen(tell, closing), refusing])
    }).pipe(Effect.timeoutOption(timeout), Effect.andThen(cut))

  const cut = Effect.sync(() => {
    server.closeAllConnections()
    // Ends Node's watch over the connections as well.
    server.close()
  })

  return {
    begin,
    // On a fiber of its own: this runs when the server's fiber was interrupted, and would be interrupted itself where it
    // first can be.
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
  /** The last answer that is owed on it. Whether a connection stays is told by its last answer alone. */
  owed: ServerResponse | null
}

const idleGrace = Duration.millis(300)

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Lets the event loop turn until two turns leave a count as it was. */
const turnsWhile = (count: () => number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = count()
    return Effect.andThen(
      turn,
      Effect.map(turn, () => count() > before),
    )
  }).pipe(Effect.repeat({ while: (grew) => grew }), Effect.asVoid)
