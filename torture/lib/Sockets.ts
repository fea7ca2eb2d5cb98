/** Connections of clients that break the protocol. */
import { connect, type Socket } from "node:net"
import type { Cleanup } from "./Cleanup.js"

export interface Attack {
  /** Connections opened so far. */
  readonly opened: () => number
  /** Connections that the server closed. */
  readonly closed: () => number
  readonly stop: () => void
}

/**
 * Keeps `count` connections to the server open and passes each to `use`. A connection that the server closes is
 * replaced, unless `again` is false.
 */
export const hold = (
  base: string,
  count: number,
  use: (socket: Socket) => void,
  cleanup: Cleanup,
  { again = true, allowHalfOpen = false } = {},
): Attack => {
  const { hostname, port } = new URL(base)
  const sockets = new Set<Socket>()
  let stopped = false
  let opened = 0
  let closed = 0
  const open = () => {
    opened++
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen })
    sockets.add(socket)
    // Attackers ignore resets.
    socket.on("error", () => {})
    socket.resume()
    socket.once("connect", () => use(socket))
    socket.once("close", () => {
      sockets.delete(socket)
      if (stopped) return
      closed++
      if (again) setTimeout(() => stopped || open(), 20)
    })
  }
  for (let i = 0; i < count; i++) open()
  const stop = () => {
    stopped = true
    for (const socket of sockets) socket.destroy()
  }
  cleanup.defer(stop)
  return { opened: () => opened, closed: () => closed, stop }
}

/** The head of a request without a key, so the server cannot authenticate it yet. */
export const head = (path: string, headers: Readonly<Record<string, string | number>>): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`
