/** A proxy in front of a database that delays its responses, as if it were in another region. */
import { connect, createServer } from "node:net"
import { defer } from "./cleanup.mjs"

/** Returns a URL of the database through a loopback port that delays its responses by `millis`. */
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
    // Timers of equal length fire in the order of their creation, which keeps the order of the bytes.
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
