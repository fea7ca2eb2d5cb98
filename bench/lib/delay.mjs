/** A way to a database on which every answer takes longer, as from another region. */
import { connect, createServer } from "node:net"
import { defer } from "./cleanup.mjs"

/** The URL of the database through a port of loopback that holds back what the database says for so many milliseconds. */
export const startDelay = async (databaseUrl, millis) => {
  const url = new URL(databaseUrl)
  const folder = url.searchParams.get("host")
  const port = Number(url.port || 5432)
  const target = folder?.startsWith("/")
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? url.hostname, port }
  const sockets = new Set()
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(target)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.on("data", (chunk) => far.write(chunk))
    // Timers of one length end in the order in which they began, so the order of the bytes stays.
    far.on("data", (chunk) => setTimeout(() => near.writable && near.write(chunk), millis))
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = defer(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        for (const socket of sockets) socket.destroy()
      }),
  )
  url.searchParams.delete("host")
  url.hostname = "127.0.0.1"
  url.port = String(server.address().port)
  return { url: url.href, stop }
}
