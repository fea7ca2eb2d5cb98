import { Socket } from "node:net"
import type { Duration } from "effect"
import { toMillis } from "effect/Duration"

/**
 * Makes sockets that close after the server was silent for a time. Without it, a statement on a hanging or lost server
 * would wait for TCP's timeout of about 15 minutes.
 */
export const make = (longestSilence: Duration.Input) => (): Socket => {
  const millis = toMillis(longestSilence)
  const socket = new Socket()
  // The pool closes idle connections before this timeout.
  socket.setTimeout(millis, () => {
    const { bytesRead } = socket
    // After a pause of this process, the timer fires before a response that has arrived is read. Read it first.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) {
        socket.destroy(new Error(`The database has not responded for ${millis} ms`))
      }
    })
  })
  return socket
}
