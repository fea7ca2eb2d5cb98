import { Socket } from "node:net"
import type { Duration } from "effect"
import { toMillis } from "effect/Duration"

/**
 * Makes connections that break off where the server has not answered for so long. Nothing else ends a statement on a
 * server that hangs or is gone without a word: TCP notices that after a quarter of an hour.
 */
export const make = (longestSilence: Duration.Input) => (): Socket => {
  const millis = toMillis(longestSilence)
  const socket = new Socket()
  // Connections that nobody uses are closed by the pool before that.
  socket.setTimeout(millis, () => {
    const { bytesRead } = socket
    // After a pause of this process the timer is due before the answer that arrived meanwhile is read, which happens now.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) {
        socket.destroy(new Error(`The database has not responded for ${millis} ms`))
      }
    })
  })
  return socket
}
