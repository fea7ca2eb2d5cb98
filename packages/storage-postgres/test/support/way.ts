/** A way to a database through something that stands between. */
import { once } from "node:events"
import { type AddressInfo, createServer, type NetConnectOpts, type Server } from "node:net"
import { Effect, Redacted } from "effect"

/** Where the database itself listens. */
export const targetOf = (database: Redacted.Redacted): NetConnectOpts => {
  const url = new URL(Redacted.value(database))
  const folder = url.searchParams.get("host")
  const port = Number(url.port || 5432)
  return folder?.startsWith("/")
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? url.hostname, port }
}

/** The same database by way of a port of loopback. */
export const viaLoopback = (database: Redacted.Redacted, port: number): Redacted.Redacted => {
  const url = new URL(Redacted.value(database))
  url.searchParams.delete("host")
  url.hostname = "127.0.0.1"
  url.port = String(port)
  return Redacted.make(url.href)
}

/** A port of loopback on which nothing listens. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Lets a server listen on loopback until the scope closes. Returns its port. */
export const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close()),
  )
