/** The PostgreSQL server of all measurements, with a fresh database per scenario. */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgres } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import pg from "pg"
import { defer, ownFolder } from "./cleanup.mjs"

/** `DATABASE_URL`, or a temporary server with the durability of a production server. */
export const startDatabase = async () => {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => {} }
  const dataDir = ownFolder(await mkdtemp(join(tmpdir(), "errata-bench-db-")))
  const scope = Effect.runSync(Scope.make())
  const stop = defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const server = await EmbeddedPostgres.make({ dataDir, durable: true }).pipe(
    Scope.provide(scope),
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    Effect.runPromise,
  )
  return { url: Redacted.value(server.superuserUrl), stop }
}

/** Returns a connected client. A lost connection fails its next query; the `error` event does not end the process. */
export const connect = async (url) => {
  const client = new pg.Client(url)
  client.on("error", () => {})
  await client.connect()
  return client
}

let databases = 0

/** Creates an empty database with a unique name. `drop` removes it. */
export const createDatabase = async (serverUrl) => {
  const name = `errata_bench_${process.pid}_${databases++}`
  const admin = await connect(serverUrl)
  await admin.query(`CREATE DATABASE ${name}`)
  const drop = defer(async () => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.end()
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const one = async (text) => Object.values((await admin.query(text)).rows[0])[0]
  return {
    url: url.href,
    drop,
    version: () => one("SHOW server_version"),
    size: async () => Number(await one(`SELECT pg_database_size('${name}')`)),
    commits: async () =>
      Number(await one(`SELECT xact_commit FROM pg_stat_database WHERE datname = '${name}'`)),
    /** Keeps writes of the previous scenario out of the next one. Ignored without the privilege. */
    checkpoint: () => admin.query("CHECKPOINT").catch(() => {}),
  }
}
