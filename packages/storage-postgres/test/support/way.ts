/** Connections to a database through a proxy. */
import type { AddressInfo, NetConnectOpts, Server } from "node:net"
import { Effect, Redacted } from "effect"

/** The address on which the database listens. */
export const targetOf = (database: Redacted.Redacted): NetConnectOpts => {
  const url = new URL(Redacted.value(database))
  const folder = url.searchParams.get("host")
  const port = Number(url.port || 5432)
  return folder?.startsWith("/")
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? url.hostname, port }
}

/** The URL of the database through a loopback port. */
export const viaLoopback = (database: Redacted.Redacted, port: number): Redacted.Redacted => {
  const url = new URL(Redacted.value(database))
  url.searchParams.delete("host")
  url.hostname = "127.0.0.1"
  url.port = String(port)
  return Redacted.make(url.href)
}

/** Listens on loopback until the scope closes. Returns the port. */
export const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close()),
  )
